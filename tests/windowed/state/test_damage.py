"""Checkpoints that are damaged, lost or of other columns: an older one is used, or the state is
made from nothing, or the start is refused; never is a wrong one used."""

from __future__ import annotations

from typing import Any

import pytest

from tests.windowed.state.heard import HeardWorld
from tests.windowed.state.world import World, by_hand, words
from windowed.errors import LogCorrupted, StateLost
from windowed.trigger import windows
from windowlog import naming
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.wiring import Adoption, InputIdentity

TEXTS = ("a b", "b", "!a c", "c a", "b b", "!c", "a c", "d")
HOW = ("record", "rows", "lost rows")


def _to(world: World, at: int, every: int, **given: Any) -> None:
    world.pipeline(every, **given).run(None, until=windows(at), progress=False)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("every", [1, 2])
def test_a_damaged_checkpoint_gives_way_to_the_one_before_it(every: int, how: str) -> None:
    """The plans since that one are spared for it; what was damaged is made again, beside."""
    world = HeardWorld(*TEXTS)
    _to(world, 6, every)
    older, newest = (window_id for window_id, _ in world.records())
    world.damage(newest, what=how)
    world.run(every)
    assert f"state load {older}" in world.heard
    world.is_right()


@pytest.mark.parametrize("how", HOW)
def test_a_damaged_checkpoint_is_saved_again_beside(how: str) -> None:
    """Without anything new: the window's state is durable again, in a second attempt."""
    world = HeardWorld(*TEXTS[:6])
    _to(world, 6, 2)
    world.damage(6, what=how)
    for _ in range(2):
        world.run(2)
        assert list(world.records()) == [(4, 0), (6, 0), (6, 1)]
    assert world.saved(6, 1) == by_hand(words(*TEXTS[:6]))[1]
    assert "state load 6" in world.heard


@pytest.mark.parametrize("how", HOW)
def test_with_all_damaged_and_all_plans_the_state_is_made_from_nothing(how: str) -> None:
    """Every window is run again, for the state alone."""
    world = HeardWorld(*TEXTS)
    _to(world, 6, 2, keep=100)
    for window_id in (2, 4, 6):
        world.damage(window_id, what=how)
    world.run(2, keep=100)
    assert "state load nothing" in world.heard
    assert [line for line in world.of("lines") if "read" in line] == [
        f"lines read {n}" for n in range(1, 9)
    ]
    world.is_right()


@pytest.mark.parametrize("how", HOW)
def test_with_both_damaged_and_plans_purged_the_start_is_refused(how: str) -> None:
    """Nothing is touched: neither checkpoints, nor log, nor sinks."""
    world = World(*TEXTS)
    _to(world, 6, 2)
    for window_id in (4, 6):
        world.damage(window_id, what=how)
    records, held = world.records(), world.held()
    for _ in range(2):
        with pytest.raises(StateLost) as raised:
            world.run(2)
        assert "that of window 4 " in str(raised.value)
        assert "that of window 6 " in str(raised.value)
    assert (world.records(), world.held()) == (records, held)


@pytest.mark.parametrize("keep", [0, 100])
def test_a_lost_folder_is_made_anew_where_all_plans_are_kept(keep: int) -> None:
    """Else it is StateLost; put back, it goes on."""
    world = HeardWorld(*TEXTS)
    _to(world, 6, 2, keep=keep)
    lost, world.storage = world.storage, MemoryStorage()
    if not keep:
        with pytest.raises(StateLost, match="there is no checkpoint of this log in memory:"):
            world.run(2)
        assert world.records() == {}
        world.storage = lost
    world.run(2, keep=keep)
    world.is_right()


def test_a_state_of_another_log_is_of_no_use() -> None:
    """Somebody has pointed the pipeline at the folder of another: its checkpoints are never
    looked at."""
    world, other = World(*TEXTS), World("x y z", "x")
    _to(world, 6, 2)
    other.run()
    ours, world.storage = world.storage, other.storage
    with pytest.raises(StateLost, match="there is no checkpoint of this log"):
        world.run(2)
    assert other.saved(2) == {"x": 2, "y": 1, "z": 1}
    world.storage = ours
    world.run(2)
    world.is_right()


def test_other_columns_are_made_from_nothing_where_all_plans_are_kept() -> None:
    """The state that was saved is left as it is until it is old."""
    world = World(*TEXTS)
    _to(world, 6, 2, keep=100)

    def transform(lines: Any, state: Any) -> Any:
        seen.append((lines.num_rows, state.frame.column_names))
        return lines, state.unchanged()

    seen: list[Any] = []
    made = world.pipeline(
        2, keep=100, transform=transform, state=world.state(schema="word string, n int")
    )
    made.preview(None)
    assert seen == [(2, ["word", "n"])]
    assert list(world.records()) == [(2, 0), (4, 0), (6, 0)]


def test_other_columns_are_refused_where_plans_are_purged() -> None:
    """With both kinds of columns in the message; put back, it goes on."""
    world = World(*TEXTS)
    _to(world, 6, 2)
    with pytest.raises(StateLost, match=r"has other columns: .*int64"):
        world.run(2, state=world.state(schema="word string, n int"))
    world.run(2)
    world.is_right()


def test_a_checkpoint_with_another_digest_is_not_of_this_log() -> None:
    """An older backup of the log and of the sinks was put back, and other windows came since: a
    state of what might have been is not used."""
    world = HeardWorld(*TEXTS)
    _to(world, 3, 1, keep=100)
    tree: Any = world.log
    backup = {place: dict(records) for place, records in tree._tree.items()}
    windows_held = {n: list(rows) for n, rows in world.stores["out"].windows.items()}
    memory = dict(world.stores["out"].memory)
    _to(world, 3, 1, keep=100)
    tree._tree.clear()
    tree._tree.update(backup)
    world.stores["out"].windows = windows_held
    world.stores["out"].memory = memory
    world.windows[3:] = words("z", "z z", "y", "!z")
    world.crash(7, every=10, keep=100)
    assert [window_id for window_id, _ in world.records()] == [1, 2, 3, 4, 5, 6]
    world.run(10, keep=100)
    assert "state load 3" in world.heard
    world.is_right()


def test_a_plan_that_is_damaged_behind_a_damaged_checkpoint_is_refused() -> None:
    """It is needed now: the start says so before anything is done, not the replay on its way."""
    world = HeardWorld(*TEXTS)
    _to(world, 6, 6, keep=100)
    world.damage(6)
    _damage_plan(world, 3)
    with pytest.raises(LogCorrupted, match="window 3, missing or damaged"):
        world.run(2, keep=100)
    assert "state load nothing" not in world.heard


def test_a_plan_that_is_damaged_and_not_needed_is_of_no_interest() -> None:
    """The checkpoint is past it."""
    world = HeardWorld(*TEXTS)
    _to(world, 6, 6, keep=100)
    _damage_plan(world, 3)
    world.run(2, keep=100)
    world.is_right()


@pytest.mark.parametrize("after", [3, 4, 5])
@pytest.mark.parametrize("how", [None, *HOW])
def test_a_state_that_a_person_has_emptied_grows_anew(after: int, how: str | None) -> None:
    """From that window on, also where the checkpoint that was made since is damaged; nothing older
    is used any more."""
    world = HeardWorld(*TEXTS)
    _to(world, after, 1, keep=100)
    _empty(world, after)
    _to(world, 2, 2 if after % 2 else 1, keep=100)
    newest = after + 2
    fresh = by_hand(words(*TEXTS[after:newest]))[1]
    assert world.saved(newest) == fresh
    if how is not None:
        for window_id in (after + 1, newest):
            if (window_id, 0) in world.records():
                world.damage(window_id, what=how if world.saved(window_id) else "record")
    world.run(1, keep=100)
    assert f"state load {newest if how is None else 'nothing'}" in world.heard
    assert world.saved(8) == by_hand(words(*TEXTS[after:]))[1]


@pytest.mark.parametrize("how", HOW)
def test_the_only_checkpoint_since_the_state_was_emptied_may_be_damaged(how: str) -> None:
    """The state grows from where it was emptied once more: the plans since are all kept."""
    world = HeardWorld(*TEXTS)
    _to(world, 2, 10)
    _to(world, 1, 10)
    world.storage = MemoryStorage()
    with pytest.raises(StateLost):
        world.run(10)
    _empty(world, 3)
    _to(world, 4, 10)
    assert list(world.records()) == [(7, 0)]
    world.damage(7, what=how)
    world.run(10)
    assert "state load nothing" in world.heard
    assert world.saved(8) == by_hand(words(*TEXTS[3:]))[1]


def _empty(world: World, window_id: int) -> None:
    """What `adopt --empty-state` leaves beside a plan."""
    log = WindowLog(world.log)
    log.open("counting", "a person")
    log.notes.adopt(Adoption(window_id, "state", InputIdentity("state", "empty"), None, "a test"))


def _damage_plan(world: World, window_id: int) -> None:
    place, name = world.log.within("windows"), naming.numbered(window_id)
    data = bytearray(place.read(name))
    data[len(data) // 2] ^= 1
    place.delete(name)
    place.create(name, bytes(data))
