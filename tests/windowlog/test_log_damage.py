"""What a dead driver, a lying disk or a person may leave in a log, and what is made of it."""

from __future__ import annotations

import pytest

from tests.windowlog.drafts import PIPELINE, begun, draft, opened, records, tear
from windowed.testing.faulty import Fault, Moment
from windowed.testing.forgetful import ForgetfulStorage
from windowlog import naming
from windowlog.errors import (
    Fenced,
    LogUnusable,
    NewerFormat,
    PreviousFailure,
    RecordNotFound,
    RecordTorn,
    StorageFailed,
)
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Skip


@pytest.fixture
def storage() -> MemoryStorage:
    """An empty place."""
    return MemoryStorage()


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
    with pytest.raises(LogUnusable, match=r"Restore the folder headers/ .* adopt PIPELINE --log"):
        opened(storage)


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
    with pytest.raises(RecordNotFound, match="no window 2 in memory:"):
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


def test_names_that_are_not_ours_are_left_alone(storage: MemoryStorage) -> None:
    """A person's notes and a copy under another name do no harm."""
    begun(storage, 2)
    windows = storage.within("windows")
    for name in ("notes.txt", "2.json", "0000000000003.json", "000000000003.0.json"):
        windows.create(name, b"anything")
    assert opened(storage).newest == 2


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
    assert log.append(draft(newest + 1)).id == newest + 1


def test_a_failure_without_words_is_named_by_its_kind(
    storage: MemoryStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interruption from the keyboard has no message."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    log = begun(storage, 1)
    with monkeypatch.context() as patch:
        patch.setattr(MemoryStorage, "create", interrupted)
        with pytest.raises(KeyboardInterrupt):
            log.append(draft(2))
    with pytest.raises(PreviousFailure, match="KeyboardInterrupt"):
        log.append(draft(2))


def _header_half_created(place: ForgetfulStorage) -> None:
    """A driver dies while it creates the header: it can be seen, and is not durable."""
    log = WindowLog(place.halfway)
    log.open(PIPELINE, "run-a")
    log.create()


def test_a_header_that_is_believed_is_durable() -> None:
    """One that a dead driver left half way survives a power cut once a start has read it."""
    place = ForgetfulStorage()
    _header_half_created(place)
    header = opened(place).header
    place.power_loss()
    assert opened(place).header == header


def test_a_header_that_appears_after_the_sync_is_made_durable_itself() -> None:
    """Another driver's, between the sync of the folder and its listing."""
    place = ForgetfulStorage()
    log = WindowLog(place)
    headers = log._headers
    assert isinstance(headers, ForgetfulStorage)
    listed = headers.list

    def late() -> list[str]:
        headers.list = listed  # type: ignore[method-assign]
        _header_half_created(place)
        return listed()

    headers.list = late  # type: ignore[method-assign]
    header = log.open(PIPELINE, "run-b")
    place.power_loss()
    assert opened(place).header == header


def test_a_torn_skip_does_not_make_its_plan_torn(storage: MemoryStorage) -> None:
    """The plan is intact and stays: it was planned again, beside itself."""
    begun(storage, 2).notes.skip(Skip(2, "lines", "in.txt", "1 line", "gone"))
    tear(storage, "000000000002.1.json", "skips")
    with pytest.raises(LogUnusable, match=r"000000000002\.1\.json is damaged"):
        opened(storage)
