"""What DuckDB's next checkpoint writes over is kept beside the file, and put back after a kill.

DuckDB (1.5) packs its metadata into blocks of 256 KiB. A checkpoint puts new pieces into the gaps
of blocks that the file still needs, and writes each such block over itself; the file's header,
which says where the newest pieces are, comes last. A kill in the middle of such a write leaves a
block whose checksum is wrong, and DuckDB opens the file no more. InnoDB answers the same trouble
with its doublewrite buffer, and so do we: before whatever may bring a checkpoint, a copy of the
blocks with gaps is durable in FILE.doublewrite. As long as the header is the one that the copy was
made under, that checkpoint has not taken effect: the blocks are put back, and DuckDB finds all that
was committed in the file and its log. Under any other header the copy is of no use. And as
databases that were made in the same steps have the same header, blocks are put back only where all
that the file needs of them is there already.

It needs /proc, as Linux has it: to open and close a file anew would give up all locks that this
process has on it, DuckDB's among them.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

# DuckDB's storage format: three headers of 4 KiB, then the blocks.
_HEADER_BYTES = 3 * 4096
# A block without a gap gets nothing new, and one that is all gap may become something else.
_WITH_GAPS = (
    "SELECT block_id, (SELECT block_size FROM pragma_database_size()"
    " WHERE database_name = current_database()), free_list"
    " FROM pragma_metadata_info() WHERE free_blocks > 0 AND free_blocks < total_blocks"
)
# Such a block is a checksum and 64 pieces, each as long as eights of bytes have room.
_CHECKSUM_BYTES, _PIECES, _ALIGNED = 8, 64, 8
_FORMAT = 2
_OPEN_FILES = Path("/proc/self/fd")

# For each file the header that its copy was made under. One for all sinks of a process: who made
# the copy anew while another one's checkpoint is under way would keep what that has half written.
_kept: dict[Path, bytes] = {}
# Also around opening: who looks into the file to mend it gives up the locks on it when it closes.
_one_at_a_time = threading.RLock()


class Block(NamedTuple):
    """A block with gaps: where it is, which pieces of it are gaps, and all of it."""

    offset: int
    gaps: list[int]
    content: bytes

    def needs_the_same(self, found: bytes) -> bool:
        """Does `found` differ in nothing but gaps, and in what nothing is kept in?"""
        room = (len(self.content) - _CHECKSUM_BYTES) // _PIECES // _ALIGNED * _ALIGNED
        starts = (_CHECKSUM_BYTES + room * each for each in range(_PIECES) if each not in self.gaps)
        return len(found) == len(self.content) and all(
            found[start : start + room] == self.content[start : start + room] for start in starts
        )


class Doublewrite:
    """Keeps the copy for one database file. Whoever commits calls `keep` before, whoever closes
    too; `mend` comes before opening, `forget` after closing."""

    def __init__(self, database: Path) -> None:
        self._name = database
        self._descriptor = -1
        self._find()

    def _find(self) -> None:
        # As DuckDB does when it opens: a later change of the working folder moves nothing, and what
        # it puts beside a file is beside the file itself, not beside a link to it.
        self.database = Path(os.path.realpath(self._name.expanduser()))
        self.path = self.database.with_name(f"{self.database.name}.doublewrite")
        self._log = self.database.with_name(f"{self.database.name}.wal")

    def keep(self, connection: Any) -> None:
        """Make the copy, unless it is there: a checkpoint may follow. `connection` is DuckDB's."""
        with _one_at_a_time:
            descriptor = self._of_duckdb()
            if descriptor is not None:
                self._keep(descriptor, connection)

    def _keep(self, descriptor: int, connection: Any) -> None:
        while (header := os.pread(descriptor, _HEADER_BYTES, 0)) != _kept.get(self.database):
            # Beside: the connection's own transaction may be open, or have failed.
            beside = connection.duplicate()
            try:
                found = beside.execute(_WITH_GAPS).fetchall()
            finally:
                beside.close()
            blocks = []
            for block, size, gaps in found:
                offset = _HEADER_BYTES + block * size
                blocks.append(Block(offset, gaps, os.pread(descriptor, size, offset)))
            # Another connection of this process may have made a checkpoint meanwhile.
            if os.pread(descriptor, _HEADER_BYTES, 0) == header:
                _write(self.path, header, blocks)
                _kept[self.database] = header

    def keep_for_close(self, connection: Any) -> None:
        """As `keep`, if closing brings a checkpoint: where a log is left."""
        # Closing must end well, whatever state the connection is in.
        with suppress(Exception):
            if self._log.stat().st_size:
                self.keep(connection)

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Around opening the file: it is mended before."""
        with _one_at_a_time:
            self.mend()
            yield

    def mend(self) -> None:
        """Put the blocks back that a kill has left in part."""
        with _one_at_a_time:
            self._find()
            kept = _read(self.path)
            if kept is None:
                _kept.pop(self.database, None)  # another process may have removed it
            else:
                with self._alone() as descriptor:
                    if descriptor is not None:
                        _kept.pop(self.database, None)
                        _put_back(descriptor, *kept)

    def forget(self) -> None:
        """Remove the copy, if nobody has the file open and no log is left."""
        with _one_at_a_time, self._alone() as descriptor:
            if descriptor is not None and not self._log.exists():
                _kept.pop(self.database, None)
                self.path.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[int | None]:
        """A descriptor of the file, under DuckDB's own lock: another process may be in the middle
        of a checkpoint. None if anybody has it open, or it cannot be opened: DuckDB says why."""
        descriptor = None
        try:
            # Not where this process has it open: its locks would go with our descriptor.
            if self._of_duckdb() is None:
                descriptor = os.open(self.database, os.O_RDWR)
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield None
        else:
            yield descriptor
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _of_duckdb(self) -> int | None:
        """The descriptor under which DuckDB has the file open in this process."""
        with suppress(OSError):
            wanted = self.database.stat()
            # The one of the last time first: this comes before each commit.
            for descriptor in chain([self._descriptor], _descriptors()):
                with suppress(OSError):
                    if os.path.samestat(os.fstat(descriptor), wanted):
                        self._descriptor = descriptor
                        return descriptor
        return None


def _descriptors() -> Iterator[int]:
    """All that this process has, listed when they are asked for."""
    yield from map(int, os.listdir(_OPEN_FILES))


def _put_back(descriptor: int, header: bytes, blocks: list[Block]) -> None:
    if os.pread(descriptor, _HEADER_BYTES, 0) != header:
        return
    found = [os.pread(descriptor, len(each.content), each.offset) for each in blocks]
    if not all(each.needs_the_same(there) for each, there in zip(blocks, found, strict=True)):
        return
    for block in blocks:
        os.pwrite(descriptor, block.content, block.offset)
    os.fsync(descriptor)


def _write(path: Path, header: bytes, blocks: list[Block]) -> None:
    body = header + b"".join(each.content for each in blocks)
    places = json.dumps([(each.offset, len(each.content), each.gaps) for each in blocks])
    digest = _digest(places, body)
    first = json.dumps({"format": _FORMAT, "sha256": digest, "blocks": places})
    made = not path.exists()
    # In place: a copy that is cut is known by its digest, and no checkpoint is under way.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666), "wb") as file:
        file.write(first.encode() + b"\n" + body)
        file.truncate()
        os.fsync(file.fileno())
    if made:
        sync_folder(path.parent)


def _read(path: Path) -> tuple[bytes, list[Block]] | None:
    """The header and the blocks. None if there is no copy, or no whole one: the one before was no
    longer needed then."""
    try:
        first, _, body = path.read_bytes().partition(b"\n")
        said = json.loads(first)
        places = said["blocks"]
        if said["format"] != _FORMAT or _digest(places, body) != said["sha256"]:
            return None
        blocks, start = [], _HEADER_BYTES
        for offset, size, gaps in json.loads(places):
            blocks.append(Block(offset, gaps, body[start : start + size]))
            start += size
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return body[:_HEADER_BYTES], blocks


def _digest(places: str, body: bytes) -> str:
    return hashlib.sha256(places.encode() + body).hexdigest()


def sync_folder(folder: Path) -> None:
    """What was made or renamed in it survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
