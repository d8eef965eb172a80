"""What comes next: which files, in which order, and up to where. Reads tails of files; changes
nothing.

Order: a file that waits longest comes first. It waits since it was written last before it was
planned last (known files) or since it came into being (new ones: birth or modification, whichever
is older), never since "now"; so a file that keeps growing cannot push others back, and is not
pushed back by others. Ties go by path.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import NoReturn

from connectors.files.errors import (
    FileReplaced,
    FileRewritten,
    FileTruncated,
    LineTooLong,
    UnreadVanished,
    reset_to,
)
from connectors.files.folder import Gone, OpenFile
from connectors.files.identity import NEVER_AGAIN, FileId, head_of
from connectors.files.index import Entry, Index
from connectors.files.lines import cut, next_line_end, tail_digest
from connectors.files.locate import Locator
from connectors.files.parts import FileRange, printable
from connectors.files.ranges import Reach, TooLong, choose_end
from connectors.files.replaced import replacements
from connectors.files.tails import Tails
from connectors.files.walk import Seen, Tree

# Big ranges are cut into parts of this size, from which tasks of equal size are made.
PART_BYTES = 4 * 2**20

# One line is one value: an Arrow array holds 2 GiB, and a task holds its line several times.
LINE_BYTES_MAX = 256 * 2**20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file with something unread: `entry` and `was` are what the index knows of it."""

    id: FileId
    seen: Seen
    entry: Entry | None
    was: FileId | None

    @property
    def start(self) -> int:
        """Where reading goes on."""
        return self.entry.offset if self.entry is not None else 0

    def order(self) -> tuple[int, str]:
        """First come, first served."""
        if self.entry is not None:
            return self.entry.mtime_ns, self.seen.path
        kept = self.id.born_ns > NEVER_AGAIN
        born_ns = self.id.born_ns if kept else self.seen.mtime_ns
        return min(self.seen.mtime_ns, born_ns), self.seen.path


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans one window. `name` is the input's, for messages."""

    name: str
    index: Index
    tree: Tree
    locator: Locator
    tails: Tails

    def plan(self, max_bytes: int, max_files: int) -> list[FileRange]:
        """The ranges of the next window. The last one may go past `max_bytes` if it is a single
        line.
        """
        self._refuse_replaced(self.tree)
        self._refuse_lost()
        pieces: list[FileRange] = []
        files, used = 0, 0
        for candidate in sorted(self.candidates(), key=Candidate.order):
            if files >= max_files or used >= max_bytes:
                break
            try:
                found = self._take(candidate, max_bytes - used, alone=not pieces)
            except Gone:
                self._refuse_vanished(candidate)
                found = []
            if found:
                pieces += found
                files += 1
                used += sum(piece.length for piece in found)
        return pieces

    def waiting(self) -> list[str]:
        """Paths of files inside the tree with an unterminated line that will be taken once it is
        quiet.

        One that has become quiet since the plan is still named: it has not been planned."""
        if not self.tails.take:
            return []
        unread = (c for c in self.candidates() if c.seen.size > c.start)
        return sorted(printable(c.seen.path) for c in unread if self._has_rest(c))

    def candidates(self) -> Iterator[Candidate]:
        """Files that may have something new: another size, or another time, than when they were
        planned last.
        """
        renumbered = self.index.known(self.tree)
        for file_id, seen in self.tree.files.items():
            was = renumbered.get(file_id)
            entry = self.index.entries.get(was or file_id)
            if entry is None:
                if seen.size:
                    yield Candidate(file_id, seen, None, None)
            elif (seen.size, seen.mtime_ns) != (entry.offset, entry.mtime_ns):
                yield Candidate(file_id, seen, entry, was)

    def _take(self, candidate: Candidate, room: int, *, alone: bool) -> list[FileRange]:
        if self._settled(candidate):
            return []
        start = candidate.start
        with self._open(candidate) as file:
            if file is None:
                self._refuse_vanished(candidate)
                return []
            candidate = self._checked(candidate, file)
            end = self._end(candidate, file, room, alone=alone)
            if end is None:
                self.tails.unready(candidate.id, start, file.status.size, file.status.mtime_ns)
                return []
            if end == candidate.start:
                return []
            return _pieces(candidate, file, end, rest_counts=self.tails.take)

    def _settled(self, candidate: Candidate) -> bool:
        """True when the file is as it was when it had nothing to take: by its state now, because
        bounds may be those of a run's start.
        """
        now = self.locator.status(candidate.seen.path)
        if now is None or now.id != candidate.id:
            return False
        return self.tails.settled(candidate.id, candidate.start, now.size, now.mtime_ns)

    def _end(self, candidate: Candidate, file: OpenFile, room: int, *, alone: bool) -> int | None:
        start, found = candidate.start, file.status
        bound = min(candidate.seen.size, found.size)
        if bound <= start:
            # What lies past the bound is there for the next bounds.
            return start if found.size > start else None

        def take_rest() -> bool:
            tail = candidate.id, start, found.size, found.mtime_ns
            return self.tails.take and self.tails.quiet(*tail) and not file.is_written()

        reach = Reach(start, bound, found.size, room, alone, LINE_BYTES_MAX, take_rest)
        try:
            return choose_end(file.read, reach)
        except TooLong as error:
            raise LineTooLong(
                input=self.name,
                path=printable(file.path),
                start=start,
                limit=LINE_BYTES_MAX,
                choices=[
                    ("leave the file out with pattern=, or move it away", ""),
                    ("pass over the line", self._reset(file.path, error.end)),
                ],
            ) from None

    def _checked(self, candidate: Candidate, file: OpenFile) -> Candidate:
        """The candidate, if what was read of it is still there; as a new file if its first bytes
        are another's.
        """
        entry = candidate.entry
        if entry is None:
            return candidate
        another = False
        if entry.head is not None and file.status.id.born_ns == 0:
            found = head_of(file.read, file.status.size, entry.head.length)
            another = found.length == entry.head.length and found != entry.head
        # The inode of a file that was read to its end may be used again. An unread rest is missed.
        if another and entry.offset >= entry.size:
            return replace(candidate, entry=None)
        values = {
            "input": self.name,
            "path": printable(file.path),
            "known": entry.offset,
        }
        choices = [
            ("read all that is in it now", self._reset(file.path, 0)),
            ("pass over what is in it now", self._reset(file.path, "end")),
        ]
        if file.status.size < entry.offset:
            raise FileTruncated(choices=choices, size=file.status.size, **values)
        if another or tail_digest(file.read, entry.offset) != entry.tail:
            raise FileRewritten(choices=choices, **values)
        return candidate

    def _reset(self, path: str, at: int | str) -> str:
        return reset_to(self.name, f"{printable(path)}@{at}")

    def _has_rest(self, candidate: Candidate) -> bool:
        # What a writer has not finished is no line yet: it is not waited for either.
        try:
            with self._open(candidate) as file:
                more = file is not None and file.status.size > candidate.start
                return file is not None and more and not file.is_written()
        except Gone:
            return False

    def _open(self, candidate: Candidate) -> AbstractContextManager[OpenFile | None]:
        return self.locator.open(candidate.seen.path, candidate.id, None)

    def _refuse_replaced(self, tree: Tree) -> None:
        """A copy would be read again from its beginning, silently."""
        for found in replacements(self.index, tree, self.locator):
            known = found.entry.offset
            place, words, agreement = "end", "the end of what is in it now", "that begins alike"
            if found.follows:
                place, words = str(known), "that byte"
                agreement = "with the same bytes before that place"
            raise FileReplaced(
                input=self.name,
                path=printable(found.path),
                known=known,
                agreement=agreement,
                choices=[
                    (f"it is a copy: go on at {words}", self._reset(found.path, place)),
                    ("it is a new file: read all of it", self._reset(found.path, "beginning")),
                ],
            )

    def _refuse_lost(self) -> None:
        """A file that was read in part must not disappear silently. One that was never begun
        may.
        """
        for file_id in self.index.gone(self.tree):
            entry = self.index.entries[file_id]
            if entry.offset < entry.size and self.locator.find(file_id) is None:
                self._vanished(entry.path, entry.offset, entry.size)

    def _refuse_vanished(self, candidate: Candidate) -> None:
        entry = candidate.entry
        if entry is not None and candidate.seen.size > entry.offset:
            self._refuse_replaced(self.locator.now())
            self._vanished(entry.path, entry.offset, max(candidate.seen.size, entry.size))

    def _vanished(self, path: str, known: int, size: int) -> NoReturn:
        back = "put the file itself back under any name, or a copy under the same one (you are then"
        choices = [
            (f"{back} asked where to go on)", ""),
            ("give up the rest", self._reset(path, "end")),
        ]
        raise UnreadVanished(
            choices=choices, input=self.name, path=printable(path), known=known, size=size
        )


def _pieces(
    candidate: Candidate, file: OpenFile, end: int, *, rest_counts: bool
) -> list[FileRange]:
    start, found = candidate.start, file.status
    # Where an unterminated line is never a line, nobody shall miss it when its file goes away.
    size = found.size if rest_counts or _more_lines(file, end) else end
    head = head_of(file.read, found.size)
    pieces: list[FileRange] = []
    before = tail_digest(file.read, start)
    for piece_end in cut(file.read, start, end, PART_BYTES):
        piece_start = pieces[-1].end if pieces else start
        after = tail_digest(file.read, piece_end)
        pieces.append(
            FileRange(
                path=file.path,
                file=found.id,
                size=size,
                mtime_ns=found.mtime_ns,
                start=piece_start,
                end=piece_end,
                before_start=before,
                before_end=after,
                head=head,
                was=candidate.was,
            )
        )
        before = after
    return pieces


def _more_lines(file: OpenFile, end: int) -> bool:
    return next_line_end(file.read, end, file.status.size) is not None
