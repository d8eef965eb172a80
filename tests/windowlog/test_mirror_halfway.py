"""Drivers that were killed, or paused, between two steps; and what then happens to others."""

from __future__ import annotations

import warnings

import pytest

from tests.windowlog.drafts import PIPELINE, draft
from tests.windowlog.mirrored import World, everything, windows
from windowed.testing.faulty import Fault
from windowlog.errors import Fenced, MirrorMismatch, MirrorNotAdopted, StorageFailed
from windowlog.log import WindowLog
from windowlog.storage import MirroredStorage


def _start(storage: MirroredStorage) -> WindowLog:
    log = WindowLog(storage)
    log.open(PIPELINE, "run-x")
    log.scan()
    storage.begin()
    log.create()
    return log


def _goes_on(world: World, away: int) -> bool:
    """A driver on machine two, for which the mirror goes away at that step: it counts window 3 of
    the log, or stops. Was there such a step?"""
    fault = Fault(away)
    storage = MirroredStorage(world.near("two"), fault.over(world.far), required=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            log = _start(storage)
            first = world.far.within("windows").read("000000000001.json")
            assert log.storage.within("windows").read("000000000001.json") == first
            assert log.append(draft(3, run_id="run-x")).id == 3
        except (StorageFailed, MirrorNotAdopted):
            assert 3 not in windows(world.near("two"))
    return fault.struck is not None


@pytest.mark.parametrize("killed", range(1, 40, 2))
def test_a_folder_that_was_filled_in_part_does_not_go_alone(killed: int) -> None:
    """`adopt --folder` is killed at one step or another; at the next start the mirror goes away at
    any step: the folder is believed when it has it all, and never before."""
    away = 0
    struck = True
    while struck:
        away += 1
        world = World(required=False)
        world.run(2)
        fault = Fault(killed, "after", crash=True)
        near, far = fault.over(world.near("two")), fault.over(world.far)
        with fault.suffered():
            MirroredStorage(near, far, required=False).pair.take_over()
        struck = _goes_on(world, away)
        assert [n for n in windows(world.near("two")) if n > 3] == []
        there = everything(world.far)
        here = everything(world.near("two"))
        assert {n: here[n] for n in here.keys() & there.keys()} == {
            n: there[n] for n in here.keys() & there.keys()
        }


def test_a_driver_that_was_paused_leaves_nothing_on_the_mirror() -> None:
    """It has its record here; then another folder is adopted."""
    world = World(required=False)
    world.run(1)
    log = world.driver()
    plans = log._windows.local  # type: ignore[attr-defined]
    created = plans.create

    def paused(name: str, data: bytes) -> None:
        created(name, data)
        world.storage("two").pair.take_over()

    plans.create = paused
    with pytest.raises(Fenced, match="pairing 2"):
        log.append(draft(2))
    assert (windows(world.near()), windows(world.far)) == ([1, 2], [1])
    assert world.run(3, "two").newest == 3


def test_a_late_record_is_moved_away() -> None:
    """It was paused after its look: its record is in the new driver's way, which is refused until
    it is moved."""
    world = World(required=False)
    world.run(1)
    log = world.driver()
    world.storage("two").pair.take_over()
    other = world.driver("two")
    world.far.within("windows").create("000000000002.json", b"as the paused driver has it")
    with pytest.raises(Fenced, match="pairing 2"):
        log.append(draft(2))
    name = r"record 000000000002\.json in memory:/far"
    with pytest.raises(MirrorMismatch, match=name):
        other.append(draft(2, run_id="run of two"))
    with pytest.raises(MirrorMismatch, match=name):
        world.driver("two")
    world.far.within("windows").delete("000000000002.json")
    assert world.driver("two").read(2).run_id == "run of two"
    assert world.run(3, "two").newest == 3
    assert windows(world.far) == [1, 2, 3]
