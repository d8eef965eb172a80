"""One walk over a folder: which files are there, without reading any.

Left alone: names that begin with `_` or `.` (files and folders), what Hadoop's shell is still
copying (`NAME._COPYING_`), and all that is neither a file nor a folder. Links are followed, a
folder is walked once however many links lead to it, and a file that has several names is one file.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from connectors.files.errors import FolderMissing, Unreadable
from connectors.files.identity import FileId, Status, status

_HIDDEN = ("_", ".")
# `hdfs dfs -put` and `-get` give a file its own name when it is whole. One that was interrupted
# leaves half of it, and the next one writes it again, as another file.
_COPYING = "._COPYING_"
# Trying again does not help; other errors of the disk may go by.
_FOR_GOOD = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG)


class Seen(NamedTuple):
    """A file as a walk saw it. `path` is relative to the folder, with `/` between names."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Tree:
    """All files of a folder at one moment. `devices` are those of its files and folders."""

    files: dict[FileId, Seen]
    devices: frozenset[int] = field(default=frozenset())


def walk(folder: str, pattern: re.Pattern[str], name: str) -> Tree:
    """The files below `folder` whose path matches. `name` is the input's, for messages.

    Raises FolderMissing, or Unreadable for a folder that may not be listed; what vanishes meanwhile
    is not there."""
    root = os.fsencode(folder)
    walker = _Walker(root, pattern, name)
    try:
        walker.enter(b"")
    except FileNotFoundError as error:
        raise FolderMissing(input=name, path=folder, found="does not exist") from error
    except NotADirectoryError as error:
        raise FolderMissing(input=name, path=folder, found="is not a folder") from error
    while walker.folders or walker.links:
        walker.step()
    return Tree(walker.files, frozenset(walker.devices))


def is_hidden(name: str) -> bool:
    """Is a file or folder of this name left alone?"""
    return name.startswith(_HIDDEN) or name.endswith(_COPYING)


def would_find(folder: str, pattern: re.Pattern[str], path: str) -> bool:
    """Would a walk find a file at this absolute path, if it were there? Links inside the folder are
    not followed."""
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    names = inside.split(os.sep)
    hidden = any(map(is_hidden, names))
    return not hidden and pattern.fullmatch("/".join(names)) is not None


class _Walker:
    def __init__(self, root: bytes, pattern: re.Pattern[str], name: str) -> None:
        self.files: dict[FileId, Seen] = {}
        self.devices: set[int] = set()
        self.folders: list[bytes] = []
        self.links: list[bytes] = []
        self._root = root
        self._pattern = pattern
        self._name = name
        self._linked: set[FileId] = set()
        self._walked: set[tuple[int, int]] = set()

    def step(self) -> None:
        """Real folders first: what has a name of its own is known by it, and not by a link's."""
        try:
            if self.folders:
                self.enter(self.folders.pop())
            else:
                self._follow(self.links.pop())
        except (FileNotFoundError, NotADirectoryError):
            pass  # it was there a moment ago

    def enter(self, folder: bytes) -> None:
        """List one folder, unless it was listed already."""
        absolute = os.path.join(self._root, folder)
        inside = folder + b"/" if folder else b""
        try:
            found = os.stat(absolute)
            key = found.st_dev, found.st_ino
            if key in self._walked:
                return
            self._walked.add(key)
            self.devices.add(found.st_dev)
            with os.scandir(absolute) as entries:
                for entry in entries:
                    if not is_hidden(os.fsdecode(entry.name)):
                        self._entry(entry, inside + entry.name)
        except OSError as error:
            if error.errno not in _FOR_GOOD:
                raise
            raise self._unreadable(absolute, error) from error

    def _entry(self, entry: os.DirEntry[bytes], path: bytes) -> None:
        if entry.is_file(follow_symlinks=False):
            shown = os.fsdecode(path)
            if self._pattern.fullmatch(shown) is not None:
                with suppress(FileNotFoundError):
                    self._file(shown, status(entry.path))
        elif entry.is_symlink():
            self.links.append(path)
        elif entry.is_dir(follow_symlinks=False):
            self.folders.append(path)

    def _follow(self, link: bytes) -> None:
        try:
            found = status(os.path.join(self._root, link))
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                return  # it leads nowhere, or in a circle
            if error.errno not in _FOR_GOOD:
                raise
            raise self._unreadable(link, error) from error
        shown = os.fsdecode(link)
        if stat.S_ISDIR(found.mode):
            self.folders.append(link)
        elif stat.S_ISREG(found.mode) and self._pattern.fullmatch(shown) is not None:
            self._linked_file(shown, found)

    def _linked_file(self, path: str, found: Status) -> None:
        """A file is known by its own name; by a link's only if it has none here."""
        if found.id in self._linked or found.id not in self.files:
            self._linked.add(found.id)
            self._file(path, found)

    def _file(self, path: str, found: Status) -> None:
        """Of several names the first in order: the same on every walk."""
        other = self.files.get(found.id)
        if other is None or path < other.path:
            self.files[found.id] = Seen(path, found.size, found.mtime_ns)
            self.devices.add(found.id.device)

    def _unreadable(self, path: bytes, error: OSError) -> Unreadable:
        shown = os.fsdecode(os.path.join(self._root, path))
        return Unreadable(input=self._name, path=shown, reason=error.strerror)
