"""A path that leads to another file than before: the same text copied (an editor, `rsync`, a
restored backup), or a new file (rotation)?

Only content can tell, and only two digests of it are kept: of the first 4 KiB, and of the last
4 KiB before the place where reading goes on. If either agrees, a person has to say what it is: to
go on would pass over what a new file has, to begin anew would read a copy twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from connectors.files.folder import Gone, OpenFile
from connectors.files.identity import FileId, head_of
from connectors.files.index import Entry, Index
from connectors.files.lines import tail_digest
from connectors.files.locate import Locator
from connectors.files.walk import Tree


@dataclass(frozen=True, slots=True)
class Replacement:
    """File `new` stands where `old` stood, of which `entry` is known, and agrees with it. `follows`
    is True if it does so up to the place where reading goes on."""

    path: str
    old: FileId
    new: FileId
    entry: Entry
    follows: bool


def replacements(index: Index, tree: Tree, locator: Locator) -> Iterator[Replacement]:
    """Files of the tree that were never begun, and look like one that was read under their path and
    is nowhere any more."""
    gone: dict[str, list[FileId]] = defaultdict(list)
    for file_id in index.gone(tree):
        if index.entries[file_id].offset:
            gone[index.entries[file_id].path].append(file_id)
    if not gone:
        return
    renumbered = index.known(tree)
    for new, seen in tree.files.items():
        if seen.path in gone and new not in index.entries and new not in renumbered:
            olds = gone[seen.path]
            yield from _replacement(index, locator, new, seen.path, olds)


def _replacement(
    index: Index, locator: Locator, new: FileId, path: str, olds: list[FileId]
) -> Iterator[Replacement]:
    found: list[Replacement] = []
    try:
        with locator.open(path, new, None) as file:
            for old in olds if file is not None else ():
                entry = index.entries[old]
                assert file is not None
                follows = _follows(file, entry)
                if (follows or _begins_alike(file, entry)) and locator.find(old) is None:
                    found.append(Replacement(path, old, new, entry, follows))
    except Gone:
        return  # it is no more than the old one
    # Of several the one of which most was read: all that is less would be read twice.
    yield from sorted(found, key=lambda r: r.entry.offset)[-1:]


def _follows(file: OpenFile, entry: Entry) -> bool:
    return tail_digest(file.read, entry.offset) == entry.tail


def _begins_alike(file: OpenFile, entry: Entry) -> bool:
    head = entry.head
    return head is not None and head_of(file.read, file.status.size, head.length) == head
