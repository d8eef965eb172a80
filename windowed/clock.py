"""Time: what the wall says, what has passed, and waiting that a stop can end. `windowed.testing`
has one by hand."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where a run gets its time from."""

    def now(self) -> datetime:
        """The moment, timezone-aware."""

    def monotonic_s(self) -> float:
        """Seconds that only grow, for measuring."""

    def wait(self, seconds: float, stop: threading.Event) -> None:
        """Let time pass; return early when `stop` is set."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The moment, in UTC."""
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def wait(self, seconds: float, stop: threading.Event) -> None:
        """Sleep, unless stopped."""
        stop.wait(seconds)
