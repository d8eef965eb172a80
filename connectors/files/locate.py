"""Finding a planned file again: under its path, or after a rotation under another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from connectors.files.folder import Folder, OpenFile
from connectors.files.identity import FileId, Head, Status, head_of
from connectors.files.walk import Tree


class Locator:
    """Opens files by id. Walks the folder once, and only when a path does not lead to its file any
    more.
    """

    def __init__(self, folder: Folder, name: str, walk: Callable[[], Tree]) -> None:
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
                file.close()

    def status(self, path: str) -> Status | None:
        """What stands at a path now; None if nothing does."""
        return self._folder.status(path, self._name)

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
        file = self._folder.open(path, self._name)
        if file is None:
            return None
        try:
            if _is_it(file, file_id, head):
                return file
        except BaseException:
            file.close()
            raise
        file.close()
        return None


def _is_it(file: OpenFile, file_id: FileId, head: Head | None) -> bool:
    found = file.status
    if not found.id.could_be(file_id):
        return False
    # Truncated to less than the head: what is left decides, and the size is refused elsewhere.
    if head is None or found.size < head.length:
        return True
    return head_of(file.read, found.size, head.length) == head
