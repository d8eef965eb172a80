"""Finding a planned file again: under its path, or after a rotation under another one."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from connectors.files.errors import Unreadable
from connectors.files.identity import FileId, Head, Status, head_of, status, status_of
from connectors.files.walk import Tree

# A path may have become a pipe since the walk: opening that would wait for a writer.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file that is open for reading, known to be the one that was wanted."""

    path: str
    descriptor: int
    status: Status


class Locator:
    """Opens files by id. Walks the folder once, and only when a path does not lead to its file any
    more.
    """

    def __init__(self, folder: str, name: str, walk: Callable[[], Tree]) -> None:
        self._folder = folder
        self._name = name
        self._walk = walk
        self._now: Tree | None = None

    @contextmanager
    def open(self, path: str, file_id: FileId, head: Head | None) -> Iterator[OpenFile | None]:
        """The file, wherever it is now; None if it is gone. Raises Unreadable."""
        file = self._try(path, file_id, head)
        if file is None:
            moved = self.find(file_id)
            file = self._try(moved, file_id, head) if moved is not None else None
        try:
            yield file
        finally:
            if file is not None:
                os.close(file.descriptor)

    def status(self, path: str) -> Status | None:
        """What stands at a path now; None if nothing does."""
        try:
            return status(os.fsencode(os.path.join(self._folder, path)))
        except (OSError, UnicodeEncodeError):
            return None

    def now(self) -> Tree:
        """The folder as a fresh walk sees it: one walk for each Locator."""
        if self._now is None:
            self._now = self._walk()
        return self._now

    def find(self, file_id: FileId) -> str | None:
        """The path that a file has now, by a fresh walk."""
        now = self.now()
        seen = now.files.get(file_id)
        if seen is None and file_id.born_ns:
            alike = (s for i, s in now.files.items() if i.could_be(file_id))
            seen = next(alike, None)
        return seen.path if seen is not None else None

    def _try(self, path: str, file_id: FileId, head: Head | None) -> OpenFile | None:
        absolute = os.path.join(self._folder, path)
        try:
            descriptor = os.open(absolute, _FLAGS)
        except (FileNotFoundError, NotADirectoryError, UnicodeEncodeError):
            # The last: planned under a locale that has more letters. Its id finds it.
            return None
        except PermissionError as error:
            raise Unreadable(input=self._name, path=absolute, reason=error.strerror) from error
        try:
            found = status_of(descriptor)
            if stat.S_ISREG(found.mode) and _is_it(descriptor, found, file_id, head):
                return OpenFile(path, descriptor, found)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None


def _is_it(descriptor: int, found: Status, file_id: FileId, head: Head | None) -> bool:
    if not found.id.could_be(file_id):
        return False
    # Truncated to less than the head: what is left decides, and the size is refused elsewhere.
    if head is None or found.size < head.length:
        return True
    return head_of(descriptor, found.size, head.length) == head
