"""Looking into an input's memory without leaving anything behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windowlog.contracts import Memory


class ReadOnlyMemory:
    """An input's memory for a look that must leave nothing behind."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def newest(self) -> tuple[int, bytes] | None:
        """As it is."""
        return self._memory.newest()

    def save(self, window_id: int, data: bytes) -> None:
        """Nothing is saved."""
