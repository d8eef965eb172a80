"""A loop of one's own with state; preview and read_window, which change nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.windowed.state.world import World, by_hand, count, table, words
from windowed.errors import OutOfTurn, WrongOutputs
from windowed.state import State
from windowed.testing.crash import Crash
from windowlog.errors import BadArgument


def _own(world: World, every: int = 1, stop: int | None = None) -> None:
    """A person's loop, that may die after it has held window `stop`."""
    with world.pipeline(every, transform=None).open(None) as run:
        while window := run.next():
            outputs, following = count(window.frames["lines"], run.state)
            run.hold(window, dict.fromkeys(world.stores, outputs), state=following)
            if window.id == stop:
                raise Crash("after a window of one's own")


@pytest.mark.parametrize("every", [1, 2, 10])
def test_an_own_loop_carries_the_state(every: int) -> None:
    """From window to window, and from run to run."""
    world = World("a b", "b", "!a", sinks=("one", "two"))
    _own(world, every)
    world.add("c b", "a")
    _own(world, every)
    world.is_right()


@pytest.mark.parametrize("every", [1, 2, 10])
def test_an_own_loop_that_dies_is_replayed(every: int) -> None:
    """By itself, or by a run with a transform: what is durable is the same."""
    for by in (_own, World.run):
        world = World("a b", "b", "!a", "a b c")
        with pytest.raises(Crash):
            _own(world, every, stop=3)
        by(world, every)
        world.is_right()


def test_the_state_may_be_looked_at_at_any_time() -> None:
    """Before the first window, between two, and after the last one."""
    world = World("a", "a b")
    with world.pipeline(transform=None).open(None) as run:
        seen: list[Any] = [run.state.frame]
        while window := run.next():
            outputs, following = count(window.frames["lines"], run.state)
            run.hold(window, outputs, following)
            seen.append(run.state.frame)
    assert [dict(zip(t["word"].to_pylist(), t["n"].to_pylist(), strict=True)) for t in seen] == [
        {},
        {"a": 1},
        {"a": 2, "b": 1},
    ]


def test_hold_needs_the_state_that_follows() -> None:
    """And the window stays in flight until it has it."""
    world = World("a")
    with world.pipeline(transform=None).open(None) as run:
        window = run.next()
        assert window is not None
        with pytest.raises(WrongOutputs, match=r"was given no state; .*state\.unchanged\(\)"):
            run.hold(window, window.frames["lines"])
        run.hold(window, table(("a", 1)), run.state.replace(table(("a", 1))))
    world.is_right()


def test_a_pipeline_without_state_has_none() -> None:
    """Neither to look at, nor to be held."""
    world, other = World("a"), State(table(), ("word",))
    with world.pipeline(None, transform=None, state=None).open(None) as run:
        window = run.next()
        assert window is not None
        with pytest.raises(OutOfTurn, match=r"'counting' has no state="):
            _ = run.state
        with pytest.raises(WrongOutputs, match=r"was given a state; the pipeline has no state="):
            run.hold(window, window.frames["lines"], other.unchanged())
        run.hold(window, window.frames["lines"])


def test_a_state_of_another_window_is_refused_by_hold() -> None:
    """One that was taken before the loop, or a change of the window before: both have other rows,
    and totals would come out too small."""
    world = World("a", "a", "a b")
    with world.pipeline(transform=None).open(None) as run:
        early, told = run.state, list[Any]()
        while window := run.next():
            outputs, following = count(window.frames["lines"], run.state)
            for stale in (early.unchanged(), *told):
                if window.id > 1:
                    with pytest.raises(WrongOutputs, match=rf"comes after window {window.id - 1}:"):
                        run.hold(window, outputs, stale)
            told = [following]
            run.hold(window, outputs, following)
    world.is_right()


def test_a_transform_that_keeps_a_state_is_refused() -> None:
    """The window is not written, and a mended transform goes on."""
    world, kept = World("a", "a b"), list[State]()

    def keeping(lines: Any, state: State) -> Any:
        kept.append(state)
        return count(lines, kept[0])

    with pytest.raises(WrongOutputs, match="made from the one after window 0"):
        world.run(transform=keeping)
    assert len(world.held()) == 1
    world.run()
    world.is_right()


def test_the_state_can_be_read() -> None:
    """As a start would go on from it; empty before the first window."""
    world = World("a b", "a", "!b")
    read: Any = world.pipeline().read_state(None)
    assert read.to_pylist() == []
    world.run(2)
    found: Any = world.pipeline(2).read_state(None)
    assert {row["word"]: row["n"] for row in found.to_pylist()} == {"a": 2}
    with pytest.raises(BadArgument, match="without state= has none"):
        world.pipeline(None, state=None, transform=None).read_state(None)


def test_what_is_no_next_state_is_refused_by_hold() -> None:
    """A frame, say, or the State itself: it is named, and the window can be held after."""
    world = World("a")
    with world.pipeline(transform=None).open(None) as run:
        window = run.next()
        assert window is not None
        for wrong in (table(("a", 1)), run.state, (table(), run.state.unchanged())):
            given: Any = wrong
            with pytest.raises(WrongOutputs, match=rf"was given {type(given).__name__} as state"):
                run.hold(window, table(), given)
        run.hold(window, table(("a", 1)), run.state.replace(table(("a", 1))))
    world.is_right()


def test_a_window_in_flight_at_a_clean_end_is_no_part_of_the_checkpoint() -> None:
    """It was given, and not held: the next run replays it."""
    world = World("a", "b", "c")
    with world.pipeline(10, transform=None).open(None) as run:
        for _ in range(2):
            window = run.next()
            assert window is not None
            outputs, following = count(window.frames["lines"], run.state)
            run.hold(window, outputs, following)
        run.next()
    assert list(world.records()) == [(2, 0)]
    assert world.saved(2) == {"a": 1, "b": 1}
    world.run(10)
    world.is_right()


def test_a_hold_that_failed_and_was_caught_changes_no_state() -> None:
    """A person may go on, or end the loop: the window is held by all, or by the next run."""
    world = World("a", "a b")

    def twice(state: State) -> Any:
        return state.change(put=table(("a", 1), ("a", 2)))

    with world.pipeline(10, transform=None).open(None) as run:
        for _ in range(2):
            window = run.next()
            assert window is not None
            with pytest.raises(WrongOutputs):
                run.hold(window, table(), twice(run.state))
            outputs, following = count(window.frames["lines"], run.state)
            run.hold(window, outputs, following)
    world.is_right()
    assert len(world.staged()) == 1


def test_preview_shows_the_next_window_with_its_state() -> None:
    """And changes nothing: neither the first one, nor one that is new, nor one to be replayed."""
    world = World("a")
    for texts in ((), ("a b",), ("b", "b")):
        world.add(*texts)
        before = _everything(world)
        preview: Any = world.pipeline(10).preview(None)["out"]
        outputs, _ = by_hand(world.windows)
        at = len(world.held())
        assert sorted(tuple(row.values()) for row in preview.to_pylist()) == outputs[at]
        assert _everything(world) == before
        world.run(10) if len(texts) < 2 else world.crash(at + 2, every=10)
    assert len(world.held()) == len(world.windows) - 1


def test_preview_of_a_replay_shows_the_first_window_of_it() -> None:
    """The one after the checkpoint, which sinks may hold already."""
    world = World("a", "a b", "a")
    world.crash(3, every=10)
    before = _everything(world)
    preview: Any = world.pipeline(10).preview(None)["out"]
    assert preview.to_pylist() == [{"word": "a", "n": 1}]
    assert _everything(world) == before
    world.run(10)
    world.is_right()


def test_preview_with_nothing_new_is_an_empty_window() -> None:
    """The state is what it is."""
    world = World("a")
    world.run()
    seen = []

    def transform(lines: Any, state: Any) -> Any:
        seen.append((lines.num_rows, state.frame.to_pylist()))
        return lines, state.unchanged()

    world.pipeline(transform=transform).preview(None)
    assert seen == [(0, [{"word": "a", "n": 1}])]


def test_read_window_needs_no_state() -> None:
    """It reads the input's rows: the state of then is not kept."""
    world = World("a b", "c")
    world.run(keep=10)
    before = _everything(world)
    frames: Any = world.pipeline(keep=10).read_window(None, 1)
    assert frames["lines"].to_pylist() == [{"word": "a"}, {"word": "b"}]
    assert set(frames) == {"lines"}
    assert _everything(world) == before
    assert words("a b", "c") == world.windows


def _everything(world: World) -> Any:
    tree: Any = world.storage
    log: Any = world.log
    stored = {place: dict(records) for place, records in tree._tree.items() if records}
    logged = {place: dict(records) for place, records in log._tree.items() if records}
    return stored, logged, {name: dict(s.windows) for name, s in world.stores.items()}
