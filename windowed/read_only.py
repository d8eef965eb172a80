"""An input's memory as a start or a command hands it to the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windowlog.errors import RecordTorn

if TYPE_CHECKING:
    from windowlog.contracts import Memory


class JudgedMemory:
    """An input's memory after the decision. A damaged one counts as none: row Y has refused, unless
    a reset took its place."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def newest(self) -> tuple[int, bytes] | None:
        """As it is, if it can be read."""
        try:
            return self._memory.newest()
        except RecordTorn:
            return None

    def save(self, window_id: int, data: bytes) -> None:
        """As it is."""
        self._memory.save(window_id, data)


class ReadOnlyMemory(JudgedMemory):
    """The same for a look that must leave nothing behind."""

    def save(self, window_id: int, data: bytes) -> None:
        """Nothing is saved."""
