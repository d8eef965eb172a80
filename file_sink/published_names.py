"""Names of published files, as anybody finds them in a folder: whose are they, and which windows'?
Pure functions, no I/O.

part-00000042-00003-000.parquet                 rows of window 42
part-00000001-to-00000042-000.parquet           rows of windows 1 to 42, joined by a roll-up
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from file_sink.layout import WINDOW_COLUMN, WINDOWS

_FOLDER = re.compile(rf"{WINDOW_COLUMN}=(\d{{8,18}})")
_FILE = re.compile(r"part-(\d{8,18})-(?:to-(\d{8,18})|\d{5,})-(\d{3,})((?:\..*)?)")


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file of ours: its path below the published folder, the windows whose rows it has, the
    number at its name's end, how the name ends, and its size."""

    path: str
    first: int
    last: int
    number: int
    ending: str
    bytes: int = 0


def published_file(layout: str, path: str, size: int = 0) -> PublishedFile | None:
    """What the relative path of a published file says; None if it is not one of ours."""
    match = _FILE.fullmatch(path.rpartition("/")[2])
    if match is None:
        return None
    first, last = int(match[1]), int(match[2] or match[1])
    if layout == WINDOWS:
        folder = _FOLDER.fullmatch(path.partition("/")[0])
        if folder is None or int(folder[1]) != last or "/" not in path:
            return None
    return PublishedFile(path, first, last, int(match[3]), match[4], size)


def joined_name(first: int, last: int, number: int, ending: str) -> str:
    """The name of a file with the rows of these windows: like none of a single window."""
    return f"part-{first:08d}-to-{last:08d}-{number:03d}{ending}"


def newest_published(layout: str, names: Iterable[str]) -> int:
    """The newest window among the names in a published folder (layout `files`: of files in all
    folders); 0 if there is none."""
    known = _FOLDER if layout == WINDOWS else _FILE
    matches = [match for match in map(known.fullmatch, names) if match]
    windows = [m[1] if layout == WINDOWS else m[2] or m[1] for m in matches]
    return max(map(int, windows), default=0)
