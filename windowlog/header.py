"""The header of a log: its bytes and back; and as a folder has it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime

from windowlog import codec, naming
from windowlog.contracts import Storage
from windowlog.errors import LogUnusable, RecordTorn
from windowlog.moment import format_time
from windowlog.values import Json
from windowlog.wiring import Header

KIND = "header"
# What to do about a log without one.
NO_HEADER = (
    "Restore the folder headers/ from a backup. Without one, `python -m windowed adopt PIPELINE"
    " --log --from INPUT=beginning` (or =end) begins a new log that goes on behind what the sinks"
    " hold; it changes nothing until --apply is added."
)


def new_header(
    pipeline: str, run_id: str, first: int, positions: Mapping[str, Json]
) -> tuple[Header, bytes]:
    """A header under a new log id, in memory only, and the bytes it will have when it is
    created."""
    log_id = str(uuid.uuid4())
    body: dict[str, Json] = {
        "log": log_id,
        "pipeline": pipeline,
        "positions": dict(positions),
        "run": run_id,
        "created_at": format_time(datetime.now(UTC)),
    }
    data = codec.encode(KIND, first, body)
    header = Header(log_id, pipeline, first, positions, codec.digest(data), exists=False)
    return header, data


def read_header(data: bytes, first: int) -> Header:
    """The header that is stored as `data`. RecordTorn or NewerFormat if it cannot be had."""
    body = codec.decode(data, kind=KIND, record_id=first, name=naming.numbered(first))
    return Header(
        log_id=body["log"],
        pipeline=body["pipeline"],
        first=first,
        positions=body["positions"],
        digest=codec.digest(data),
        exists=True,
    )


def stored_header(headers: Storage, first: int, where: str) -> Header:
    """The header in this folder of the log at `where`. LogUnusable if it is damaged."""
    name = naming.numbered(first)
    # It may have come into being after the listing was made durable.
    headers.sync(name)
    try:
        return read_header(headers.read(name), first)
    except RecordTorn as torn:
        raise LogUnusable(where=where, reason=torn, remedy=NO_HEADER) from torn
