"""A part of a plan: one byte range of one file, and its JSON. The only place that knows a part's
field names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from connectors.files.identity import FileId, Head
from windowlog.values import Part


@dataclass(frozen=True, slots=True)
class FileRange:
    """Bytes [start, end) of one file, and how to know that they are still the same.

    `before_start` and `before_end` are digests of the last 4 KiB before those places, `head` one of
    the first bytes; `was` the id under which the index knows it,
    where its device's number changed.
    """

    path: str
    file: FileId
    size: int
    mtime_ns: int
    start: int
    end: int
    before_start: str
    before_end: str
    head: Head | None = None
    was: FileId | None = None

    @property
    def id(self) -> str:
        """The part's name: a skip gives it on the command line, so it is printable."""
        return f"{printable(self.path)}@{self.start}"

    @property
    def length(self) -> int:
        """Its bytes."""
        return self.end - self.start


def to_part(piece: FileRange) -> Part:
    """The range as a part of a plan."""
    detail: dict[str, Any] = {
        "path": piece.path,
        "file": str(piece.file),
        "size": piece.size,
        "mtime_ns": piece.mtime_ns,
        "start": piece.start,
        "end": piece.end,
        "before_start": piece.before_start,
        "before_end": piece.before_end,
    }
    if piece.head is not None:
        detail["head"] = list(piece.head)
    if piece.was is not None:
        detail["was"] = str(piece.was)
    return Part(piece.id, detail)


def from_part(part: Part) -> FileRange:
    """The range that `to_part` wrote."""
    detail: Any = part.detail
    return FileRange(
        detail["path"],
        FileId.parse(detail["file"]),
        detail["size"],
        detail["mtime_ns"],
        detail["start"],
        detail["end"],
        detail["before_start"],
        detail["before_end"],
        Head(*detail["head"]) if "head" in detail else None,
        FileId.parse(detail["was"]) if "was" in detail else None,
    )


def ranges(parts: Iterable[Part]) -> list[FileRange]:
    """The ranges of a plan, in its order."""
    return [from_part(part) for part in parts]


def printable(path: str) -> str:
    """A path as one line of plain text, and no two paths the same: what cannot be printed is
    escaped.
    """
    plain = path.replace("\\", "\\\\")
    if plain.isprintable():
        return plain
    return "".join(c if c.isprintable() else _escaped(c) for c in plain)


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as Python keeps it in a path
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{{{code:x}}}"
