"""Record bytes <-> JSON: format version, kind, id, length and CRC. Pure functions, no I/O.

A record is one line and a body:

    windowlog 1 window 42 311 8c1f2a90
    {"window": 42, ...}

that is: magic, format version, kind, id, body length in bytes, CRC-32 (hexadecimal) over everything
else (the line without the CRC, and the body). The form of the first line is fixed for all future
formats, and the CRC is checked before the version: a flipped bit anywhere is then *torn*, never "a
newer format".
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from typing import Any

from windowlog.errors import NewerFormat, RecordTorn
from windowlog.values import Json

FORMAT = 1
MAGIC = b"windowlog"
_FIRST_LINE = re.compile(
    rb"windowlog (\d{1,9}) ([a-z]{1,16}) (\d{1,19}) (\d{1,12}) ([0-9a-f]{8})\n"
)


def encode(kind: str, record_id: int, body: Json) -> bytes:
    """The stored bytes of a record of JSON. ASCII only: a path that is not valid UTF-8 survives as
    JSON escapes."""
    # A value a line, for people. Not by `indent`, which json does in Python: four times slower.
    text = json.dumps(body, separators=(",\n ", ": "), sort_keys=True, allow_nan=False)
    return frame(kind, record_id, text.encode("ascii") + b"\n")


def decode(data: bytes, *, kind: str, record_id: int, name: str) -> Any:
    """The JSON body of a record that was read completely. Errors as `unframe`."""
    return json.loads(unframe(data, kind=kind, record_id=record_id, name=name))


def frame(kind: str, record_id: int, body: bytes) -> bytes:
    """The stored bytes of a record whose body is any bytes."""
    start = b"%s %d %s %d %d" % (MAGIC, FORMAT, kind.encode("ascii"), record_id, len(body))
    return b"%s %08x\n%s" % (start, _crc(start, body), body)


def unframe(data: bytes, *, kind: str, record_id: int, name: str) -> bytes:
    """The body of a record that was read completely.

    Raises RecordTorn when it is not exactly what `frame` wrote for this kind and id, NewerFormat
    when it is intact but of a format this version does not know. `name` is only for the message.
    """
    match = _FIRST_LINE.match(data)
    if match is None:
        raise RecordTorn(name=name, expected="a windowlog record", found=repr(data[:40]))
    body = data[match.end() :]
    version, found_kind, found_id, length, crc = match.groups()
    if len(body) != int(length):
        raise RecordTorn(name=name, expected=f"{int(length)} bytes", found=f"{len(body)} bytes")
    found_crc = _crc(data[: match.start(5) - 1], body)
    if found_crc != int(crc, 16):
        raise RecordTorn(name=name, expected=f"CRC {crc.decode()}", found=f"{found_crc:08x}")
    if int(version) != FORMAT:
        raise NewerFormat(name=name, version=int(version), known=FORMAT)
    found = f"{found_kind.decode()} {int(found_id)}"
    if found != f"{kind} {record_id}":
        raise RecordTorn(name=name, expected=f"{kind} {record_id}", found=found)
    return body


def digest(data: bytes) -> str:
    """SHA-256 over a record's stored bytes, hexadecimal: what the next record and the ledgers
    remember."""
    return hashlib.sha256(data).hexdigest()


def _crc(start: bytes, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(start))
