"""WindowLog: a window is fixed once and for ever, and what a driver left is understood."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.windowlog.drafts import NOON, PIPELINE, at, begun, draft, opened, records
from windowlog import codec
from windowlog import log as log_module
from windowlog.errors import (
    Fenced,
    PlanTooLarge,
    WrongPipeline,
)
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Skip


@pytest.fixture
def storage() -> MemoryStorage:
    """An empty place."""
    return MemoryStorage()


def test_opening_a_log_that_is_not_there_creates_nothing(storage: MemoryStorage) -> None:
    """A refusal must leave nothing behind: the id is in memory only."""
    log = opened(storage)
    assert (log.header.exists, log.begun, log.newest, records(storage)) == (False, False, 0, {})


def test_each_new_log_has_an_id_of_its_own(storage: MemoryStorage) -> None:
    """So sinks of a deleted log are known to belong to another one."""
    ids = {opened(MemoryStorage()).header.log_id for _ in range(3)}
    assert len(ids) == 3


def test_the_first_window_is_written_after_its_header(storage: MemoryStorage) -> None:
    """Both in folders of their own, under numbers that a listing sorts."""
    begun(storage, 1)
    assert list(records(storage)) == ["headers/000000000001.json", "windows/000000000001.json"]


def test_a_window_comes_back_as_it_was_appended(storage: MemoryStorage) -> None:
    """Plans, wiring, run and time; from the log that wrote it, and from another one."""
    log = begun(storage, 1)
    window, again = log.read(1), opened(storage).read(1)
    assert window == again
    wanted = draft(1)
    assert (window.id, window.plans, window.planned_at) == (1, wanted.plans, wanted.planned_at)
    assert (window.inputs, window.sinks) == (wanted.inputs, wanted.sinks)
    assert (window.run_id, window.log_id) == ("run-a", log.header.log_id)
    assert window.positions == {"lines": 1}


def test_append_returns_what_read_returns(storage: MemoryStorage) -> None:
    """Sinks see the same window in the run that planned it and in a replay."""
    log = opened(storage)
    log.create()
    assert log.append(draft(1)) == opened(storage).read(1)


def test_each_window_holds_the_digest_of_the_one_before(storage: MemoryStorage) -> None:
    """The first one the header's: SHA-256 over the stored bytes."""
    begun(storage, 3)
    stored = records(storage)
    before = stored["headers/000000000001.json"]
    for window_id in (1, 2, 3):
        assert opened(storage).read(window_id).previous == codec.digest(before)
        before = stored[f"windows/{window_id:012d}.json"]


def test_time_never_goes_back_from_window_to_window(storage: MemoryStorage) -> None:
    """A clock that was set back is clamped to the window before."""
    log = begun(storage, 1)
    early = log.append(draft(2, planned_at=NOON - timedelta(days=1)))
    later = opened(storage).append(draft(3, planned_at=NOON + timedelta(seconds=9)))
    assert (at(early), at(later)) == (1.0, 9.0)


def test_a_log_has_begun_with_its_first_window(storage: MemoryStorage) -> None:
    """Its header alone is no beginning."""
    log = begun(storage, 0)
    assert (log.header.exists, log.begun) == (True, False)
    log.append(draft(1))
    assert log.begun


def test_a_reopened_log_goes_on_where_it_ended(storage: MemoryStorage) -> None:
    """After any number of windows."""
    for count in (1, 2, 5):
        begun(storage, count)
        assert opened(storage).newest == count
    assert opened(storage).read(5).plans == draft(5).plans


def test_a_log_of_another_pipeline_is_refused(storage: MemoryStorage) -> None:
    """By name, and nothing is changed."""
    begun(storage, 1)
    before = records(storage)
    with pytest.raises(WrongPipeline, match=r"'counts'.*'other'"):
        opened(storage, pipeline="other")
    assert records(storage) == before


def test_two_drivers_cannot_both_begin_a_log(storage: MemoryStorage) -> None:
    """The second one's header is refused by the storage: Fenced."""
    first, second = opened(storage), opened(storage, run_id="run-b")
    first.create()
    with pytest.raises(Fenced, match=r"000000000001\.json"):
        second.create()
    first.create()
    assert (first.header.exists, first.overtaken(), second.overtaken()) == (True, False, True)
    assert first.append(draft(1)).id == 1


def test_two_drivers_cannot_both_own_a_window(storage: MemoryStorage) -> None:
    """The one that comes second is fenced, and the first one's plan stands."""
    first = begun(storage, 1)
    second = opened(storage, run_id="run-b")
    first.append(draft(2))
    with pytest.raises(Fenced):
        second.append(draft(2, run_id="run-b"))
    assert opened(storage).read(2).run_id == "run-a"


def test_a_lost_reply_to_our_own_append_is_no_fence(storage: MemoryStorage) -> None:
    """The record that is there has our very bytes."""
    log = begun(storage, 1)
    twin = opened(storage)
    twin.append(draft(2))
    assert log.append(draft(2)).id == 2


def test_a_plan_that_is_too_large_logs_nothing(
    storage: MemoryStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the log can be used further: a smaller plan is taken."""
    log = begun(storage, 1)
    before = records(storage)
    size = len(before["windows/000000000001.json"])
    with monkeypatch.context() as patch:
        patch.setattr(log_module, "RECORD_BYTES_MAX", size - 1)
        with pytest.raises(PlanTooLarge, match=f"window 2 takes {size} bytes"):
            log.append(draft(2))
        assert records(storage) == before
        patch.setattr(log_module, "RECORD_BYTES_MAX", size)
        assert log.append(draft(2)).id == 2


def test_a_record_may_have_64_mib() -> None:
    """As docs/log_format.md says."""
    assert log_module.RECORD_BYTES_MAX == 67_108_864


def test_skips_come_with_the_window_they_stand_beside(storage: MemoryStorage) -> None:
    """Plan n itself does not change: its bytes and digest stay."""
    log = begun(storage, 2)
    digest = log.read(2).digest
    recorded = log.notes.skip(Skip(2, "lines", "in.txt", "1 line", "deleted by mistake"))
    assert recorded.number == 1
    window = opened(storage).read(2)
    assert (window.skips, window.digest) == ((recorded,), digest)
    assert opened(storage).read(1).skips == ()


def test_nothing_can_be_done_before_a_scan(storage: MemoryStorage) -> None:
    """A mistake in the kit, not in the world."""
    log = WindowLog(storage)
    with pytest.raises(AssertionError, match="open"):
        log.header  # noqa: B018 (the property is what is asked)
    log.open(PIPELINE, "run-a")
    with pytest.raises(AssertionError, match="scan"):
        log.newest  # noqa: B018 (the property is what is asked)


def test_a_log_in_memory_lives_as_long_as_its_object() -> None:
    """For unit tests: opened again it goes on, inputs' memory too."""
    log = WindowLog.in_memory()
    log.open(PIPELINE, "run-a")
    log.scan()
    log.create()
    log.append(draft(1))
    log.memory("lines").save(1, b"one")
    log.close()
    log.open(PIPELINE, "run-b")
    assert log.scan().newest == 1
    assert log.memory("lines").newest() == (1, b"one")
    assert log.describe() == "memory:"


def test_a_closed_log_must_be_opened_anew(storage: MemoryStorage) -> None:
    """And then goes on."""
    log = begun(storage, 1)
    closed: list[bool] = []
    storage.close = lambda: closed.append(True)  # type: ignore[method-assign]
    log.close()
    assert closed, "what the storage holds is released"
    with pytest.raises(AssertionError):
        log.append(draft(2))
    log.open(PIPELINE, "run-a")
    log.scan()
    assert log.append(draft(2)).id == 2
