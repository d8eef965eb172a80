"""What a transform with state may return, and what is said of anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow
import pytest

from tests.windowed.state.world import SCHEMA, World, count, table
from windowed.errors import WrongOutputs
from windowed.state import State
from windowed.testing import StorageState
from windowlog.errors import BadArgument
from windowlog.state_store import Checkpoint, StateContext

LONG = pyarrow.int64()


def _columns(**kinds: Any) -> pyarrow.Table:
    return pyarrow.schema(list(kinds.items())).empty_table()


WRONG = {
    "missing": (_columns(word=pyarrow.string()), "no column n (int64)"),
    "extra": (
        _columns(word=pyarrow.string(), n=LONG, more=LONG),
        "a column more that the state does not have",
    ),
    "type": (_columns(word=pyarrow.string(), n=pyarrow.int32()), "column n as int32, not int64"),
    "all": (
        _columns(words=pyarrow.string(), n=pyarrow.float64()),
        "no column word (string); a column words that the state does not have; column n as double",
    ),
    "twice": (
        pyarrow.table([["a"], [1], [2]], names=["word", "n", "n"]),
        "column n 2 times",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("way", ["replace", "put"])
def test_a_frame_of_other_columns_is_named(way: str, wrong: str) -> None:
    """All that is wrong with it, at once, where it is said in the transform."""
    frame, said = WRONG[wrong]
    state = State(table(("a", 1)), ("word",), "counting")
    with pytest.raises(WrongOutputs) as raised:
        state.replace(frame) if way == "replace" else state.change(put=frame)
    name = "state.replace" if way == "replace" else "state.change(put=…)"
    assert f"{name} with {said}" in str(raised.value)
    assert "; select and cast in the transform" in str(raised.value)
    assert "'counting'" in str(raised.value)


def test_keys_to_delete_need_the_keys_columns() -> None:
    """Each of them, of its type; there may be others."""
    state = State(table(("a", 1)), ("word",))
    for frame, said in (
        (_columns(n=LONG), "no column word (string)"),
        (_columns(word=LONG), "column word as int64, not string"),
        (pyarrow.table([["a"], ["b"]], names=["word", "word"]), "column word 2 times"),
    ):
        with pytest.raises(WrongOutputs) as raised:
            state.change(delete=frame)
        assert f"state.change(delete=…) with {said}" in str(raised.value)


@pytest.mark.parametrize("given", [None, [("a", 1)], {"word": ["a"]}, "a", table])
def test_what_is_no_frame_is_named(given: Any) -> None:
    """By its type."""
    state, kind = State(table(("a", 1)), ("word",)), type(given).__name__
    with pytest.raises(WrongOutputs, match=rf"{kind} for state\.replace; it has to be a DataFrame"):
        state.replace(given)
    if given is None:
        return
    with pytest.raises(WrongOutputs, match=rf"{kind} for state\.change\(put=…\)"):
        state.change(put=given)
    with pytest.raises(WrongOutputs, match=rf"{kind} for state\.change\(delete=…\)"):
        state.change(delete=given)


def test_change_needs_a_key() -> None:
    """A state without one is replaced as a whole."""
    state = State(table(), ())
    changes: list[Callable[[], Any]] = [state.change, lambda: state.change(put=table())]
    for change in changes:
        with pytest.raises(WrongOutputs, match=r"without a key; give the state a key="):
            change()


RESULTS: dict[str, tuple[Callable[..., Any], str]] = {
    "nothing": (lambda lines, state: None, "NoneType"),
    "outputs alone": (lambda lines, state: table(), "Table"),
    "state alone": (lambda lines, state: state.unchanged(), "NextState"),
    "one of one": (lambda lines, state: (table(),), r"\(Table\)"),
    "other order": (lambda lines, state: (state.unchanged(), table()), r"\(NextState, Table\)"),
    "three": (lambda lines, state: (table(), state.unchanged(), 1), r"\(Table, NextState, int\)"),
    "a list": (lambda lines, state: [table(), state.unchanged()], "list"),
    "a frame": (lambda lines, state: (table(), table()), r"\(Table, Table\)"),
    "the state": (lambda lines, state: (table(), state), r"\(Table, State\)"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_transform_returns_two_things(name: str) -> None:
    """Outputs and the state that follows: anything else is named, and nothing is written."""
    transform, found = RESULTS[name]
    world = World("a")
    with pytest.raises(
        WrongOutputs, match=rf"returned {found}; with state it has to be two things"
    ):
        world.run(transform=transform)
    assert (world.held(), world.records(), world.staged()) == ([], {}, [])
    world.run()
    world.is_right()


def test_outputs_are_checked_as_without_state() -> None:
    """A dict that lacks a sink."""
    world = World("a", sinks=("one", "two"))

    def transform(lines: Any, state: State) -> Any:
        return {"one": lines}, state.unchanged()

    with pytest.raises(WrongOutputs, match=r"frames for \['one'\]"):
        world.run(transform=transform)


def test_a_key_that_is_put_twice_fails_the_window() -> None:
    """WrongOutputs, before a sink holds anything; nothing of it is left."""
    world = World("a b", "a")

    def doubled(lines: Any, state: State) -> Any:
        outputs, following = count(lines, state)
        if state.frame.num_rows:
            following = state.change(put=table(("a", 1), ("b", 1), ("a", 1)))
        return outputs, following

    with pytest.raises(WrongOutputs, match=r'two rows of one key, {"word": "a"}; group by'):
        world.run(transform=doubled)
    assert (world.held(), list(world.records())) == ([[("a", 1), ("b", 1)]], [(1, 0)])
    assert len(world.staged()) == 1
    world.run()
    world.is_right()


def test_a_key_that_is_there_twice_in_a_replacement_fails_the_window() -> None:
    """What has a key has each of its keys once, however it came to be."""
    world = World("a b", "a")

    def doubled(lines: Any, state: State) -> Any:
        outputs, following = count(lines, state)
        if state.frame.num_rows:
            following = state.replace(table(("a", 1), ("b", 1), ("b", 2)))
        return outputs, following

    with pytest.raises(WrongOutputs, match=r'two rows of one key, {"word": "b"}'):
        world.run(transform=doubled)
    assert world.held() == [[("a", 1), ("b", 1)]]
    world.run()
    world.is_right()


def test_another_key_is_another_state() -> None:
    """Made anew where all plans are kept: rows that the old key told apart may be one to the new
    one."""
    world = World("a b", "a", "b")
    world.run(10)
    other = StorageState(SCHEMA, key=["word", "n"], storage=world.storage)
    (checkpoint,) = _checkpoints(world, other)
    assert checkpoint.problem == "has another key (word)"
    found: Any = world.pipeline(10, state=other).read_state(None)
    assert found.num_rows == 0
    world.run(10)
    world.is_right()


def _checkpoints(world: World, store: StorageState) -> tuple[Checkpoint, ...]:
    log_id = next(iter(world.stores["out"].memory.values())).log_id
    store.open(StateContext(None, "counting", log_id, "look"))
    return store.checkpoints()


@pytest.mark.parametrize("key", [["nothing"], ["word", "nothing"], ["word", "word"]])
def test_a_key_has_columns_of_the_state(key: list[str]) -> None:
    """Each once: said where the state is made."""
    with pytest.raises(BadArgument, match=r"^key=.* is not possible: .*word, n"):
        StorageState("word string, n bigint", key=key)
