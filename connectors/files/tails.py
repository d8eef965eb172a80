"""Unterminated last lines: whether one is quiet, and which files need not be looked at again until
they change.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from connectors.files.identity import FileId

_State = tuple[int, int, int]


class Tails:
    """Remembers, for this process only, which files have nothing but an unterminated line after
    `start`.

    Nothing here decides what is read, only when: a new process begins with an empty memory.
    """

    def __init__(self, quiet_s: float, *, take: bool, clock: Callable[[], datetime]) -> None:
        self._quiet_s = quiet_s
        self._take = take
        self._clock = clock
        self._since: dict[FileId, tuple[_State, float]] = {}

    @property
    def take(self) -> bool:
        """True when a quiet unterminated line counts as a line."""
        return self._take

    def settled(self, file_id: FileId, start: int, size: int, mtime_ns: int) -> bool:
        """True when a look at the file can give nothing: as it was when its tail was not to be
        taken.
        """
        known = self._since.get(file_id)
        if known is None or known[0] != (start, size, mtime_ns):
            return False
        return not (self._take and self.quiet(file_id, start, size, mtime_ns))

    def unready(self, file_id: FileId, start: int, size: int, mtime_ns: int) -> None:
        """Remember that nothing but an unterminated line lies between `start` and `size`."""
        state = start, size, mtime_ns
        if self._since.get(file_id, (None,))[0] != state:
            self._since[file_id] = state, self._now_s()

    def quiet(self, file_id: FileId, start: int, size: int, mtime_ns: int) -> bool:
        """True when nobody has written for `quiet_s`: by the file's time, or as long as this
        process has watched.

        The latter because a clock that was set back, or a time in the future, would never let a
        file be quiet."""
        now_s = self._now_s()
        if now_s - mtime_ns / 1e9 >= self._quiet_s:
            return True
        known = self._since.get(file_id)
        if known is None or known[0] != (start, size, mtime_ns):
            return self._quiet_s <= 0
        if now_s < known[1]:
            self._since[file_id] = known[0], now_s
            return False
        return now_s - known[1] >= self._quiet_s

    def keep(self, ids: set[FileId]) -> None:
        """Forget all files but these."""
        self._since = {i: since for i, since in self._since.items() if i in ids}

    def _now_s(self) -> float:
        return self._clock().timestamp()
