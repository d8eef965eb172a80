"""A log whose mirror is not required: docs/mirror.md, the rows for `False`."""

from __future__ import annotations

import warnings

import pytest

from tests.windowlog.drafts import PIPELINE, draft
from tests.windowlog.mirrored import World, everything, windows
from windowed.testing.crash import Crash
from windowed.testing.faulty import Fault
from windowlog.errors import (
    Fenced,
    MirrorAway,
    MirrorBack,
    MirrorMismatch,
    MirrorNotAdopted,
    StorageFailed,
)
from windowlog.log import WindowLog
from windowlog.storage import MirroredStorage
from windowlog.storage.absence import RETRY_S


@pytest.fixture
def world() -> World:
    """Machine one, its folder, and a mirror that may be away; nothing is there yet."""
    return World(required=False)


def _alone(world: World, last: int) -> WindowLog:
    """One window on both sides; then the mirror is away, and windows up to `last` count here."""
    log = world.run(1)
    world.switch[0] = True
    with pytest.warns(MirrorAway):
        log.append(draft(2))
    for window_id in range(3, last + 1):
        log.append(draft(window_id))
    return log


def test_the_local_side_has_a_record_first(world: World) -> None:
    """A driver that dies between the two has it here only."""
    world.run(1)
    fault = Fault(0, "before", crash=True)
    storage = MirroredStorage(world.near(), fault.over(world.far), required=False)
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    log.scan()
    storage.begin()
    fault.number = fault._count + 1
    with pytest.raises(Crash):
        log.append(draft(2))
    assert (windows(world.near()), windows(world.far)) == ([1, 2], [1])


def test_a_tail_is_offered(world: World) -> None:
    """At the next start that sees the mirror, oldest first: also a record that the mirror had, and
    lost."""
    _alone(world, 4)
    assert (windows(world.near()), windows(world.far)) == ([1, 2, 3, 4], [1])
    world.switch[0] = False
    assert world.driver().newest == 4
    near, far = world.sides()
    assert near == far
    world.far.within("windows").delete("000000000003.json")
    world.driver()
    assert windows(world.far) == [1, 2, 3, 4]


def test_an_optional_mirror_may_be_away(world: World) -> None:
    """It is said once; nothing is deleted meanwhile, not even below the mark."""
    log = _alone(world, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        log.purge(40)
        log.append(draft(41))
    assert (log.low_water_mark(), windows(world.far)) == (40, [1])
    assert windows(world.near()) == list(range(1, 42))
    with pytest.raises(StorageFailed, match="it is away"):
        log.storage.within("windows").delete("000000000001.json")


def test_a_start_without_an_optional_mirror(world: World) -> None:
    """It goes on in the folder that the pairing names; the very first start needs the mirror."""
    world.switch[0] = True
    with pytest.raises(StorageFailed):
        world.driver()
    world.switch[0] = False
    world.run(1)
    world.switch[0] = True
    with pytest.warns(MirrorAway, match="windows count in memory:/one alone until it is back"):
        log = world.driver()
    assert log.append(draft(2)).id == 2
    with pytest.raises(StorageFailed):
        world.driver("two")


def test_a_mirror_that_comes_back_is_brought_level(world: World) -> None:
    """It is asked again after a minute, not before; then it has what it lacked, and the purge goes
    on."""
    log = _alone(world, 4)
    log.purge(3)
    world.switch[0] = False
    log.append(draft(5))
    assert windows(world.far) == [1]
    world.now_s = RETRY_S
    with pytest.warns(MirrorBack):
        log.append(draft(6))
    assert windows(world.far) == [1, 2, 3, 4, 5, 6]
    world.driver().purge(5)
    near, far = world.sides()
    assert near == far
    assert windows(world.far) == [5, 6]


def test_a_mirror_that_fails_again_is_not_waited_for(world: World) -> None:
    """A second look that took long puts off the third: an outage costs a tenth of the time."""
    log = _alone(world, 2)
    world.now_s = RETRY_S
    log.append(draft(3))
    world.switch[0] = False
    world.now_s = 2 * RETRY_S - 1
    log.append(draft(4))
    assert windows(world.far) == [1]


def test_a_mirror_that_comes_back_with_another_owner_fences(world: World) -> None:
    """Machine two was adopted while one was cut off: one is stopped, and what it counted alone is
    debris in its folder."""
    log = _alone(world, 3)
    world.switch[0] = False
    world.storage("two").pair.take_over()
    world.run(2, "two")
    world.now_s = RETRY_S
    with pytest.raises(Fenced, match="pairing 2"):
        log.append(draft(4))
    assert world.driver("two").read(2).run_id == "run of two"
    with pytest.raises(MirrorMismatch, match="in another folder, memory:/two"):
        world.driver("one")
    assert windows(world.near("one")) == [1, 2, 3]


@pytest.mark.parametrize("logged", [1, 2])
def test_an_owner_that_sees_the_mirror_is_fenced_at_once(world: World, logged: int) -> None:
    """A creation is followed by a look at the pairings; also where the other one has logged that
    window already."""
    log = world.run(1)
    world.storage("two").pair.take_over()
    world.run(logged, "two")
    with pytest.raises(Fenced, match="pairing 2"):
        log.append(draft(2))


def test_a_lost_machine_and_an_optional_mirror(world: World) -> None:
    """It may have counted what the mirror lacks: another one goes on when a person says so."""
    _alone(world, 3)
    world.switch[0] = False
    world.lose()
    with pytest.raises(MirrorNotAdopted, match="belongs to the folder memory:/one") as caught:
        world.driver("two")
    assert caught.value.choices[1][1].endswith("adopt MODULE:PIPELINE --folder")
    assert everything(world.near("two")) == {}
    world.storage("two").pair.take_over()
    log = world.driver("two")
    assert log.newest == 1
    assert everything(world.near("two")) == everything(world.far)


def test_one_folder_has_one_owner_of_a_window_whoever_sees_the_mirror(world: World) -> None:
    """Two drivers of one machine: one took the mirror for away, and counts alone."""
    alone = _alone(world, 2)
    world.switch[0] = False
    other = world.driver(run_id="run-b")
    assert other.newest == 2
    alone.append(draft(3))
    with pytest.raises(Fenced):
        other.append(draft(3, run_id="run-b"))
    assert world.driver().read(3).run_id == "run-a"
    assert windows(world.far) == [1, 2, 3]


def test_a_tail_ends_where_another_record_stands(world: World) -> None:
    """The mirror's record wins; nothing of ours is put behind it."""
    _alone(world, 4)
    world.switch[0] = False
    world.far.within("windows").create("000000000002.json", b"of another history")
    with pytest.raises(MirrorMismatch, match=r"record 000000000002\.json"):
        world.driver()
    assert windows(world.far) == [1, 2]


def test_an_error_of_this_side_is_no_outage(world: World) -> None:
    """A full local disk stops the run, as ever."""
    world.run(1)
    fault = Fault(0)
    storage = MirroredStorage(fault.over(world.near()), world.far, required=False)
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    log.scan()
    storage.begin()
    fault.number = fault._count + 1
    with pytest.raises(StorageFailed):
        log.append(draft(2))
    assert storage.pair.away is None


def test_an_empty_mirror_is_never_taken_for_one_that_is_away(world: World) -> None:
    """A mount that is not mounted: refused, also here."""
    world.run(1)
    world.lose_mirror()
    with pytest.raises(MirrorMismatch, match="not mounted"):
        world.driver()
