"""An input's own durable records: versions by window, the highest wins, none is overwritten."""

from __future__ import annotations

from windowlog import codec, naming
from windowlog.contracts import Storage
from windowlog.errors import RecordExists

KIND = "memory"


class LogMemory:
    """windowlog.contracts.Memory in a folder of the log's storage."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def newest(self) -> tuple[int, bytes] | None:
        """(window id, data) of the highest version, or None. RecordTorn if that one is damaged."""
        version = self.version()
        if version is None:
            return None
        name = naming.numbered(version)
        return version, codec.unframe(
            self._storage.read(name), kind=KIND, record_id=version, name=name
        )

    def version(self) -> int | None:
        """The highest version's window, without reading it."""
        # Another driver's version may be visible and not yet durable: believe it only once it is
        # (I1).
        self._storage.sync()
        return max(self._versions(), default=None)

    def save(self, window_id: int, data: bytes) -> None:
        """Save the version of `window_id`, and let go of all but the one before it."""
        older = [version for version in self._versions() if version < window_id]
        try:
            self._storage.create(naming.numbered(window_id), codec.frame(KIND, window_id, data))
        except RecordExists:
            return  # the plans up to a window fix its version: whoever saved it saved the same
        for version in older[:-1]:
            self._storage.delete(naming.numbered(version), durable=False)

    def _versions(self) -> list[int]:
        return list(naming.attempts(self._storage.list()))
