"""Logs of every format ever written stay readable, to the last byte."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.windowlog.drafts import draft
from windowlog import codec
from windowlog.errors import RecordTorn
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Part, Plan, Skip
from windowlog.wiring import Adoption, InputIdentity, SinkIdentity

GOLDEN = Path(__file__).parent.parent / "golden"
LOG_ID = "11111111-2222-4333-8444-555555555555"


@dataclass(frozen=True)
class Golden:
    """A stored log, and the digests of its header and plans when it was written."""

    folder: Path
    header: str
    plan_3: str
    plan_4: str


LOGS = (
    Golden(
        GOLDEN / "format-1",
        header="04400a32fcbd7a96d6bd355fec600c86d1a72cacef6d413d770da36f8270a8f6",
        plan_3="f3fa397ebe801d50aa628c8ba5219401af7f72f6567b3f11f404d59606916570",
        plan_4="ba63d1ab403aa8d5a8c7d3d319c344e83cbe06109c8843b8932d049623f956d5",
    ),
    Golden(
        GOLDEN / "format-1-unindented",
        header="861f3d3cdd0a2429c598e653ef4d59dcb4662dc04aae677f9494bd4d69fa4141",
        plan_3="933f3ef63c5d43ab28393e45194fb36fdd8a4fdfe32a7f239fec1a39e7576e8b",
        plan_4="d35aef5013e23d82d56c0cc123add8d8c82293a370894ae59a83529bf30848be",
    ),
)


@pytest.fixture(params=LOGS, ids=lambda golden: golden.folder.name)
def golden(request: pytest.FixtureRequest) -> Golden:
    """Each log that is kept."""
    kept = request.param
    assert isinstance(kept, Golden)
    return kept


@pytest.fixture
def log(golden: Golden) -> WindowLog:
    """A copy of it, open."""
    storage = MemoryStorage()
    for path in sorted(golden.folder.rglob("*.json")):
        place = storage
        for folder in path.relative_to(golden.folder).parent.parts:
            place = place.within(folder)
        place.create(path.name, path.read_bytes())
    log = WindowLog(storage)
    log.open("wordcount", "a later run")
    log.scan()
    return log


def test_the_stored_bytes_are_untouched(golden: Golden) -> None:
    """Checked out as they were written: digests are over bytes."""
    digests = {
        "headers/000000000001.json": golden.header,
        "windows/000000000003.json": golden.plan_3,
        "windows/000000000004.1.json": golden.plan_4,
    }
    for name, digest in digests.items():
        assert hashlib.sha256((golden.folder / name).read_bytes()).hexdigest() == digest


def test_the_header_is_read(log: WindowLog, golden: Golden) -> None:
    """Its id, pipeline, first window and digest."""
    header = log.header
    assert (header.log_id, header.pipeline, header.first) == (LOG_ID, "wordcount", 1)
    assert (dict(header.positions), header.digest, header.exists) == ({}, golden.header, True)


def test_the_listing_is_understood(log: WindowLog) -> None:
    """Purged up to 3; a torn record at 4, and the second attempt beside it counts."""
    state = log.scan()
    assert (state.mark, state.oldest, state.newest) == (3, 3, 4)
    assert (state.torn, state.damaged) == (False, ())


def test_a_plain_window_is_read(log: WindowLog, golden: Golden) -> None:
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
    assert (window.run_id, window.log_id, window.digest) == ("run-1", LOG_ID, golden.plan_3)


def test_the_window_that_was_written_again_is_read(log: WindowLog, golden: Golden) -> None:
    """A name that is no valid text, a large offset, the chain, and its skip."""
    window = log.read(4)
    odd = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    assert [part.id for part in window.plans["lines"].parts] == [odd, "b.txt"]
    assert window.plans["lines"].parts[0].detail["to"] == 1152921504606846976
    assert (window.previous, window.digest) == (golden.plan_3, golden.plan_4)
    assert window.run_id == "run-2"
    assert window.skips == (Skip(4, "lines", "b.txt", "3 bytes", "deleted by mistake", number=1),)


def test_adoptions_and_memory_are_read(log: WindowLog) -> None:
    """An input that moved, one that is gone, and what it remembered."""
    moved = InputIdentity("jdbc/table", "postgresql://new/rates")
    assert log.notes.adoptions(4) == (
        Adoption(4, "rates", moved, {"table": [8]}, "moved", number=1),
        Adoption(4, "lines", None, None, "gone", number=2),
    )
    assert log.memory("lines").newest() == (3, b"three \x00\xff\n")


def test_the_torn_attempt_is_still_torn(golden: Golden) -> None:
    """Thirty bytes of a record."""
    data = (golden.folder / "windows" / "000000000004.json").read_bytes()
    with pytest.raises(RecordTorn):
        codec.unframe(data, kind="window", record_id=4, name="4")


def test_the_log_goes_on(log: WindowLog, golden: Golden) -> None:
    """The next window is chained to the golden one."""
    assert log.append(draft(5)).previous == golden.plan_4
