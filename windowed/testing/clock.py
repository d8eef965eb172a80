"""A clock by hand: time passes when a test says so, and when somebody waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

START = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)


class ManualClock:
    """windowed.clock.Clock without waiting: `wait` moves the clock at once.

    `on_wait(clock)` is called at each wait: the place for new data to arrive, or for `stop.set()`.
    """

    def __init__(
        self, start: datetime = START, on_wait: Callable[[ManualClock], None] | None = None
    ) -> None:
        self._start = start
        self._passed_s = 0.0
        self._on_wait = on_wait
        self.waits: list[float] = []

    def now(self) -> datetime:
        """The start plus all that has passed."""
        return self._start + timedelta(seconds=self._passed_s)

    def monotonic_s(self) -> float:
        """Seconds since the start."""
        return self._passed_s

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._passed_s += seconds

    def wait(self, seconds: float, stop: threading.Event) -> None:
        """Let that time pass at once, and remember it in `waits`."""
        self.waits.append(seconds)
        self.advance(seconds)
        if self._on_wait is not None:
            self._on_wait(self)
