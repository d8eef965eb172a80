"""When a checkpoint is made, what one holds, and that nothing grows."""

from __future__ import annotations

from typing import Any

import pyarrow
import pytest

import windowed.loop as loop_module
from tests.windowed.state.heard import HeardWorld
from tests.windowed.state.world import World, by_hand, count, words
from windowed.listener import Listener
from windowed.state import State
from windowed.testing.crash import Crash
from windowed.trigger import windows
from windowlog.window import Window


class _Saved(Listener):
    """The checkpoints that are there when each window is planned; and all that is stored."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.seen: dict[int, list[int]] = {}
        self.stored: list[int] = []

    def planned(self, window: Window, *, replay: bool) -> None:
        """Look."""
        self.seen[window.id] = [window_id for window_id, _ in self.world.records()]
        self.stored.append(len(self.world.records()) + len(self.world.staged()))


@pytest.mark.parametrize(
    ("every", "seen"),
    [
        (1, [[], [1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]),
        (2, [[], [], [2], [2], [2, 4], [2, 4], [4, 6]]),
        (3, [[], [], [], [3], [3], [3], [3, 6]]),
        (10, [[], [], [], [], [], [], []]),
    ],
)
def test_checkpoints_come_at_multiples(every: int, seen: list[list[int]]) -> None:
    """Of the window's number; the newest two are kept; one more is made at a clean end."""
    world = World("a", "b", "a", "c", "!a", "a", "d")
    ear = _Saved(world)
    world.run(every, listeners=[ear])
    assert ear.seen == dict(enumerate(seen, 1))
    assert max(world.records()) == (7, 0)
    world.is_right()


def test_each_checkpoint_is_the_state_after_its_window() -> None:
    """Both that are kept."""
    texts = ("a b", "b", "!b", "b c", "a", "!a d", "e")
    world = World(*texts)
    world.run(3)
    assert list(world.records()) == [(6, 0), (7, 0)]
    for window_id, attempt in world.records():
        assert world.saved(window_id, attempt) == by_hand(words(*texts[:window_id]))[1]


def test_multiples_are_of_the_windows_number() -> None:
    """Not of how many this run has made: drivers that live shortly make theirs at the same
    windows."""
    world, found = World(*"abababab"), []
    for at in (2, 3, 4, 6, 8):
        world.crash(at, every=3)
        found.append([window_id for window_id, _ in world.records()])
    assert found == [[], [], [3], [3], [3, 6]]
    world.run(3)
    world.is_right()


def test_a_run_that_has_its_windows_ends_with_a_checkpoint() -> None:
    """Whatever ended it: a number of windows, or nothing new."""
    world = World("a", "b", "c")
    world.pipeline(10).run(None, until=windows(2), progress=False)
    assert list(world.records()) == [(2, 0)]
    assert world.saved(2) == {"a": 1, "b": 1}
    world.run(10)
    world.is_right()


def test_a_run_without_a_new_window_saves_nothing() -> None:
    """Neither the first, which finds no data, nor a later one."""
    world = HeardWorld("a")
    world.run(10)
    before = world.records()
    world.run(1)
    assert "state save 1" not in world.heard
    assert world.records() == before


def test_a_window_that_was_saved_is_not_saved_again_at_the_end() -> None:
    """Its number is a multiple."""
    world = HeardWorld("a", "b")
    world.run(2)
    assert [line for line in world.heard if line.startswith("state save")] == ["state save 2"]


def test_no_checkpoint_is_made_after_a_failure() -> None:
    """What was held is made again by a replay; what failed is not known to be whole."""
    world = World("a", "b", "c")

    def failing(lines: Any, state: State, window: Window) -> Any:
        if window.id == 3:
            raise ValueError("a mistake of the transform")
        return count(lines, state)

    with pytest.raises(ValueError, match="a mistake of the transform"):
        world.run(10, transform=failing)
    assert world.records() == {}
    assert world.held() == by_hand(world.windows)[0][:2]
    world.run(10)
    world.is_right()


def test_none_is_made_by_a_driver_that_dies() -> None:
    """A crash is no end."""
    world = World("a", "b", "c")
    world.crash(3, every=10)
    assert world.records() == {}
    world.run(10)
    world.is_right()


def test_unchanged_writes_nothing_between_checkpoints() -> None:
    """For each checkpoint it writes the rows once more: two that shared them would be lost at
    once."""
    world = HeardWorld("a b", "", "", "", "")
    world.run(2)
    staged = [line for line in world.heard if line.startswith("state stage")]
    assert staged == ["state stage 1", "state stage 4", "state stage 5"]
    assert list(world.records()) == [(4, 0), (5, 0)]
    assert [name.split(".")[0] for name in world.staged()] == ["000000000004", "000000000005"]
    assert (world.saved(4), world.saved(5)) == ({"a": 1, "b": 1},) * 2
    world.add("a")
    world.run(2)
    world.is_right()


def test_a_state_that_was_always_empty_is_saved_too() -> None:
    """So that a start needs no plans that are older."""
    world = World("", "", "")
    world.run(2)
    assert list(world.records()) == [(2, 0), (3, 0)]
    assert world.staged() == []
    world.add("a")
    world.run(2)
    world.is_right()


def test_a_state_that_becomes_empty_is_saved() -> None:
    """Its rows are gone from the storage once no record is left that names them."""
    world = World("a", "!a", "", "")
    world.run(1)
    assert list(world.records()) == [(3, 0), (4, 0)]
    assert world.staged() == []
    world.is_right()


@pytest.mark.parametrize("every", [1, 3, 10])
def test_nothing_grows(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After 200 windows there is what there was after a few: two checkpoints and their rows, the
    state that goes on, and the plans since the older one."""
    monkeypatch.setattr(loop_module, "PURGE_EVERY", 4)
    world = World(*(f"w{n % 7} w{n % 3}" if n % 5 else "" for n in range(200)))
    ear = _Saved(world)
    world.run(every, listeners=[ear])
    assert max(ear.stored[50:]) <= max(ear.stored[:50]) <= 5
    assert len(world.records()) == 2
    assert 1 <= len(world.staged()) <= 2
    plans = world.log.within("windows").list()
    assert len(plans) <= 2 * every + 1
    world.is_right()


def test_nothing_grows_in_a_service_that_dies_again_and_again() -> None:
    """What the dead have staged goes with the checkpoints of its time."""
    world = World()
    counts = []
    for number in range(30):
        world.add(f"w{number % 4}", "a", "b")
        world.crash(3 * number + 3, every=4)
        counts.append(len(world.records()) + len(world.staged()))
    assert max(counts[10:]) <= max(counts[:10])
    world.run(4)
    world.is_right()
    assert (len(world.records()), len(world.staged())) <= (2, 3)


def test_plans_stay_as_far_back_as_the_older_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not further, and not less: from it on each start may have to replay."""
    monkeypatch.setattr(loop_module, "PURGE_EVERY", 1)
    world = World(*"abcdefghijk")
    world.crash(11, every=4)
    kept = [int(name[:12]) for name in world.log.within("windows").list()]
    assert list(world.records()) == [(4, 0), (8, 0)]
    assert kept == list(range(4, 12))
    world.run(4)
    world.is_right()


def test_a_run_remembers_no_more_than_two_checkpoints() -> None:
    """A service runs for years."""
    world = World(*"ab" * 30)
    made = world.pipeline(1, transform=None)
    with made.open(None) as run:
        sizes = []
        while window := run.next():
            outputs, following = count(window.frames["lines"], run.state)
            run.hold(window, outputs, following)
            found = vars(run._loop.keeper).values()
            sizes.append(sum(len(one) for one in found if isinstance(one, list | set | dict)))
    assert max(sizes[5:]) <= max(sizes[:5])


def test_a_dead_driver_leaves_nothing_that_counts() -> None:
    """It had staged a state, and saved none."""
    world = World("a", "b")

    def transform(lines: pyarrow.Table, state: State, window: Window) -> Any:
        if window.id == 2:
            raise Crash("here")
        return count(lines, state)

    with pytest.raises(Crash):
        world.run(5, transform=transform)
    assert (world.records(), len(world.staged())) == ({}, 1)
    world.run(5)
    world.is_right()
