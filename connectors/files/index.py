"""What was read of which file: the input's position, kept in memory and folded into the log's
storage.

The index is fixed by the plans: the same plans give the same index, whoever applies them and
however often a reset is applied. It grows with the files that are there, never with history: files
that are gone leave it.
"""

from __future__ import annotations

import builtins
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from connectors.files.errors import IndexLost, reset_to
from connectors.files.identity import FileId, Head
from connectors.files.parts import ranges
from connectors.files.walk import Tree
from windowlog.errors import NewerFormat, RecordTorn
from windowlog.values import Json, Plan

FORMAT = 1

# A file that moves between folders during a walk can be missed by it: one walk is no proof that it
# is gone.
MISSED_FOLDS_MAX = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its first `offset` bytes were read. `size` and `mtime_ns` are from when it was last
    planned, `tail` is the digest before `offset`, `head` one of the first bytes, `missed` counts
    the folds since it was last seen."""

    path: str
    offset: int
    size: int
    mtime_ns: int
    tail: str
    head: Head | None = None
    missed: int = 0


@dataclass
class Index:
    """`files` counts those begun, `bytes` all that were read, since the log began; both never
    decrease.

    `gap` tells, in words, where plans are missing: the index is then not to be believed.
    """

    entries: dict[FileId, Entry] = field(default_factory=dict)
    files: int = 0
    bytes: int = 0
    gap: str | None = None

    def end(self, more_files: int = 0, more_bytes: int = 0) -> dict[str, Json]:
        """A position: the totals after so much more."""
        return {"files": self.files + more_files, "bytes": self.bytes + more_bytes}

    def expect(self, after: Json, name: str) -> None:
        """IndexLost unless this is the whole index at position `after` (None: the start)."""
        if self.gap is not None or _totals(after) != (self.files, self.bytes):
            found = self.gap or _words(self.end())
            choices = [
                ("restore the folder inputs/ of the log from the same backup as the rest", ""),
                ("pass over all that is there now", reset_to(name, "end")),
                ("read all of it again", reset_to(name, "beginning")),
            ]
            raise IndexLost(choices=choices, input=name, found=found, expected=_words(after))

    def apply(self, plan: Plan) -> None:
        """Take a plan's ranges as read. An empty plan may carry a reset, which may be applied
        again.

        A plan that does not follow leaves a gap, which only a reset of everything closes."""
        if plan.empty and (reset := _reset_in(plan.end)) is not None:
            self._reset(reset, plan.end)
            return
        pieces = ranges(plan.parts)
        files, total = _totals(plan.end)
        if total - sum(piece.length for piece in pieces) != self.bytes:
            self.gap = self.gap or _words(self.end())
        for piece in pieces:
            if piece.was is not None:
                self.entries.pop(piece.was, None)
            self.entries[piece.file] = Entry(
                piece.path, piece.end, piece.size, piece.mtime_ns, piece.before_end, piece.head
            )
        self.files, self.bytes = files, total

    def _reset(self, reset: dict[str, Any], end: Json) -> None:
        if reset["clear"]:
            self.entries.clear()
            self.gap = None
        for file_id in reset["drop"]:
            self.entries.pop(FileId.parse(file_id), None)
        self.entries.update(_entries_from_json(reset["files"]))
        self.files, self.bytes = _totals(end)

    def entry(self, file_id: FileId, tree: Tree) -> Entry | None:
        """What is known of a file of the tree."""
        return self.entries.get(file_id) or self.entries.get(self.known(tree).get(file_id, file_id))

    def known(self, tree: Tree) -> dict[FileId, FileId]:
        """Id in the tree -> id in the index, for files whose device has another number since (a
        reboot, a mount).

        Birth time and inode say it; the digest before the place where reading goes on is checked by
        the plan."""
        strange = tree.files.keys() - self.entries.keys()
        if not strange:
            return {}
        lost = {(i.inode, i.born_ns): i for i in self.entries if i.born_ns and i not in tree.files}
        pairs = ((i, lost.get((i.inode, i.born_ns))) for i in strange) if lost else ()
        return {new: old for new, old in pairs if old is not None}

    def gone(self, tree: Tree) -> set[FileId]:
        """Files of the index that are nowhere in the tree, nor there under another device
        number."""
        missing = self.entries.keys() - tree.files.keys()
        return missing - set(self.known(tree).values()) if missing else set()

    def forget(self, tree: Tree) -> None:
        """Let go of files that are gone for good; take over new device numbers. Part of a fold."""
        for new, old in self.known(tree).items():
            self.entries[new] = self.entries.pop(old)
        for file_id, entry in list(self.entries.items()):
            # A whole device that is gone is a missing mount, and its files come back with it.
            gone = file_id not in tree.files and file_id.device in tree.devices
            if gone and entry.missed + 1 >= MISSED_FOLDS_MAX and entry.offset >= entry.size:
                del self.entries[file_id]
            elif gone or entry.missed:
                self.entries[file_id] = replace(entry, missed=entry.missed + 1 if gone else 0)

    def encode(self) -> builtins.bytes:
        """The index as bytes: compressed JSON, about 60 bytes for a file."""
        body = {
            "format": FORMAT,
            "files": self.files,
            "bytes": self.bytes,
            "entries": entries_to_json(self.entries.items()),
        }
        return zlib.compress(json.dumps(body, separators=(",", ":")).encode("ascii"), 1)

    @classmethod
    def decode(cls, data: builtins.bytes, name: str) -> Index:
        """The index that `encode` wrote. RecordTorn or NewerFormat otherwise."""
        try:
            body = json.loads(zlib.decompress(data))
            if body["format"] == FORMAT:
                return cls(_entries_from_json(body["entries"]), body["files"], body["bytes"])
        except (zlib.error, ValueError, KeyError, TypeError) as error:
            where = f"memory of input {name}"
            raise RecordTorn(name=where, expected="an index of files", found=error) from error
        raise NewerFormat(name=f"memory of input {name}", version=body["format"], known=FORMAT)


def entries_to_json(entries: Iterable[tuple[FileId, Entry]]) -> list[Json]:
    """Entries as JSON: in the memory, and in a reset."""
    return [
        [str(i), e.path, e.offset, e.size, e.mtime_ns, e.tail, list(e.head or ()), e.missed]
        for i, e in entries
    ]


def _entries_from_json(rows: Any) -> dict[FileId, Entry]:
    return {
        FileId.parse(i): Entry(
            path, offset, size, mtime, tail, Head(*head) if head else None, missed
        )
        for i, path, offset, size, mtime, tail, head, missed in rows
    }


def _reset_in(end: Any) -> dict[str, Any] | None:
    """What an empty plan resets. No end at all is the start: an input that was adopted anew."""
    if end is None:
        return {"clear": True, "drop": [], "files": []}
    found: dict[str, Any] | None = end.get("reset")
    return found


def _totals(position: Any) -> tuple[int, int]:
    return (position["files"], position["bytes"]) if position is not None else (0, 0)


def _words(position: Any) -> str:
    files, total = _totals(position)
    return f"{files} files and {total} bytes"
