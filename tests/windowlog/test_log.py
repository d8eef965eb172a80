"""WindowLog: a window is fixed once and for ever, and what a driver left is understood."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.windowlog.drafts import NOON, PIPELINE, at, begun, draft, opened, records, tear
from windowed.testing.faulty import Fault, Moment
from windowlog import codec, naming
from windowlog import log as log_module
from windowlog.errors import (
    Fenced,
    LogUnusable,
    NewerFormat,
    PlanTooLarge,
    PreviousFailure,
    RecordNotFound,
    RecordTorn,
    StorageFailed,
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


def test_windows_without_a_header_are_refused(storage: MemoryStorage) -> None:
    """It was deleted: which log this was cannot be known."""
    begun(storage, 1)
    storage.within("headers").delete("000000000001.json")
    with pytest.raises(LogUnusable, match="header is missing"):
        opened(storage)


def test_windows_whose_header_came_since_are_another_drivers(storage: MemoryStorage) -> None:
    """It began the log between our look for a header and our listing."""
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    begun(storage, 1)
    assert log.overtaken()
    with pytest.raises(Fenced, match="begun the log"):
        log.scan()


def test_a_torn_header_is_refused(storage: MemoryStorage) -> None:
    """With what to restore."""
    begun(storage, 1)
    tear(storage, "000000000001.json", "headers")
    with pytest.raises(LogUnusable, match="Restore the folder headers"):
        opened(storage)


def test_two_drivers_cannot_both_begin_a_log(storage: MemoryStorage) -> None:
    """The second one's header is refused by the storage: Fenced."""
    first, second = opened(storage), opened(storage, run_id="run-b")
    first.create()
    with pytest.raises(Fenced, match=r"000000000001\.json"):
        second.create()
    first.create()
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


def test_a_torn_newest_record_leaves_the_window_free(storage: MemoryStorage) -> None:
    """Its writer died: the next attempt is written beside it, and counts."""
    begun(storage, 3)
    tear(storage, "000000000003.json")
    torn = storage.within("windows").read("000000000003.json")
    log = opened(storage)
    assert log.newest == 2
    log.append(draft(3, run_id="run-b"))
    stored = records(storage)
    assert stored["windows/000000000003.json"] == torn
    assert "windows/000000000003.1.json" in stored
    assert opened(storage).read(3).run_id == "run-b"


def test_the_highest_attempt_counts(storage: MemoryStorage) -> None:
    """Two attempts were torn, the third one is whole; the chain goes on from it."""
    begun(storage, 1)
    for attempt in (0, 1, 2):
        opened(storage).append(draft(2, run_id=f"run-{attempt}"))
        if attempt < 2:
            tear(storage, naming.numbered(2, attempt))
    log = opened(storage)
    assert (log.newest, log.read(2).run_id) == (2, "run-2")
    assert log.append(draft(3)).previous == log.read(2).digest


def test_a_torn_record_in_the_middle_is_damage(storage: MemoryStorage) -> None:
    """It is not skipped and not replaced: reading it fails."""
    begun(storage, 3)
    tear(storage, "000000000002.json")
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    state = log.scan()
    assert (state.newest, state.torn) == (3, False)
    with pytest.raises(RecordTorn, match=r"000000000002\.json"):
        log.read(2)


def test_a_missing_record_in_the_middle_is_damage(storage: MemoryStorage) -> None:
    """And is not there to be read."""
    begun(storage, 3)
    storage.within("windows").delete("000000000002.json")
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    assert log.scan().damaged == (2,)
    with pytest.raises(RecordNotFound):
        log.read(2)


def test_a_listed_record_that_is_gone_without_a_mark_was_lost(storage: MemoryStorage) -> None:
    """Nobody purged it, so nobody fences: it is missing."""
    log = begun(storage, 3)
    storage.within("windows").delete("000000000002.json")
    with pytest.raises(RecordNotFound):
        log.read(2)


def test_a_record_of_another_log_is_damage(storage: MemoryStorage) -> None:
    """Copied from elsewhere under the right name: intact, and not ours."""
    begun(storage, 2)
    foreign = MemoryStorage()
    begun(foreign, 2)
    windows = storage.within("windows")
    windows.delete("000000000002.json")
    windows.create("000000000002.json", foreign.within("windows").read("000000000002.json"))
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    state = log.scan()
    assert (state.newest, state.torn) == (1, True)


def test_a_newer_format_is_never_taken_for_torn(storage: MemoryStorage) -> None:
    """An older version of the kit must not write beside what a newer one has written."""
    begun(storage, 1)
    data = records(storage)["windows/000000000001.json"]
    body = data.split(b"\n", 1)[1]
    newer = _frame_of_format(2, 2, body)
    storage.within("windows").create("000000000002.json", newer)
    with pytest.raises(NewerFormat, match="format 2"):
        opened(storage)


def _frame_of_format(version: int, window_id: int, body: bytes) -> bytes:
    import zlib

    start = b"windowlog %d window %d %d" % (version, window_id, len(body))
    return b"%s %08x\n%s" % (start, zlib.crc32(body, zlib.crc32(start)), body)


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
    assert log.append(draft(2)).id == 2


def test_names_that_are_not_ours_are_left_alone(storage: MemoryStorage) -> None:
    """A person's notes and a copy under another name do no harm."""
    begun(storage, 2)
    windows = storage.within("windows")
    for name in ("notes.txt", "2.json", "0000000000003.json", "000000000003.0.json"):
        windows.create(name, b"anything")
    assert opened(storage).newest == 2


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


@pytest.mark.parametrize(("moment", "newest"), [("before", 1), ("after", 2)])
def test_after_a_failed_append_the_log_refuses_work_until_it_is_reopened(
    storage: MemoryStorage, moment: Moment, newest: int
) -> None:
    """I7: whether the record is there is found by looking."""
    begun(storage, 1)
    log = opened(storage)
    log._windows = Fault(1, moment).over(storage.within("windows"))
    with pytest.raises(StorageFailed):
        log.append(draft(2))
    for work in (lambda: log.append(draft(2)), lambda: log.purge(1), lambda: log.newest):
        with pytest.raises(PreviousFailure, match="a fault"):
            work()
    log._windows = storage.within("windows")
    log.open(PIPELINE, "run-a")
    assert log.scan().newest == newest


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
    log.close()
    with pytest.raises(AssertionError):
        log.append(draft(2))
    log.open(PIPELINE, "run-a")
    log.scan()
    assert log.append(draft(2)).id == 2
