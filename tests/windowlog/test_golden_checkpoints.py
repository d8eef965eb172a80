"""Records of checkpoints of every format ever written stay readable, to the last byte."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from windowlog.checkpoints import CheckpointRecords, Saved, SavedFile
from windowlog.errors import NewerFormat
from windowlog.state_store import Checkpoint
from windowlog.storage.local import LocalStorage
from windowlog.storage.memory import MemoryStorage

GOLDEN = Path(__file__).parent.parent / "golden" / "checkpoints-1"
LOG_ID = "11111111-2222-4333-8444-555555555555"
RUN_ID = "66666666-7777-4888-8999-000000000000"
FOLDER = f"{LOG_ID}/states/000000000040.{RUN_ID}.0123456789abcdef0123456789abcdef"
FILES = (
    SavedFile("part-00000040-00000-000.snappy.parquet", 1234, 7, "ab" * 32),
    SavedFile("part-00000040-00001-000.snappy.parquet", 999, 0, "MD5-of-512CRC32C:00ff"),
)
SAVED = (
    Saved(Checkpoint(0, 0, "cd" * 32), "totals", LOG_ID, RUN_ID, {"word": "string"}),
    Saved(
        Checkpoint(40, 0, "ef" * 32, FOLDER, 7),
        "totals",
        LOG_ID,
        RUN_ID,
        {"word": "string", "a b": "timestamp[us, tz=UTC]"},
        FILES,
        ("word", "a b"),
    ),
)
DIGESTS = {
    "000000000000.json": "a4762f8e00b79dab8376258b7f47672e04b69627f943e9b42de0276a8f5597fb",
    "000000000040.json": "82d66b0c2dd55a33b00d578809e1386558d2ed01549ca7789f966c1f6fb631dc",
}


def test_they_are_read() -> None:
    """All that they say."""
    records = CheckpointRecords(LocalStorage(GOLDEN), "totals", LOG_ID)
    assert tuple(records.all()) == SAVED
    assert records.present() == {(0, 0), (40, 0)}
    assert records.find(SAVED[1].checkpoint) == SAVED[1]


def test_this_version_writes_the_same_bytes() -> None:
    """And those are the bytes that are kept."""
    storage = MemoryStorage()
    records = CheckpointRecords(storage, "totals", LOG_ID)
    for saved in SAVED:
        records.create(saved)
    written = storage.within(LOG_ID).within("checkpoints")
    found = {name: hashlib.sha256(written.read(name)).hexdigest() for name in written.list()}
    kept = (GOLDEN / LOG_ID / "checkpoints").glob("*.json")
    assert found == DIGESTS
    assert {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in kept} == DIGESTS


def test_a_record_of_a_later_version_is_an_error() -> None:
    """And not a damaged one: an older checkpoint would be taken in its place."""
    import zlib

    storage = MemoryStorage()
    body = b"{}\n"
    start = b"windowlog 9 checkpoint 40 %d" % len(body)
    crc = zlib.crc32(body, zlib.crc32(start))
    place = storage.within(LOG_ID).within("checkpoints")
    place.create("000000000040.json", b"%s %08x\n%s" % (start, crc, body))
    with pytest.raises(NewerFormat):
        CheckpointRecords(storage, "totals", LOG_ID).all()
