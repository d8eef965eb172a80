"""replace, change and unchanged on Arrow tables: which rows the state has then."""

from __future__ import annotations

import math
from typing import Any

import pyarrow
import pytest

from tests.windowed.state.world import table
from windowed.changes import TWICE, changed, types_of
from windowed.errors import WrongOutputs
from windowed.state import State

BEFORE = (("a", 1), ("b", 2), ("c", 3))


def _state(*rows: Any, key: tuple[str, ...] = ("word",)) -> State:
    return State(table(*(rows or BEFORE)), key, "counting")


def _rows(frame: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in frame.to_pylist()), key=repr)


def test_replace_leaves_nothing_of_before() -> None:
    """Rows of the new frame alone, also when there are none."""
    state = _state()
    assert _rows(state.after(state.replace(table(("z", 9))))) == [("z", 9)]
    assert _rows(state.after(state.replace(table()))) == []


def test_replace_needs_no_key() -> None:
    """And keeps rows that are there twice: only `change` goes by a key."""
    state = _state(key=())
    rows = [("a", 1), ("a", 1)]
    assert _rows(state.after(state.replace(table(*rows)))) == rows


def test_columns_may_come_in_any_order() -> None:
    """The state's own order stays."""
    state = _state()
    other = table(("z", 9)).select(["n", "word"])
    for following in (state.replace(other), state.change(put=other)):
        after: Any = state.after(following)
        assert after.column_names == ["word", "n"]
        assert {"word": "z", "n": 9} in after.to_pylist()


@pytest.mark.parametrize(
    ("put", "delete", "after"),
    [
        ([("d", 4)], None, [("a", 1), ("b", 2), ("c", 3), ("d", 4)]),
        ([("b", 7)], None, [("a", 1), ("b", 7), ("c", 3)]),
        (None, [("b", None)], [("a", 1), ("c", 3)]),
        (None, [("b", 0), ("b", 1), ("unknown", 5)], [("a", 1), ("c", 3)]),
        ([("b", 7)], [("b", 2), ("c", 3)], [("a", 1), ("b", 7)]),
        ([], [], list(BEFORE)),
        ([], [("a", 1), ("b", 2), ("c", 3)], []),
        ([("a", None)], None, [("a", None), ("b", 2), ("c", 3)]),
    ],
    ids=["new", "known", "delete", "several", "both", "nothing", "all", "null"],
)
def test_change_puts_and_deletes_by_key(put: Any, delete: Any, after: Any) -> None:
    """A put key has the new row; a deleted one is gone; one that is in both is put."""
    state = _state()
    following = state.change(
        put=None if put is None else table(*put), delete=None if delete is None else table(*delete)
    )
    assert _rows(state.after(following)) == sorted(after, key=repr)


def test_the_first_rows_come_to_an_empty_state() -> None:
    """Whatever is deleted from it."""
    state = State(table(), ("word",))
    following = state.change(put=table(("a", 1)), delete=table(("b", 1)))
    assert _rows(state.after(following)) == [("a", 1)]


def test_keys_that_are_null_are_equal_to_each_other() -> None:
    """One row of them: put again it is replaced, and it can be deleted."""
    state = _state((None, 1), ("a", 2))
    assert _rows(state.after(state.change(put=table((None, 5))))) == [("a", 2), (None, 5)]
    assert _rows(state.after(state.change(delete=table((None, 0))))) == [("a", 2)]
    with pytest.raises(ValueError, match="twice"):
        state.after(state.change(put=table((None, 1), (None, 2))))


def test_keys_that_are_not_a_number_are_equal_to_each_other() -> None:
    """As Spark joins and groups them: NaN is one key, and 0.0 and -0.0 are one."""
    schema = pyarrow.schema([("x", pyarrow.float64()), ("n", pyarrow.int64())])

    def numbers(*rows: tuple[float | None, int]) -> pyarrow.Table:
        return pyarrow.table({"x": [r[0] for r in rows], "n": [r[1] for r in rows]}, schema=schema)

    nan = math.nan
    state = State(numbers((nan, 1), (0.0, 2), (None, 3), (1.5, 4)), ("x",))
    other_nan = float("nan")
    put = numbers((other_nan, 5), (-0.0, 6))
    after: Any = state.after(state.change(put=put, delete=numbers((None, 0))))
    assert sorted(row["n"] for row in after.to_pylist()) == [4, 5, 6]
    with pytest.raises(ValueError, match="twice"):
        state.after(state.change(put=numbers((nan, 1), (other_nan, 2))))


def test_a_key_of_several_columns_is_one_key() -> None:
    """Equal where all of them are; NULL in one of them is a value like any other."""
    schema = pyarrow.schema(
        [("a", pyarrow.string()), ("b", pyarrow.int32()), ("n", pyarrow.int8())]
    )

    def rows(*given: tuple[str | None, int | None, int]) -> pyarrow.Table:
        columns = {name: [row[at] for row in given] for at, name in enumerate(schema.names)}
        return pyarrow.table(columns, schema=schema)

    state = State(
        rows(("x", 1, 1), ("x", 2, 2), ("y", 1, 3), (None, 1, 4), ("x", None, 5)), ("a", "b")
    )
    put = rows(("x", 2, 20), ("y", 2, 30), (None, 1, 40))
    keys_alone = rows(("x", None, 0)).select(["b", "a"])
    after: Any = state.after(state.change(put=put, delete=keys_alone))
    expected = {("x", 1, 1), ("x", 2, 20), ("y", 1, 3), ("y", 2, 30), (None, 1, 40)}
    assert {tuple(row.values()) for row in after.to_pylist()} == expected
    with pytest.raises(ValueError, match="twice"):
        state.after(state.change(put=rows(("x", 7, 1), ("z", 7, 2), ("x", 7, 1))))


def test_delete_looks_at_the_keys_alone() -> None:
    """Its other columns may be anything, or missing."""
    state = _state()
    more = pyarrow.table({"n": ["text"], "word": ["a"], "why": [None]})
    assert _rows(state.after(state.change(delete=more))) == [("b", 2), ("c", 3)]
    assert _rows(state.after(state.change(delete=table(("a", 1)).select(["word"])))) == [
        ("b", 2),
        ("c", 3),
    ]


def test_unchanged_says_so() -> None:
    """And so does a change of nothing; an empty frame is a change, or may be one."""
    state = _state()
    assert state.unchanged().is_unchanged
    assert state.change().is_unchanged
    for following in (
        state.replace(table()),
        state.change(put=table()),
        state.change(delete=table()),
    ):
        assert not following.is_unchanged


def test_types_are_named_as_arrow_does() -> None:
    """The records of checkpoints hold them."""
    assert types_of(table()) == {"word": "string", "n": "int64"}


def test_a_change_keeps_the_types_of_the_state() -> None:
    """Column for column: a table of other metadata, or that forbids NULL, is put as any other."""
    schema = pyarrow.schema(
        [pyarrow.field("word", pyarrow.string(), nullable=False), ("n", pyarrow.int64())],
        metadata={"by": "somebody"},
    )
    put = table(("z", 9)).cast(schema)
    after: Any = changed(table(("a", 1)), ("word",), put, None)
    assert after.schema == table().schema
    assert _rows(after) == [("a", 1), ("z", 9)]


def test_the_error_of_a_key_that_is_there_twice_is_known_by_its_text() -> None:
    """Spark's comes out of a job, wrapped: the keeper makes WrongOutputs of it (test_failures)."""
    with pytest.raises(ValueError) as raised:
        changed(table(), ("word",), table(("a", 1), ("a", 1)), None)
    assert TWICE in str(raised.value)
    assert not isinstance(raised.value, WrongOutputs)


_STRUCT = pyarrow.struct([("a", pyarrow.float64()), ("b", pyarrow.list_(pyarrow.string()))])
_NAN = float("nan")


@pytest.mark.parametrize(
    ("kind", "one", "same", "other"),
    [
        (_STRUCT, {"a": -0.0, "b": ["x"]}, {"a": 0.0, "b": ["x"]}, {"a": 0.0, "b": [None]}),
        (_STRUCT, {"a": _NAN, "b": None}, {"a": _NAN, "b": None}, None),
        (pyarrow.list_(pyarrow.int64()), [1, 2], [1, 2], [2, 1]),
        (pyarrow.timestamp("ns"), 1, 1, 2),
        (pyarrow.duration("ns"), 1, 1, 2),
    ],
)
def test_keys_of_nested_types_and_of_nanoseconds(
    kind: pyarrow.DataType, one: Any, same: Any, other: Any
) -> None:
    """Equal as Spark says: -0.0 is 0.0, NaN is NaN, and the order in a list counts."""

    def of(key: Any, number: int) -> pyarrow.Table:
        return pyarrow.table({"k": pyarrow.array([key], kind), "n": [number]})

    before = pyarrow.concat_tables([of(one, 1), of(other, 2)])
    put: Any = changed(before, ["k"], of(same, 3), None)
    deleted: Any = changed(before, ["k"], None, of(same, 0))
    assert (put["n"].to_pylist(), deleted["n"].to_pylist()) == ([2, 3], [2])
