"""One fault at every operation on the log's storage and the state's, and power cuts: after a new
start sinks and state are what was counted by hand."""

from __future__ import annotations

import random
from itertools import count
from typing import Any

import pytest

import windowed.loop as loop_module
from tests.windowed.state.world import World
from windowed.testing.faulty import Fault, every_fault
from windowed.testing.forgetful import ForgetfulStorage, History, oldest
from windowed.testing.storage_state import StorageState
from windowlog.log import WindowLog

# Between them all that there is: rows, none, unchanged, a delete, and back to empty.
TEXTS = ("a b", "", "!a b", "!b")


@pytest.fixture(autouse=True)
def _purging(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each window, so that purging is among what goes wrong."""
    monkeypatch.setattr(loop_module, "PURGE_EVERY", 1)


def _disturbed(world: World, fault: Fault, every: int) -> None:
    """A run over both storages with one fault in them."""
    faulty = StorageState("word string, n bigint", key=["word"], storage=fault.over(world.storage))
    with fault.suffered():
        world.run(every, log=WindowLog(fault.over(world.log)), state=faulty)


@pytest.mark.parametrize("every", [1, 2, 3])
def test_a_fault_at_every_operation_is_healed_by_the_next_start(every: int) -> None:
    """Errors and crashes, before and after; more comes in, and the run after that is well too."""
    tried = 0
    for fault in every_fault():
        world = World(*TEXTS)
        _disturbed(world, fault, every)
        world.run(every)
        world.is_right()
        world.add("a", "c")
        world.run(every)
        world.is_right()
        tried += 1
    assert tried > 200


@pytest.mark.parametrize("every", [1, 2])
def test_a_fault_at_every_operation_of_a_replay_is_healed(every: int) -> None:
    """The start goes on from a checkpoint, and has windows to replay."""
    for fault in every_fault():
        world = World(*TEXTS, *TEXTS)
        world.crash(8, every)
        _disturbed(world, fault, every)
        world.run(every)
        world.is_right()


@pytest.mark.parametrize("every", [1, 2])
def test_a_power_cut_at_every_operation_loses_nothing(every: int) -> None:
    """In the middle of it: all that is not durable is lost, or any part of it. The state and the
    log are on two disks."""
    some = random.Random(every).choice
    for picked in (oldest, lambda _, history: some(list(history))):
        for number in count(1):
            fault = Fault(number, "midway", crash=True)
            disks = ForgetfulStorage(), ForgetfulStorage()
            world = World(*TEXTS, storage=disks[0], log=disks[1])
            world.crash(2, every)
            _disturbed(world, fault, every)
            if fault.struck is None:
                break
            for disk in disks:
                disk.power_loss(picked)
            world.run(every)
            world.is_right()
        assert number > 50


@pytest.mark.parametrize("every", [1, 2, 3])
def test_power_cuts_after_a_clean_end_lose_nothing(every: int) -> None:
    """What was let go of may be back, in part: it is not used, and goes again."""
    for seed in range(20):
        source = random.Random(seed)
        disks = ForgetfulStorage(), ForgetfulStorage()
        world = World(storage=disks[0], log=disks[1])

        def any_of(_: str, history: History, choose: Any = source.choice) -> bytes | None:
            chosen: bytes | None = choose(list(history))
            return chosen

        for number in range(6):
            world.add(*source.choices(TEXTS, k=3))
            world.run(every)
            for disk in disks:
                disk.power_loss(any_of)
            world.is_right()
            if number % 2:
                world.damage(max(world.records())[0], max(world.records())[1])
        world.run(every)
        world.is_right()


def test_rows_that_come_back_go_again() -> None:
    """A power cut undoes deletions: of records none, before their rows are removed; of rows some,
    which no record names."""
    disk = ForgetfulStorage()
    world = World(*"abcdef", storage=disk)
    world.run(1)
    assert len(world.staged()) == 2
    disk.power_loss(oldest)
    assert [window_id for window_id, _ in world.records()] == [5, 6]
    assert len(world.staged()) > 2
    world.add("a")
    world.run(1)
    world.is_right()
    assert (len(world.records()), len(world.staged())) == (2, 2)
