"""DuckDB's database files: made whole or not at all, and why one cannot be opened, in words."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from windowlog.access.engines import redacted

_HOLDER = re.compile(r"[Cc]onflicting lock is held in (.*?)(?: \(PID (\d+)\))")
_OTHER_SETTINGS = "with a different configuration"
# What DuckDB says -> what helps. The first that is found counts.
_REMEDIES = (
    ("Is a directory", "Name a file in that folder."),
    ("No such file or directory", "Make the folder, or correct the path."),
    ("Permission denied", "Give this user the right to read and write the file and its folder."),
    ("Read-only file system", "Name a file on a file system that can be written."),
    ("No space left", "Free some space; nothing is written twice."),
    ("File too large", "Raise the limit on file sizes (ulimit -f); nothing is written twice."),
    ("not a valid DuckDB", "Name another file, or move this one away: it is no DuckDB database."),
    ("Could not read enough bytes", "It is cut off: restore it, or move it away."),
    (
        "replaying WAL",
        "Its FILE.wal is damaged: restore both files from one backup.",
    ),
    ("version number", "Another version of duckdb wrote it: use that one, or a newer one."),
)
_OTHERWISE = "Check the URL, and that this user may read and write the file and its folder."


def create(path: Path) -> None:
    """Make an empty database, whole or not at all. Nothing happens if the file is there already.

    DuckDB makes the file first and fills it then: a driver that was killed in between left a file
    that no DuckDB opens any more."""
    import duckdb

    whole = path.with_name(f"{path.name}.{uuid4().hex[:8]}.new")
    try:
        duckdb.connect(str(whole)).close()
        with suppress(FileExistsError):
            _link(whole, path)
        _sync_folder(path.parent)
    finally:
        whole.unlink(missing_ok=True)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links. Two drivers that begin at once may both be here: the
        # file that loses is empty.
        if not target.exists():
            source.rename(target)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def holder(reason: str) -> str | None:
    """Who holds the database that could not be opened for this reason; None if that is not why."""
    if _OTHER_SETTINGS in reason:
        return "this process itself, opened with other settings,"
    match = _HOLDER.search(reason)
    return None if match is None else _process(match[1], match[2])


def remedy(reason: str) -> str:
    """What to do about a database that cannot be used for this reason."""
    found = (advice for sign, advice in _REMEDIES if sign in reason)
    return next(found, _OTHERWISE)


def _process(program: str, pid: str) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return f"process {pid} ({program})"
    command = b" ".join(words).decode(errors="replace").strip()
    return f"process {pid} ({redacted(command[:200]) or program})"
