"""append, accumulate and replace_window, with the database's own answers; the same on each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest

from jdbc_sink import accumulate, append, replace_window, upsert
from jdbc_sink.errors import BadValue
from tests.jdbc_sink.windows import DATABASES, Bench
from windowlog.errors import BadArgument, NotHeld

ALL = accumulate(["word"], add=["n"], min=["low"], max=["high"])
both = pytest.mark.parametrize("database", DATABASES)
some_rows_each = pytest.mark.parametrize("rows_per_statement", [1, 2, 3, 100])


def numbers(*rows: tuple[str | None, int | None, int | None, int | None]) -> pyarrow.Table:
    """Rows of (word, n, low, high)."""
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * 4
    schema = pyarrow.schema(
        [("word", pyarrow.string()), *((name, pyarrow.int64()) for name in ("n", "low", "high"))]
    )
    return pyarrow.table(dict(zip(schema.names, columns, strict=True)), schema=schema)


def held(bench: Bench, *frames: pyarrow.Table) -> list[Any]:
    """What is in the table after a window for each frame."""
    bench.hold_all(*frames)
    return bench.ask("SELECT * FROM words ORDER BY word")


@both
def test_append_keeps_duplicates_in_a_table_without_a_key(tmp_path: Path, database: str) -> None:
    """Equal rows, in one window and in two."""
    bench = Bench(tmp_path / "x.db", database, mode=append())
    bench.hold(("a", 1), ("a", 1))
    bench.hold(("a", 1))
    assert bench.ask("SELECT word, n FROM words") == [("a", 1)] * 3


@both
@some_rows_each
def test_all_statements_of_a_window_are_one_transaction(
    tmp_path: Path, database: str, rows_per_statement: int
) -> None:
    """However many rows each takes: all rows, or none when the last one fails."""
    mode = replace_window(column="number")
    bench = Bench(tmp_path / "x.db", database, mode=mode, rows_per_statement=rows_per_statement)
    bench.hold(("a", 1), ("b", 2), ("c", 3))
    bench.ask("CREATE UNIQUE INDEX once ON words (word)")
    with pytest.raises(NotHeld):
        bench.hold(("d", 4), ("e", 5), ("a", 6))
    found = bench.ask("SELECT word, n, (SELECT window_id FROM window_ledger) FROM words ORDER BY n")
    assert found == [("a", 1, 1), ("b", 2, 1), ("c", 3, 1)]


@both
@some_rows_each
def test_accumulate_combines_inside_a_window_and_across_windows(
    tmp_path: Path, database: str, rows_per_statement: int
) -> None:
    """DuckDB keeps the first of two equal keys in one upsert: they are combined before it."""
    bench = Bench(tmp_path / "x.db", database, mode=ALL, rows_per_statement=rows_per_statement)
    first = numbers(("a", 1, 5, 5), ("a", 2, 3, 9), ("b", 10, 1, 1))
    second = numbers(("a", 4, 4, 4), ("c", 0, 0, 0))
    found = held(bench, first, numbers(), second)
    assert found == [("a", 7, 3, 9), ("b", 10, 1, 1), ("c", 0, 0, 0)]


@both
@some_rows_each
def test_null_is_no_value_in_accumulated_columns(
    tmp_path: Path, database: str, rows_per_statement: int
) -> None:
    """NULL and 3 make 3, in either order, in one window or two; NULL and NULL stay NULL."""
    bench = Bench(tmp_path / "x.db", database, mode=ALL, rows_per_statement=rows_per_statement)
    first = numbers(
        ("a", None, None, 3),
        ("b", 3, 3, None),
        ("c", None, None, None),
        ("d", None, 3, None),
        ("d", 3, None, 3),
    )
    second = numbers(("a", 3, 3, None), ("b", None, None, 3), ("c", None, None, None))
    three = [("a", 3, 3, 3), ("b", 3, 3, 3), ("c", None, None, None), ("d", 3, 3, 3)]
    assert held(bench, first, second) == three


@both
@some_rows_each
def test_the_last_value_is_the_newest_rows(
    tmp_path: Path, database: str, rows_per_statement: int
) -> None:
    """By order_by, which is kept as its greatest; also when the newest row has NULL there."""
    mode = accumulate(["word"], add=["n"], last=["low"], order_by="high")
    bench = Bench(tmp_path / "x.db", database, mode=mode, rows_per_statement=rows_per_statement)
    frames = [
        numbers(("a", 1, 10, 1), ("a", 1, 30, 3), ("a", 1, 20, 2), ("b", 1, 7, None)),
        numbers(("a", 1, 0, 2), ("b", 1, 8, None), ("c", 1, 5, 1)),
        numbers(("a", 1, 40, 3), ("b", 1, 9, -1), ("c", 1, None, 2)),
    ]
    assert held(bench, *frames) == [("a", 5, 40, 3), ("b", 3, 9, -1), ("c", 2, None, 2)]


@both
def test_without_an_order_the_last_value_is_the_latest_windows(
    tmp_path: Path, database: str
) -> None:
    """NULL too."""
    bench = Bench(tmp_path / "x.db", database, mode=accumulate(["word"], last=["n"]))
    columns = [("a", 2), ("a", 1), ("a", None)]
    frames = [numbers((word, n, 0, 0)).select(["word", "n"]) for word, n in columns]
    assert held(bench, *frames[:2]) == [("a", 1)]
    assert held(bench, frames[2]) == [("a", None)]


@both
@pytest.mark.parametrize("apart", [True, False])
def test_a_sum_that_overflows_is_not_held(tmp_path: Path, database: str, apart: bool) -> None:
    """In one window or across two: the window is rolled back whole, nothing is cut off."""
    bench = Bench(tmp_path / "x.db", database, mode=accumulate(["word"], add=["n"]))
    most = 2**63 - 1
    bench.hold(("a", most) if apart else ("a", 5))
    with pytest.raises(NotHeld, match=r"(?i)overflow|out of range"):
        bench.hold(("b", 1), *([("a", 1)] if apart else [("c", most), ("c", 1)]))
    assert bench.ask("SELECT * FROM words") == [("a", most if apart else 5)]
    assert bench.ask("SELECT window_id FROM window_ledger") == [(1,)]


@both
def test_sums_and_extremes_of_decimals_are_exact(tmp_path: Path, database: str) -> None:
    """38 digits; -9 is less than 10, and text would say otherwise."""
    mode = accumulate(["word"], add=["n"], min=["low"], max=["high"])
    bench = Bench(tmp_path / "x.db", database, mode=mode)
    kind = pyarrow.decimal128(38, 18)

    def frame(*given: tuple[str, str, str]) -> pyarrow.Table:
        columns = zip(("n", "low", "high"), zip(*given, strict=True), strict=True)
        cast = {name: pyarrow.array(each, pyarrow.string()).cast(kind) for name, each in columns}
        return pyarrow.table({"word": ["a"] * len(given), **cast})

    bench.hold_all(
        frame(("99999999999999999999.000000000000000001", "10", "9"), ("0", "-9", "10")),
        frame(("-0.000000000000000002", "-10", "-11")),
    )
    text = ", ".join(f"CAST({column} AS VARCHAR)" for column in ("n", "low", "high"))
    zeros = "0" * 18
    assert bench.ask(f"SELECT {text} FROM words") == [
        ("99999999999999999998.999999999999999999", f"-10.{zeros}", f"10.{zeros}")
    ]


@both
@some_rows_each
def test_replace_window_writes_the_windows_number(
    tmp_path: Path, database: str, rows_per_statement: int
) -> None:
    """Beside each row; also where an empty window comes between."""
    bench = Bench(
        tmp_path / "x.db",
        database,
        mode=replace_window(column="Window"),
        rows_per_statement=rows_per_statement,
    )
    bench.hold(("a", 1), ("a", 1), ("b", 2))
    bench.hold()
    bench.hold(("c", 3))
    found = bench.ask('SELECT "Window", word, n FROM words ORDER BY word')
    assert found == [(1, "a", 1), (1, "a", 1), (1, "b", 2), (3, "c", 3)]


@both
@pytest.mark.parametrize("table", ["word TEXT", "word TEXT PRIMARY KEY"])
def test_a_window_that_is_written_again_replaces_its_rows(
    tmp_path: Path, database: str, table: str
) -> None:
    """After a person moved the ledger back; other windows' rows stay. Also where the rows have a
    key of their own."""
    bench = Bench(tmp_path / "x.db", database, mode=replace_window())
    bench.ask(f"CREATE TABLE words ({table}, n BIGINT, window_id BIGINT)")
    bench.hold(("a", 1))
    after_first = bench.sink.held()
    second = bench.hold(("b", 2), ("c", 3))
    bench.sink.adopt(bench.sink.held(), after_first)  # type: ignore[arg-type]
    bench.sink.stage(second, numbers(("b", 20, 0, 0)).select(["word", "n"]))
    bench.sink.hold(second)
    found = bench.ask("SELECT word, n, window_id FROM words ORDER BY word")
    assert found == [("a", 1, 1), ("b", 20, 2)]


@both
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (accumulate(["Select", 'x"; DROP TABLE words; --'], add=["group"]), [("k", "v", 3)]),
        (
            upsert(["Select", 'x"; DROP TABLE words; --'], order_by="group"),
            [("k", "v", 2)],
        ),
        (append(), [("k", "v", 1), ("k", "v", 2)]),
        (replace_window(column='da"y'), [("k", "v", 1, 1), ("k", "v", 2, 1)]),
    ],
)
def test_a_key_of_two_columns_and_names_that_are_words_of_sql(
    tmp_path: Path, database: str, mode: Any, expected: list[Any]
) -> None:
    """Reserved, mixed case, quoted, with a semicolon, colon, percent sign or braces: all inert."""
    evil = 'x"; DROP TABLE words; --'
    for number, table in enumerate(('ord"er', "Group", "{rows} %s :a", "a'b", "größe")):
        bench = Bench(tmp_path / f"{number}.db", database, mode=mode, table=table)
        columns = {"Select": ["k", "k"], evil: ["v", "v"], "group": [1, 2]}
        bench.hold_all(pyarrow.table(columns))
        assert bench.sink.target().exists
        quoted = table.replace('"', '""')
        assert bench.ask(f'SELECT * FROM "{quoted}" ORDER BY "group"') == expected


@both
def test_null_in_a_key_is_refused_before_anything_is_written(tmp_path: Path, database: str) -> None:
    """The column, its value, the window."""
    bench = Bench(tmp_path / "x.db", database, mode=ALL)
    with pytest.raises(BadValue, match=r"column word holds NULL in window 1"):
        bench.stage(numbers((None, 1, 1, 1)))
    assert bench.ask("SELECT window_id FROM window_ledger") == [(0,)]
    assert bench.ask("SELECT * FROM words") == []


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"key": [], "add": ["n"]}, "key"),
        ({"key": "word", "add": ["n"]}, "key"),
        ({"key": ["word"]}, "add"),
        ({"key": ["word"], "add": "n"}, "add"),
        ({"key": ["word"], "min": [1]}, "min"),
        ({"key": ["word"], "max": [""]}, "max"),
        ({"key": ["n"], "add": ["N"]}, "accumulate"),
        ({"key": ["word"], "add": ["n"], "order_by": "ts"}, "order_by"),
        ({"key": ["word"], "last": ["n"], "order_by": "word"}, "order_by"),
        ({"key": ["word"], "last": ["n"], "order_by": "n"}, "accumulate"),
        ({"key": ["word"], "last": ["n"], "min": ["ts"], "order_by": "ts"}, "accumulate"),
    ],
)
def test_wrong_arguments_of_accumulate_are_named(arguments: dict[str, Any], argument: str) -> None:
    """On construction."""
    with pytest.raises(BadArgument, match=f"^{argument}="):
        accumulate(**arguments)


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: upsert("word"), "key"),
        (lambda: upsert([]), "key"),
        (lambda: upsert(["word", "Word"]), "key"),
        (lambda: upsert(["word"], order_by="word"), "order_by"),
        (lambda: upsert(["word"], order_by="Word"), "order_by"),
        (lambda: upsert(["word"], order_by=["ts"]), "order_by"),  # type: ignore[arg-type]
        (lambda: replace_window(column=""), "column"),
        (lambda: replace_window(column=None), "column"),  # type: ignore[arg-type]
    ],
)
def test_wrong_arguments_of_the_others_are_named(make: Any, argument: str) -> None:
    """On construction."""
    with pytest.raises(BadArgument, match=f"^{argument}="):
        make()


def test_a_mode_describes_itself_for_the_ledger() -> None:
    """Independent of the order in which columns were named."""
    assert append().describe() == "append"
    assert ALL.describe() == "accumulate by word: max high, min low, sum n"
    last = accumulate(["word"], last=["n"], order_by="ts")
    assert last.describe() == "accumulate by word: last n, max ts, the last by ts"
    assert upsert(["a", "b"]).describe() == "upsert by a, b"
    assert upsert(["a"], order_by="ts").describe() == "upsert by a, the greatest ts"
    assert replace_window().describe() == "replace_window in window_id"
