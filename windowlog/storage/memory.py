"""MemoryStorage: the model of the other storages; for tests, and for logs that need not last."""

from __future__ import annotations

import threading

from windowlog.errors import RecordExists, RecordNotFound
from windowlog.storage.names import check_name


class MemoryStorage:
    """Records in memory. Obeys `Storage`; safe from several threads.

    What `within` gives shares the tree: two storages of one sub-folder see the same records. To
    play a restart, hand the same object to the next run; nothing in it is ever lost or half.
    """

    def __init__(self) -> None:
        self._folder = "memory:"
        self._tree: dict[str, dict[str, bytes]] = {}
        self._lock = threading.Lock()

    def read(self, name: str) -> bytes:
        """All bytes of a record. RecordNotFound if there is none."""
        with self._lock:
            return self._existing(name)

    def create(self, name: str, data: bytes) -> None:
        """Create a record. RecordExists if the name is taken: exactly one creator wins."""
        with self._lock:
            self._free(name)[name] = bytes(data)

    def list(self) -> list[str]:
        """Names of the records here, sorted, without sub-folders. Empty if none."""
        with self._lock:
            return sorted(self._records())

    def rename(self, source: str, target: str) -> None:
        """Move a record to a free name. RecordExists if taken, RecordNotFound if no source."""
        with self._lock:
            data = self._existing(source)
            self._free(target)[target] = data
            del self._records()[source]

    def delete(self, name: str, *, durable: bool = True) -> None:
        """Remove a record; nothing happens if it is not there."""
        check_name(name)
        with self._lock:
            self._records().pop(name, None)

    def sync(self, name: str | None = None) -> None:
        """Nothing is ever left half way here. RecordNotFound if there is no record `name`."""
        if name is not None:
            self.read(name)

    def within(self, folder: str) -> MemoryStorage:
        """The storage of a sub-folder, in the same tree."""
        check_name(folder, "folder")
        inner = MemoryStorage()
        inner._folder = f"{self._folder}/{folder}"
        inner._tree = self._tree
        inner._lock = self._lock
        return inner

    def describe(self) -> str:
        """`memory:` and the sub-folder."""
        return self._folder

    def close(self) -> None:
        """Nothing is released: the records are there as long as the object is."""

    def _records(self) -> dict[str, bytes]:
        return self._tree.setdefault(self._folder, {})

    def _existing(self, name: str) -> bytes:
        check_name(name)
        try:
            return self._records()[name]
        except KeyError:
            raise RecordNotFound(name=name, where=self._folder) from None

    def _free(self, name: str) -> dict[str, bytes]:
        check_name(name)
        records = self._records()
        if name in records:
            raise RecordExists(name=name, where=self._folder)
        return records
