"""Logs of every format ever written stay readable, to the last byte."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.windowlog.drafts import draft
from windowlog.errors import RecordTorn
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Part, Plan, Skip
from windowlog.wiring import Adoption, InputIdentity, SinkIdentity

GOLDEN = Path(__file__).parent.parent / "golden"
LOG_ID = "11111111-2222-4333-8444-555555555555"
PLAN_3 = "f3fa397ebe801d50aa628c8ba5219401af7f72f6567b3f11f404d59606916570"
PLAN_4 = "ba63d1ab403aa8d5a8c7d3d319c344e83cbe06109c8843b8932d049623f956d5"
HEADER = "04400a32fcbd7a96d6bd355fec600c86d1a72cacef6d413d770da36f8270a8f6"


@pytest.fixture
def log() -> WindowLog:
    """A copy of the log of format 1, open."""
    storage = MemoryStorage()
    for path in sorted((GOLDEN / "format-1").rglob("*.json")):
        place = storage
        for folder in path.relative_to(GOLDEN / "format-1").parent.parts:
            place = place.within(folder)
        place.create(path.name, path.read_bytes())
    log = WindowLog(storage)
    log.open("wordcount", "a later run")
    log.scan()
    return log


def test_the_stored_bytes_are_untouched() -> None:
    """Checked out as they were written: digests are over bytes."""
    folder = GOLDEN / "format-1"
    digests = {
        "headers/000000000001.json": HEADER,
        "windows/000000000003.json": PLAN_3,
        "windows/000000000004.1.json": PLAN_4,
    }
    for name, digest in digests.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_the_header_is_read(log: WindowLog) -> None:
    """Its id, pipeline, first window and digest."""
    header = log.header
    assert (header.log_id, header.pipeline, header.first) == (LOG_ID, "wordcount", 1)
    assert (dict(header.positions), header.digest, header.exists) == ({}, HEADER, True)


def test_the_listing_is_understood(log: WindowLog) -> None:
    """Purged up to 3; a torn record at 4, and the second attempt beside it counts."""
    state = log.scan()
    assert (state.mark, state.oldest, state.newest) == (3, 3, 4)
    assert (state.torn, state.damaged) == (False, ())


def test_a_plain_window_is_read(log: WindowLog) -> None:
    """Its time, plans, wiring, run and digest."""
    window = log.read(3)
    assert window.planned_at == datetime(2024, 2, 29, 12, 0, 3, 500000, tzinfo=UTC)
    part = Part("a.txt", {"file": "8:3", "from": 30, "to": 40, "digest": None})
    assert window.plans == {
        "lines": Plan((part,), "a.txt@40", bytes=300),
        "rates": Plan((), {"table": [7, None, True, 1.5, "é"]}, records=0),
    }
    assert window.inputs == {
        "lines": InputIdentity("files/lines", "/data/in"),
        "rates": InputIdentity("jdbc/table", "postgresql://db/rates"),
    }
    target = "duckdb:////data/counts.duckdb word_counts"
    assert window.sinks == {"counts": SinkIdentity(target, "accumulate(word; count)")}
    assert (window.run_id, window.log_id, window.digest) == ("run-1", LOG_ID, PLAN_3)


def test_the_window_that_was_written_again_is_read(log: WindowLog) -> None:
    """A name that is no valid text, a large offset, the chain, and its skip."""
    window = log.read(4)
    odd = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    assert [part.id for part in window.plans["lines"].parts] == [odd, "b.txt"]
    assert window.plans["lines"].parts[0].detail["to"] == 1152921504606846976
    assert (window.previous, window.digest, window.run_id) == (PLAN_3, PLAN_4, "run-2")
    assert window.skips == (Skip(4, "lines", "b.txt", "3 bytes", "deleted by mistake", number=1),)


def test_adoptions_and_memory_are_read(log: WindowLog) -> None:
    """An input that moved, one that is gone, and what it remembered."""
    moved = InputIdentity("jdbc/table", "postgresql://new/rates")
    assert log.notes.adoptions(4) == (
        Adoption(4, "rates", moved, {"table": [8]}, "moved", number=1),
        Adoption(4, "lines", None, None, "gone", number=2),
    )
    assert log.memory("lines").newest() == (3, b"three \x00\xff\n")


def test_the_torn_attempt_is_still_torn() -> None:
    """Thirty bytes of a record."""
    data = (GOLDEN / "format-1" / "windows" / "000000000004.json").read_bytes()
    from windowlog import codec

    with pytest.raises(RecordTorn):
        codec.unframe(data, kind="window", record_id=4, name="4")


def test_the_log_goes_on(log: WindowLog) -> None:
    """The next window is chained to the golden one."""
    assert log.append(draft(5)).previous == PLAN_4
