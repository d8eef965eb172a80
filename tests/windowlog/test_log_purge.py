"""Purge and the low-water mark: below it nothing is believed; the newest plan stays."""

from __future__ import annotations

import pytest

from tests.windowlog.drafts import PIPELINE, begun, draft, opened, records, tear
from windowed.testing.faulty import Fault, every_fault
from windowed.testing.forgetful import ForgetfulStorage
from windowlog.errors import Fenced, RecordNotFound
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Plan, Skip
from windowlog.wiring import Adoption


@pytest.fixture
def storage() -> MemoryStorage:
    """An empty place."""
    return MemoryStorage()


def _windows(storage: MemoryStorage) -> list[str]:
    return storage.within("windows").list()


def test_purge_lets_go_of_the_plans_below_its_floor(storage: MemoryStorage) -> None:
    """It says how many; the floor itself and what comes after it stay (I5)."""
    log = begun(storage, 5)
    assert log.purge(4) == 3
    assert _windows(storage) == ["000000000004.json", "000000000005.json"]
    assert storage.within("marks").list() == ["000000000004.json"]
    with pytest.raises(RecordNotFound):
        log.read(3)
    assert log.append(draft(6)).id == 6


def test_the_newest_plan_is_never_purged(storage: MemoryStorage) -> None:
    """Whatever the floor."""
    begun(storage, 3).purge(99)
    assert _windows(storage) == ["000000000003.json"]
    log = opened(storage)
    assert (log.newest, log.low_water_mark()) == (3, 3)


def test_a_purge_to_a_floor_that_was_reached_does_nothing(storage: MemoryStorage) -> None:
    """No record comes or goes."""
    log = begun(storage, 5)
    log.purge(3)
    before = records(storage)
    assert [log.purge(3), log.purge(2), log.purge(0)] == [0, 0, 0]
    assert records(storage) == before


def test_a_purge_to_the_first_window_leaves_no_mark(storage: MemoryStorage) -> None:
    """Nothing lies below it."""
    log = begun(storage, 2)
    before = records(storage)
    assert log.purge(1) == 0
    assert records(storage) == before


def test_an_empty_log_has_nothing_to_purge(storage: MemoryStorage) -> None:
    """Before its first window."""
    assert opened(storage).purge(0) == 0
    assert records(storage) == {}


def test_a_mark_lets_go_of_the_one_before_it(storage: MemoryStorage) -> None:
    """So that finding the newest one costs a small listing."""
    log = begun(storage, 5)
    for floor in (2, 3, 5):
        log.purge(floor)
        assert storage.within("marks").list() == [f"{floor:012d}.json"]


def test_a_second_purge_to_the_same_mark_leaves_it(storage: MemoryStorage) -> None:
    """By another driver that has not seen the first."""
    first, second = begun(storage, 3), opened(storage)
    first.purge(3)
    second.purge(3)
    assert storage.within("marks").list() == ["000000000003.json"]


def test_a_driver_whose_floor_is_below_anothers_mark_is_fenced(storage: MemoryStorage) -> None:
    """The other one is further."""
    first, second = begun(storage, 5), opened(storage)
    first.purge(5)
    with pytest.raises(Fenced, match="already 5, past 3"):
        second.purge(3)


def test_below_the_mark_nothing_is_believed(storage: MemoryStorage) -> None:
    """Debris of a purge that was interrupted, or of a zombie; the next purge takes it away."""
    begun(storage, 5).purge(4)
    storage.within("windows").create("000000000002.json", b"debris")
    log = opened(storage)
    state = log.scan()
    assert (state.oldest, state.newest, state.damaged) == (4, 5, ())
    assert log.purge(4) == 1
    assert _windows(storage) == ["000000000004.json", "000000000005.json"]


def test_a_zombies_append_below_the_mark_is_fenced_and_its_record_stays(
    storage: MemoryStorage,
) -> None:
    """Others may have seen it, so it is not withdrawn; it is debris."""
    zombie = begun(storage, 1)
    begun(storage, 4, run_id="run-b").purge(4)
    with pytest.raises(Fenced, match="mark has moved to 4, past our window 2"):
        zombie.append(draft(2))
    assert "000000000002.json" in _windows(storage)
    assert opened(storage).scan().newest == 4


def test_a_plan_that_was_purged_while_it_was_read_is_another_drivers(
    storage: MemoryStorage,
) -> None:
    """Whether its bytes are still there or not: below the mark a record is not ours."""
    reader = begun(storage, 4)
    log = opened(storage)
    log.mark(3)
    with pytest.raises(Fenced, match="past our window 2"):
        reader.read(2)
    log.purge(4)
    with pytest.raises(Fenced, match="past our window 3"):
        reader.read(3)


@pytest.mark.parametrize("verb", ["list", "read"])
def test_a_plan_whose_skips_are_purged_while_they_are_read_is_another_drivers(
    storage: MemoryStorage, verb: str
) -> None:
    """It is not read as if nothing had been skipped, and a note that is gone is not missing."""
    log = begun(storage, 3)
    log.notes.skip(Skip(2, "lines", "in.txt", "1 line", "lost"))
    reader = opened(storage)
    reader.scan()
    skips = reader.notes._skips
    unspoilt = getattr(skips, verb)

    def purged_first(*names: str) -> object:
        opened_and_scanned = opened(storage)
        opened_and_scanned.scan()
        opened_and_scanned.purge(3)
        return unspoilt(*names)

    setattr(skips, verb, purged_first)
    with pytest.raises(Fenced, match="mark has moved to 3, past our window 2"):
        reader.read(2)


def test_a_decision_that_is_purged_while_it_is_read_is_another_drivers(
    storage: MemoryStorage,
) -> None:
    """The plan was read a moment before; that its note is gone now is no damage."""
    log = begun(storage, 3)
    log.notes.adopt(Adoption(2, "lines", None, 7, "moved"))
    reader = opened(storage)
    reader.scan()
    rest = reader.plans_after("lines", 1)
    assert next(rest)[0] == 2
    notes = reader.notes._adoptions
    unspoilt = notes.read

    def purged_first(name: str) -> bytes:
        log.purge(3)
        return unspoilt(name)

    notes.read = purged_first  # type: ignore[method-assign]
    with pytest.raises(Fenced, match="mark has moved to 3, past our window 2"):
        next(rest)


def test_skips_and_adoptions_go_with_their_plans(storage: MemoryStorage) -> None:
    """Those beside kept plans stay."""
    log = begun(storage, 4)
    for window_id in (2, 3):
        log.notes.skip(Skip(window_id, "lines", "in.txt", "1 line", "lost"))
        log.notes.adopt(Adoption(window_id, "lines", None, 7, "moved"))
    log.purge(3)
    kept = [name for name in records(storage) if name.startswith(("skips", "adoptions"))]
    assert kept == ["skips/000000000003.1.json", "adoptions/000000000003.1.json"]


def test_all_attempts_at_a_window_go_with_it(storage: MemoryStorage) -> None:
    """The torn ones too."""
    begun(storage, 2)
    tear(storage, "000000000002.json")
    log = opened(storage)
    log.append(draft(2))
    log.append(draft(3))
    log.purge(3)
    assert _windows(storage) == ["000000000003.json"]


def test_a_mark_without_its_plan_is_damage(storage: MemoryStorage) -> None:
    """Purge spares the newest plan, so some plan must be there."""
    begun(storage, 3).purge(3)
    storage.within("windows").delete("000000000003.json")
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    state = log.scan()
    assert (state.newest, state.damaged) == (2, (3,))


def test_plans_come_back_from_the_mark_on(storage: MemoryStorage) -> None:
    """plans_after: oldest first, each once; an input asks for those it has not folded."""
    log = begun(storage, 5)
    log.purge(3)
    assert [(n, plan.end) for n, plan in log.plans_after("lines", 0)] == [(3, 3), (4, 4), (5, 5)]
    assert [n for n, _ in log.plans_after("lines", 4)] == [5]
    assert list(log.plans_after("lines", 5)) == []
    assert list(log.plans_after("another", 0)) == []


def test_a_reset_comes_after_the_plan_it_stands_beside(storage: MemoryStorage) -> None:
    """As an empty plan with the window's own id; those beside the folded window come first."""
    log = begun(storage, 3)
    for window_id, end in ((1, 10), (2, 20), (2, 21), (3, 30)):
        log.notes.adopt(Adoption(window_id, "lines", None, end, "reset"))
    log.notes.adopt(Adoption(3, "others", None, 99, "not ours"))
    ends = [(n, plan.end, plan.empty) for n, plan in log.plans_after("lines", 2)]
    assert ends == [(2, 20, True), (2, 21, True), (3, 3, False), (3, 30, True)]


def test_a_renewed_log_begins_with_the_positions_of_its_header(storage: MemoryStorage) -> None:
    """Numbers go on: no window number is ever used twice."""
    begun(storage, 3)
    log = opened(storage)
    renewed = log.renew(PIPELINE, "run-a", 8, {"lines": 70})
    log.create()
    log = opened(storage)
    assert (log.header.log_id, log.header.digest) == (renewed.log_id, renewed.digest)
    assert (log.header.first, log.newest, log.begun) == (8, 7, False)
    assert list(log.plans_after("lines", 7)) == [(7, Plan((), 70))]
    assert list(log.plans_after("others", 7)) == []
    assert list(log.plans_after("lines", 8)) == []
    assert log.append(draft(8)).previous == log.header.digest


def _story(storage: MemoryStorage | ForgetfulStorage, fault: Fault) -> None:
    """What a driver does to a log: begin, append, purge, append."""
    log = opened(fault.over(storage))
    log.create()
    while log.newest < 4:
        log.append(draft(log.newest + 1))
        log.purge(log.newest - 1)
    log.purge(3)


def test_any_operation_may_fail_and_the_next_start_goes_on() -> None:
    """Each operation in turn, as an error and as a crash, before and after it took effect."""
    for fault in every_fault():
        place = MemoryStorage()
        with fault.suffered():
            _story(place, fault)
        _story(place, Fault(0))
        assert _windows(place) == ["000000000003.json", "000000000004.json"], fault.struck
        assert opened(place).read(4).plans == draft(4).plans, fault.struck


def test_any_operation_may_be_the_last_one_before_a_power_cut() -> None:
    """What was not durable is lost, and no window that a driver had in hand is."""
    for fault in every_fault("before", "midway", "after"):
        place = ForgetfulStorage()
        with fault.suffered():
            _story(place, fault)
        place.power_loss()
        _story(place, Fault(0))
        log = opened(place)
        assert (log.newest, log.read(4).plans) == (4, draft(4).plans), fault.struck
