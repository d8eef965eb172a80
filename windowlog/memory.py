"""An input's own durable records: versions by window, the highest wins, none is overwritten."""

from __future__ import annotations

from collections.abc import Iterable

from windowlog import codec, naming
from windowlog.contracts import Storage
from windowlog.errors import RecordNotFound, RecordTorn
from windowlog.exclusive import create_once

KIND = "memory"


class LogMemory:
    """windowlog.contracts.Memory in a folder of the log's storage."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def newest(self) -> tuple[int, bytes] | None:
        """(window id, data) of the highest version, or None. RecordTorn if that one is damaged."""
        version = self.version()
        while version is not None:
            name = naming.numbered(version)
            try:
                data = self._storage.read(name)
                # It may have come into being after the listing was durable.
                self._storage.sync(name)
            except RecordNotFound:
                # Another driver is alive: its next version but one let go of this.
                older, version = version, self.version()
                if version == older:
                    raise
            else:
                return version, codec.unframe(data, kind=KIND, record_id=version, name=name)
        return None

    def damaged(self) -> tuple[tuple[str, ...], int | None]:
        """The names of the damaged versions above the highest that is whole, and the window of that
        one (None: there is none)."""
        names = []
        for version in sorted(self._versions(), reverse=True):
            name = naming.numbered(version)
            try:
                codec.unframe(self._storage.read(name), kind=KIND, record_id=version, name=name)
            except RecordTorn:
                names.append(name)
            except RecordNotFound:
                continue  # another driver is alive, and has let go of it
            else:
                return tuple(names), version
        return tuple(names), None

    def version(self) -> int | None:
        """The highest version's window, without reading it."""
        # Another driver's version may be visible and not yet durable: believe it only once it is
        # (I1).
        self._storage.sync()
        return max(self._versions(), default=None)

    def save(self, window_id: int, data: bytes) -> None:
        """Save the version of `window_id`, and let go of all but the one before it."""
        older = [version for version in self._versions() if version < window_id]
        name = naming.numbered(window_id)
        # The plans up to a window fix its version: whoever saved it saved the same.
        if create_once(self._storage, name, codec.frame(KIND, window_id, data)):
            for version in older[:-1]:
                self._storage.delete(naming.numbered(version), durable=False)

    def beyond(self, window_id: int) -> list[int]:
        """Versions past the log's newest window: of a log that was restored from an older
        backup."""
        return [version for version in self._versions() if version > window_id]

    def forget(self, versions: Iterable[int]) -> None:
        """Let go of these versions."""
        for version in versions:
            self._storage.delete(naming.numbered(version))

    def _versions(self) -> list[int]:
        return list(naming.attempts(self._storage.list()))
