"""Where a reset leads, and what it costs in lines. Everything is fixed when it is asked: files that
come later are new.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from connectors.files.folder import OpenFile
from connectors.files.identity import FileId, head_of
from connectors.files.index import Entry, Index, entries_to_json
from connectors.files.lines import begins_a_line, count_lines, last_line_end, tail_digest
from connectors.files.locate import Locator
from connectors.files.parts import printable
from connectors.files.replaced import replacements
from connectors.files.walk import Tree
from windowlog.errors import BadArgument
from windowlog.values import Json, Seek

_ALLOWED = '"beginning", "end", or PATH@OFFSET (PATH@beginning, PATH@end) of a file in the folder'


@dataclass(frozen=True)
class Seeker:
    """Answers `seek` for one state of index and folder."""

    index: Index
    tree: Tree
    locator: Locator

    def seek(self, to: str) -> Seek:
        """As windowlog.contracts.Input.seek says. BadArgument for a place that is none."""
        if to == "beginning":
            again = sum(self._lines_read(file_id) for file_id in self.tree.files)
            return self._answer(to, {}, again=again, clear=True)
        if to == "end":
            return self._to_end()
        path, _, place = to.rpartition("@")
        file_id = self._lost(path) if place == "end" else None
        file_id = file_id or self._find(path)
        if not (path and (place in ("beginning", "end") or _is_number(place))):
            raise BadArgument(argument="to", value=to, allowed=_ALLOWED)
        if file_id is None:
            allowed = f"the path of a file that is, or was, in the input's folder; {path} is none"
            raise BadArgument(argument="to", value=to, allowed=allowed)
        if file_id not in self.tree.files:
            return self._give_up(to, file_id, place)
        return self._to_place(to, file_id, place)

    @cached_property
    def _old(self) -> dict[FileId, FileId]:
        """New file -> the file that it looks like, and whose place it has taken."""
        found = replacements(self.index, self.tree, self.locator)
        return {r.new: r.old for r in found}

    def _lost(self, path: str) -> FileId | None:
        """A file that is gone with an unread rest: it stands in the way of all others of its
        path."""
        gone = self.index.gone(self.tree) - set(self._old.values())
        entries = ((i, self.index.entries[i]) for i in gone)
        names = ((i, e.path) for i, e in entries if e.offset < e.size)
        return next((i for i, p in names if path in (p, printable(p))), None)

    def _find(self, path: str) -> FileId | None:
        """A file by its path, plain or as messages print it: one that is there, else one that
        was.
        """
        seen = ((i, s.path) for i, s in self.tree.files.items())
        gone = ((i, e.path) for i, e in self.index.entries.items())
        return next((i for i, p in chain(seen, gone) if path in (p, printable(p))), None)

    def _entry(self, file_id: FileId) -> Entry | None:
        return self.index.entry(self._old.get(file_id, file_id), self.tree)

    def _lines_read(self, file_id: FileId) -> int:
        entry = self._entry(file_id)
        if entry is None:
            return 0
        with self._open(file_id) as file:
            if file is None:
                return 0
            return count_lines(file.read, 0, min(entry.offset, file.status.size))

    def _to_end(self) -> Seek:
        """All files with the end of their last whole line: a line that goes on is then read
        whole.
        """
        entries: dict[FileId, Entry] = {}
        passed_over = 0
        for file_id in self.tree.files:
            with self._open(file_id) as file:
                if file is not None and file.status.size:
                    known = self._entry(file_id)
                    start = known.offset if known is not None else 0
                    end = _whole_lines(file, start)
                    entries[file_id] = _entry_at(file, end)
                    passed_over += count_lines(file.read, min(start, end), end)
        return self._answer("end", entries, passed_over=passed_over, clear=True)

    def _to_place(self, to: str, file_id: FileId, place: str) -> Seek:
        with self._open(file_id) as file:
            if file is None:
                raise BadArgument(argument="to", value=to, allowed=_ALLOWED)
            known = self._entry(file_id)
            start = min(known.offset if known is not None else 0, file.status.size)
            offset = _offset(file, place, start)
            if offset > file.status.size or not _fits(file, offset):
                size = file.status.size
                allowed = f"an offset where a line begins, from 0 to the file's {size} bytes"
                raise BadArgument(argument="to", value=to, allowed=allowed)
            again = count_lines(file.read, min(offset, start), start)
            passed_over = count_lines(file.read, min(offset, start), offset)
            entries = {file_id: _entry_at(file, offset)}
            if offset < start:
                passed_over = 0
            return self._answer(
                to, entries, again=again if offset < start else 0, passed_over=passed_over
            )

    def _give_up(self, to: str, file_id: FileId, place: str) -> Seek:
        """The unread rest of a file that is gone."""
        if place != "end":
            allowed = "PATH@end for a file that is gone: nothing can be read of it"
            raise BadArgument(argument="to", value=to, allowed=allowed)
        entry = self.index.entries[file_id]
        return self._answer(to, {file_id: replace(entry, offset=entry.size)}, passed_over=None)

    def _answer(
        self,
        to: str,
        entries: dict[FileId, Entry],
        *,
        again: int = 0,
        passed_over: int | None = 0,
        clear: bool = False,
    ) -> Seek:
        before = self.index.known(self.tree) | self._old
        reset: dict[str, Json] = {
            "to": to,
            "clear": clear,
            "drop": [str(before[i]) for i in entries if i in before],
            "files": entries_to_json(entries.items()),
        }
        return Seek({**self.index.end(), "reset": reset}, again, passed_over)

    def _open(self, file_id: FileId) -> AbstractContextManager[OpenFile | None]:
        return self.locator.open(self.tree.files[file_id].path, file_id, None)


def _is_number(place: str) -> bool:
    return place.isascii() and place.isdecimal() and len(place) < 19


def _offset(file: OpenFile, place: str, start: int) -> int:
    if place == "beginning":
        return 0
    if place == "end":
        # An unterminated line that is all the rest: to pass over it is what was asked for.
        end = _whole_lines(file, start)
        return end if end > start else file.status.size
    return int(place)


def _fits(file: OpenFile, offset: int) -> bool:
    return offset == file.status.size or begins_a_line(file.read, offset)


def _whole_lines(file: OpenFile, start: int) -> int:
    """The end of the last whole line; what was read already (an unterminated line, too) stays
    read.
    """
    size = file.status.size
    if start > size:
        start = 0
    return last_line_end(file.read, start, size) or start


def _entry_at(file: OpenFile, offset: int) -> Entry:
    found = file.status
    head = head_of(file.read, found.size)
    tail = tail_digest(file.read, offset)
    return Entry(file.path, offset, found.size, found.mtime_ns, tail, head)
