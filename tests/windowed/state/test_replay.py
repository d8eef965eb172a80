"""A start with state: it goes on from the newest checkpoint that no sink is behind."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import windowed.loop as loop_module
from tests.windowed.state.heard import HeardWorld
from tests.windowed.state.world import World, by_hand, words
from windowed.errors import PlansPurged, StateLost
from windowed.testing.crash import Crash
from windowed.trigger import windows

TEXTS = ("a b", "b", "!a c", "c a", "b b", "!c", "a c", "d")


def _sink_dies(world: HeardWorld, sink: str, at: int, every: int) -> None:
    """The driver dies before this sink holds window `at`."""
    world.hold_fails = {sink: [*[None] * (at - 1), Crash("before a commit")]}
    with pytest.raises(Crash):
        world.run(every)
    world.hold_fails = {}


@pytest.mark.parametrize("every", [1, 2, 3, 10])
@pytest.mark.parametrize("at", range(1, 9))
def test_a_crash_between_two_sinks_is_healed(at: int, every: int) -> None:
    """One holds the window, the other does not, and no checkpoint has it."""
    world = HeardWorld(*TEXTS, sinks=("one", "two"))
    _sink_dies(world, "two", at, every)
    assert (len(world.held("one")), len(world.held("two"))) == (at, at - 1)
    world.run(every)
    world.is_right()


@pytest.mark.parametrize("every", [1, 2, 3])
def test_a_crash_between_hold_and_checkpoint_is_healed(every: int) -> None:
    """All sinks hold the window; the state after it is made again."""
    world = HeardWorld(*TEXTS)
    made = world.pipeline(every)
    store: Any = made.state

    def save(window_id: int, digest: str, staged: Any) -> Any:
        if window_id == 6:
            raise Crash("before a checkpoint")
        return type(store).save(store, window_id, digest, staged)

    store.save = save
    with pytest.raises(Crash):
        made.run(None, progress=False)
    assert len(world.held()) == 6
    assert (6, 0) not in world.records()
    world.run(every)
    world.is_right()


@pytest.mark.parametrize("every", [1, 3])
def test_sinks_at_different_windows_are_brought_level(every: int) -> None:
    """The state is that before the lowest; each sink gets only what it lacks."""
    world = HeardWorld(*TEXTS[:5], sinks=("one", "two"))
    backups = {}
    for at in (2, 4):
        world.pipeline(every, keep=100).run(None, until=windows(2), progress=False)
        backups[at] = copy.deepcopy(world.stores)
    world.run(every, keep=100)
    world.stores["one"], world.stores["two"] = backups[2]["one"], backups[4]["two"]
    world.add(*TEXTS[5:])
    world.run(every, keep=100)
    world.is_right()
    assert [line for line in world.of("one") if "hold" in line] == [
        f"one hold {n}" for n in range(3, 9)
    ]
    assert [line for line in world.of("two") if "hold" in line] == [
        f"two hold {n}" for n in range(5, 9)
    ]


def test_an_older_backup_goes_on_from_the_older_checkpoint() -> None:
    """The newest one is past what the database holds: the state that it has is of no use yet, and
    the windows up to it are saved a second time, beside."""
    world = HeardWorld(*TEXTS)
    world.pipeline(2, keep=1).run(None, until=windows(5), progress=False)
    backup = copy.deepcopy(world.stores)
    world.pipeline(2, keep=1).run(None, until=windows(1), progress=False)
    assert list(world.records()) == [(5, 0), (6, 0)]
    world.stores = backup
    world.run(2, keep=1)
    assert "state load 5" in world.heard
    assert [line for line in world.heard if "state save" in line] == [
        "state save 6",
        "state save 8",
    ]
    assert list(world.records()) == [(6, 0), (6, 1), (8, 0)]
    assert world.saved(6, 0) == world.saved(6, 1) == by_hand(words(*TEXTS[:6]))[1]
    world.is_right()


def test_of_two_attempts_at_a_window_the_later_one_counts() -> None:
    """Its rows are those that the windows after it were made of."""
    world = HeardWorld("a", "b")
    world.pipeline(1, keep=100).run(None, until=windows(1), progress=False)
    backup = copy.deepcopy(world.stores)
    world.run(1, keep=100)
    world.stores = backup
    world.run(1, keep=100)
    assert list(world.records()) == [(1, 0), (2, 0), (2, 1)]
    world.damage(2, 0, what="rows")
    world.add("a")
    world.run(1, keep=100)
    assert "state load 2" in world.heard
    world.is_right()


@pytest.mark.parametrize("keep", [0, 100])
def test_a_backup_older_than_both_checkpoints_needs_keep(keep: int) -> None:
    """With it there are an older checkpoint and the plans since; else the start is refused, and
    nothing is touched."""
    world = HeardWorld(*TEXTS)
    world.pipeline(2, keep=keep).run(None, until=windows(1), progress=False)
    backup = copy.deepcopy(world.stores)
    world.run(2, keep=keep)
    records, stores, world.stores = world.records(), world.stores, backup
    if keep:
        world.run(2, keep=keep)
        assert "state load 1" in world.heard
    else:
        for _ in range(2):
            with pytest.raises(PlansPurged):
                world.run(2)
        assert (world.records(), len(world.held())) == (records, 1)
        world.stores = stores
        world.run(2)
    world.is_right()


@pytest.mark.parametrize("every", [1, 2, 3])
def test_a_backup_may_be_as_old_as_keep_says(every: int) -> None:
    """Plans and checkpoints are there for it."""
    for age in range(5):
        world, backups = HeardWorld(), {}
        for number, text in enumerate([*TEXTS, *TEXTS], 1):
            world.add(text)
            world.crash(number, every, keep=4)
            backups[number - 1] = copy.deepcopy(world.stores)
        world.run(every, keep=4)
        world.stores = backups[max(backups) + 1 - age] if age else world.stores
        world.add("a", "b")
        world.run(every, keep=4)
        world.is_right()


def test_plans_that_are_kept_are_of_no_use_without_the_state_before_them() -> None:
    """The sinks could be replayed, the state not: refused."""
    world = HeardWorld(*TEXTS)
    world.pipeline(2, keep=3).run(None, until=windows(6), progress=False)
    backup = copy.deepcopy(world.stores)
    world.run(2, keep=3)
    assert list(world.records()) == [(4, 0), (6, 0), (8, 0)]
    for window_id in (4, 6):
        world.damage(window_id)
    now, world.stores = world.stores, backup
    before = world.records()
    with pytest.raises(StateLost, match="that of window 8 is newer than what every sink holds"):
        world.run(2, keep=3)
    assert world.records() == before
    world.stores = now
    world.run(2, keep=3)
    world.is_right()


@pytest.mark.parametrize("every", [1, 2, 3])
def test_many_short_lives_end_in_the_right_state(
    every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver that dies in each window, again and again."""
    monkeypatch.setattr(loop_module, "PURGE_EVERY", 1)
    world = World(*TEXTS)
    for at in range(1, 9):
        for _ in range(2):
            world.crash(at, every)
        assert world.held() == by_hand(world.windows)[0][: at - 1]
    world.run(every)
    world.is_right()


def test_the_pace_of_checkpoints_may_change() -> None:
    """From run to run."""
    world = World()
    for every, text in zip((3, 1, 10, 2, 5, 1), TEXTS, strict=False):
        world.add(text, text)
        world.crash(len(world.windows), every)
    world.run(4)
    world.is_right()


def test_state_may_begin_in_a_log_that_has_windows() -> None:
    """It is empty before the first one: with all plans kept it is made of them, and the sinks get
    only what is new."""
    world = World("a", "b")
    world.run(None, state=None, transform=lambda lines: lines, keep=100)
    assert sum(map(len, world.stores["out"].windows.values())) == 2
    world.add("a b")
    world.run(1, keep=100)
    assert world.saved(3) == {"a": 2, "b": 2}
    assert world.stores["out"].windows[3] == [{"word": "a", "n": 2}, {"word": "b", "n": 2}]


def test_state_in_a_log_whose_plans_are_purged_is_for_a_person_to_decide() -> None:
    """What it was nobody knows."""
    world = World("a", "b", "c")
    world.run(None, state=None, transform=lambda lines: lines)
    with pytest.raises(StateLost, match="there is no checkpoint of this log"):
        world.run(1)
    assert world.records() == {}
