"""Plans that are purged may be deleted a few at a time: what is left is debris, and goes later."""

from __future__ import annotations

import pytest

from tests.windowlog.drafts import begun, draft, opened, records
from windowed.testing.faulty import every_fault
from windowlog.contracts import Storage
from windowlog.errors import PreviousFailure, StorageFailed
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Skip


@pytest.fixture
def storage() -> MemoryStorage:
    """An empty place."""
    return MemoryStorage()


def _windows(storage: MemoryStorage) -> list[int]:
    return [int(name.partition(".")[0]) for name in storage.within("windows").list()]


def test_a_purge_may_leave_deletions_for_later(storage: MemoryStorage) -> None:
    """The oldest go first; the mark is where it belongs at once."""
    log = begun(storage, 6)
    assert log.purge(5, 1) == 1
    assert _windows(storage) == [2, 3, 4, 5, 6]
    assert log.low_water_mark() == 5
    assert log.sweep(2) == 2
    assert _windows(storage) == [4, 5, 6]
    assert [log.sweep(2), log.sweep(2)] == [1, 0]
    assert _windows(storage) == [5, 6]


def test_what_is_not_swept_yet_is_not_believed(storage: MemoryStorage) -> None:
    """By nobody: it lies below the mark (I8)."""
    begun(storage, 5).purge(4, 0)
    state = opened(storage).scan()
    assert (state.oldest, state.newest, state.damaged) == (4, 5, ())


def test_the_next_driver_sweeps_what_a_dead_one_left(storage: MemoryStorage) -> None:
    """Without a purge of its own, and once only, however often it looks."""
    begun(storage, 5).purge(4, 1)
    log = opened(storage)
    log.scan()
    assert [log.sweep(), log.sweep()] == [2, 0]
    assert _windows(storage) == [4, 5]


def test_two_purges_leave_their_debris_in_order(storage: MemoryStorage) -> None:
    """The second does not wait for the first one's sweeps."""
    log = begun(storage, 6)
    log.purge(3, 0)
    log.purge(5, 0)
    assert log.sweep(3) == 3
    assert _windows(storage) == [4, 5, 6]


def test_skips_stay_until_the_last_plan_is_gone(storage: MemoryStorage) -> None:
    """A plan that can still be read has its skips."""
    log = begun(storage, 4)
    log.notes.skip(Skip(2, "lines", "in.txt", "1 line", "lost"))
    log.purge(3, 1)
    assert "skips/000000000002.1.json" in records(storage)
    log.sweep(1)
    assert "skips/000000000002.1.json" not in records(storage)


def test_a_failed_log_sweeps_nothing(
    storage: MemoryStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failure it must be opened anew (I7)."""
    log = begun(storage, 5)
    log.purge(4, 1)
    with monkeypatch.context() as patch:
        patch.setattr(MemoryStorage, "create", _fails)
        with pytest.raises(StorageFailed):
            log.append(draft(6))
    with pytest.raises(PreviousFailure):
        log.sweep()
    assert _windows(storage) == [2, 3, 4, 5]


def _fails(*_: object) -> None:
    raise StorageFailed(where="memory", reason="the disk is full", remedy="Make room.")


def test_any_operation_may_fail_and_nothing_is_left_behind() -> None:
    """After one more purge neither plan nor skip is below the mark, wherever the driver died."""
    for fault in every_fault():
        place = MemoryStorage()
        with fault.suffered():
            _story(fault.over(place))
        _story(place)
        log = opened(place)
        log.append(draft(5))
        log.purge(5)
        assert _windows(place) == [5]
        assert place.within("skips").list() == []


def _story(storage: Storage) -> None:
    log = opened(storage)
    log.create()
    while log.newest < 4:
        log.append(draft(log.newest + 1))
        if log.newest < 4:
            log.notes.skip(Skip(log.newest, "lines", "in.txt", "1 line", "lost"))
        log.purge(log.newest - 1, 1)
        log.sweep(1)
    log.purge(4)
