"""PlanNames: which records the folder of the plans has, and which of them are debris by now."""

from __future__ import annotations

from collections import deque

from windowlog import naming
from windowlog.contracts import Storage
from windowlog.notes import Notes


class PlanNames:
    """The names in `windows`, as far as this driver knows. Those below the low-water mark are
    debris: nobody believes them (I8), so they may go when there is time."""

    def __init__(self, windows: Storage, notes: Notes) -> None:
        self._windows = windows
        self._notes = notes
        self._kept: set[str] = set()
        self._debris: deque[str] = deque()
        self._mark = 0

    def refresh(self) -> set[str]:
        """Look, and forget what was known before. Also finds what a purge left that was cut off."""
        self._kept = set(self._windows.list())
        self._debris.clear()
        return set(self._kept)

    def add(self, name: str) -> None:
        """A record that we have created."""
        self._kept.add(name)

    def let_go(self, mark: int) -> None:
        """What lies below `mark` is debris from now on."""
        below = {name for name in self._kept if (naming.parse(name) or (mark,))[0] < mark}
        self._kept -= below
        self._debris.extend(sorted(below))
        self._mark = mark

    def sweep(self, at_once: int | None) -> int:
        """Delete the oldest debris, at most `at_once` records (None: all); how many went."""
        count = min(len(self._debris), len(self._debris) if at_once is None else at_once)
        for _ in range(count):
            self._windows.delete(self._debris[0], durable=False)
            self._debris.popleft()
        # What stands beside a plan goes after it: a plan that can be read has its skips.
        if count and not self._debris:
            self._notes.purge(self._mark)
        return count
