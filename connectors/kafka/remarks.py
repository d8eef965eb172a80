"""What a run is warned of, and goes on."""

from __future__ import annotations

import time
from collections.abc import Iterable

from connectors.kafka.errors import NothingMatches, TransactionOpen
from connectors.kafka.look import Look, OpenTransaction
from connectors.kafka.position import Position
from connectors.kafka.settings import Settings
from windowlog.warned import warn


class Remarks:
    """Of one open input, `name`: each is made once."""

    def __init__(self, settings: Settings, name: str) -> None:
        self._settings = settings
        self._name = name
        self._reported: set[tuple[str, int, int]] = set()
        self._nothing_told = False

    def transactions(self, open_ones: Iterable[OpenTransaction]) -> None:
        """Those that have been open for long."""
        for one in open_ones:
            key = one.topic, one.partition, one.first
            age_s = time.time() - one.last_ms / 1000
            if age_s >= self._settings.stall_timeout_s and key not in self._reported:
                self._reported.add(key)
                warn(TransactionOpen(one.told(self._name)))

    def nothing_matches(self, position: Position, look: Look) -> None:
        """A pattern that was mistyped looks like topics in which nothing is new."""
        pattern = self._settings.pattern
        if pattern is None or position.topics or look.topics or self._nothing_told:
            return
        self._nothing_told = True
        text = f"no topic at {self._settings.where} matches pattern={pattern.pattern!r} as a whole"
        warn(NothingMatches(f"input {self._name}: {text} yet; mend the pattern if one should"))
