"""The header of a log: its bytes and back. Pure functions, no I/O."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime

from windowlog import codec, naming
from windowlog.moment import format_time
from windowlog.values import Json
from windowlog.wiring import Header

KIND = "header"


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
