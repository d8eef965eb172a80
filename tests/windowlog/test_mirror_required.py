"""A log whose mirror is required: docs/mirror.md, the rows for `True`."""

from __future__ import annotations

import pytest

from tests.windowlog.drafts import PIPELINE, draft
from tests.windowlog.mirrored import Mounted, World, everything, windows
from windowed.testing.faulty import Fault
from windowlog.errors import Fenced, MirrorMismatch, PreviousFailure, StorageFailed
from windowlog.log import WindowLog
from windowlog.storage import MemoryStorage, MirroredStorage


@pytest.fixture
def world() -> World:
    """Machine one, its folder, and the mirror; nothing is there yet."""
    return World()


def test_both_sides_have_every_record(world: World) -> None:
    """Header, plans, mark and memory; byte for byte."""
    log = world.run(3)
    log.memory("lines").save(3, b"read so far")
    log.purge(3)
    near, far = world.sides()
    assert near == far
    assert {path.split("/")[0] for path in near} == {"headers", "windows", "marks", "inputs"}


def test_the_mirror_has_a_record_first(world: World) -> None:
    """A driver that dies between the two has it there only; the next start brings it here."""
    world.run(1)
    fault = Fault(1, "before", crash=True)
    storage = MirroredStorage(fault.over(world.near()), world.far)
    log = WindowLog(storage)
    fault.number = 0
    log.open(PIPELINE, "run-b")
    log.scan()
    storage.begin()
    fault.number = fault._count + 1
    with fault.suffered():
        log.append(draft(2))
    assert fault.struck is not None
    assert "create 000000000002.json in memory:/one" in fault.struck
    assert (windows(world.near()), windows(world.far)) == ([1], [1, 2])
    assert world.driver().newest == 2
    assert windows(world.near()) == [1, 2]


def test_of_two_machines_one_owns_a_window(world: World) -> None:
    """Each has a folder of its own; only the mirror can tell. The slower one is fenced, and has
    nothing of its own in its folder."""
    world.run(1)
    one, two = world.driver("one"), world.driver("two")
    two.append(draft(2, run_id="run of two"))
    with pytest.raises(Fenced):
        one.append(draft(2, run_id="run of one"))
    assert windows(world.near("one")) == [1]
    assert world.driver("one").read(2).run_id == "run of two"
    assert everything(world.near("one")) == everything(world.far)


def test_a_required_mirror_that_is_away_stops_the_run(world: World) -> None:
    """At a window and at a start; nothing is counted, and then it goes on."""
    log = world.run(1)
    world.switch[0] = True
    with pytest.raises(StorageFailed, match="far: no answer") as caught:
        log.append(draft(2))
    assert caught.value.passing
    with pytest.raises(StorageFailed):
        world.driver()
    assert windows(world.near()) == [1]
    world.switch[0] = False
    assert world.run(2).newest == 2


def test_a_lost_machine_is_nothing_to_a_required_mirror(world: World) -> None:
    """Everything that counted is there: the next machine goes on, and its folder is filled before
    anything else is done."""
    world.run(3).memory("lines").save(3, b"read so far")
    world.lose()
    log = world.driver()
    log.memory("lines").newest()
    assert log.newest == 3
    near, far = world.sides()
    assert near == far
    assert log.append(draft(4)).id == 4


def test_a_look_leaves_nothing_on_a_new_machine(world: World) -> None:
    """Before the start is decided its folder stays empty."""
    world.run(3)
    log = WindowLog(world.storage("two"))
    log.open(PIPELINE, "run of two")
    assert log.scan().newest == 3
    assert log.read(2).id == 2
    assert everything(world.near("two")) == {}
    assert world.near("two").within("pairings").list() == []


def test_an_empty_mirror_is_never_filled_by_itself(world: World) -> None:
    """It may be the wrong place, or not mounted. The error says how to fill it."""
    world.run(2)
    world.lose_mirror()
    with pytest.raises(MirrorMismatch, match="it is empty, not mounted") as caught:
        world.driver()
    assert caught.value.choices[0][1].endswith("adopt MODULE:PIPELINE --mirror")
    assert everything(world.far) == {}


def test_a_mirror_that_is_emptied_under_a_run_stops_it(world: World) -> None:
    """A mount that went away is not taken for a new mirror."""
    log = world.run(2)
    world.lose_mirror()
    log.storage.mirror._inner._inner = world.far  # type: ignore[attr-defined]
    with pytest.raises((MirrorMismatch, Fenced)):
        log.append(draft(3))


def test_a_mirror_that_lacks_windows_is_refused(world: World) -> None:
    """An older copy was put back: what counted would be planned a second time."""
    world.run(3)
    world.far.within("windows").delete("000000000003.json")
    with pytest.raises(MirrorMismatch, match="lacks records that counted"):
        world.driver()
    assert windows(world.near()) == [1, 2, 3]


def test_a_refilled_mirror_is_whole(world: World) -> None:
    """After `adopt --mirror`; the log goes on, and the old mirror belongs to it no more."""
    log = world.run(3)
    log.memory("lines").save(3, b"read so far")
    old = world.far
    world.lose_mirror()
    storage = world.storage()
    storage.within("inputs").within("lines")
    storage.pair.refill()
    near, far = world.sides()
    assert near == far
    assert "inputs/lines/000000000003.json" in far
    assert world.run(4).newest == 4
    world.far = old
    with pytest.raises(MirrorMismatch, match="of another log"):
        world.driver()


def test_another_machine_joins_a_refilled_mirror_with_an_empty_folder(world: World) -> None:
    """Its old one is of the mirror that was lost; the message says what to do with it."""
    world.run(2, "two")
    world.run(3, "one")
    world.lose_mirror()
    world.storage("one").pair.refill()
    with pytest.raises(MirrorMismatch, match="If it was filled anew, move memory:/two away"):
        world.driver("two")
    world.lose("two")
    assert world.run(4, "two").newest == 4


def test_a_mirror_gets_back_what_it_lacks(world: World) -> None:
    """`adopt --mirror` for an older copy of the mirror: the log is the same one."""
    world.run(3)
    world.far.within("windows").delete("000000000003.json")
    world.storage().pair.refill()
    assert windows(world.far) == [1, 2, 3]
    assert world.run(4).newest == 4


@pytest.mark.parametrize("moment", ["start", "append"])
def test_other_bytes_of_one_name_are_refused(world: World, moment: str) -> None:
    """Somebody put a folder back: nothing is overwritten, and nothing counts."""
    log = world.run(2)
    number = 2 if moment == "start" else 3
    name = f"{number:012d}.json"
    world.near().within("windows").delete(name)
    world.near().within("windows").create(name, b"of another history")
    storage = world.storage()
    for _ in range(2):
        with pytest.raises((MirrorMismatch, PreviousFailure), match=f"record {name} in memory:/.*"):
            storage.list() if moment == "start" else log.append(draft(3))
    assert world.near().within("windows").read(name) == b"of another history"


def test_a_stale_folder_gets_what_it_lacks(world: World) -> None:
    """Another machine has run and purged: here the old plans go, and the new ones come."""
    world.run(2, "one")
    world.run(5, "two").purge(4)
    assert windows(world.near("one")) == [1, 2]
    assert world.driver("one").newest == 5
    assert windows(world.near("one")) == [4, 5]
    assert everything(world.near("one")) == everything(world.far)


def test_the_mark_is_on_both_sides_before_plans_go(world: World) -> None:
    """Whichever side is looked at after a crash, what is missing lies below its mark."""
    world.run(4)
    for number in range(1, 200):
        fault = Fault(number, "before", crash=True)
        near, far = fault.over(world.near()), fault.over(world.far)
        storage = MirroredStorage(near, far)
        log = WindowLog(storage)
        with fault.suffered():
            log.open(PIPELINE, "run-b")
            log.scan()
            storage.begin()
            log.purge(4)
        for side in world.sides():
            kept = [int(path[8:20]) for path in side if path.startswith("windows")]
            mark = max([1, *(int(path[6:18]) for path in side if path.startswith("marks"))])
            assert [w for w in range(mark, 5) if w not in kept] == [], (fault.struck, side)
        if fault.struck is None:
            return
    pytest.fail("it never came to an end")


def test_a_fault_of_this_side_stops_the_log(world: World) -> None:
    """What it has of the record, only a new start can find out (I7)."""
    world.run(1)
    fault = Fault(0, "after")
    storage = MirroredStorage(fault.over(world.near()), world.far)
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    log.scan()
    storage.begin()
    fault.number = fault._count + 1
    with pytest.raises(StorageFailed):
        log.append(draft(2))
    with pytest.raises(PreviousFailure):
        log.append(draft(2))


@pytest.mark.parametrize("seen", [True, False], ids=["a start between", "no start between"])
def test_a_memory_whose_name_is_used_anew(world: World, seen: bool) -> None:
    """What an input remembered past the log's end is let go of on another machine (`reset`), and
    a later window of that number remembers something else: here, too, without a person."""
    world.run(2).memory("lines").save(3, b"of a log that was newer")
    two = world.run(3, "two").memory("lines")
    two.newest()
    two.forget([3])
    if seen:
        assert world.driver().memory("lines").newest() is None
    two.save(3, b"read so far")
    assert world.driver().memory("lines").newest() == (3, b"read so far")
    near, far = world.sides()
    assert near == far


def test_a_memory_that_is_damaged_on_the_mirror_replaces_nothing(world: World) -> None:
    """What is here may be the only whole one."""
    world.run(2).memory("lines").save(2, b"read so far")
    lines = world.far.within("inputs").within("lines")
    lines.delete("000000000002.json")
    lines.create("000000000002.json", b"half of it")
    with pytest.raises(MirrorMismatch, match=r"record 000000000002\.json"):
        world.driver().memory("lines").newest()
    assert world.run(2, "three").newest == 2
    assert b"read so far" in world.near().within("inputs").within("lines").read("000000000002.json")


def test_an_unmounted_mirror_removes_no_memory(world: World) -> None:
    """What looks as if all had been let go of is a mount point."""
    behind = [world.far]
    world.far = Mounted(behind)  # type: ignore[assignment]
    log = world.run(2)
    memory = log.memory("lines")
    memory.save(2, b"read so far")
    behind.append(MemoryStorage().within("far"))
    with pytest.raises(MirrorMismatch, match="not mounted"):
        memory.newest()
    assert "inputs/lines/000000000002.json" in everything(world.near())
