"""A word to whoever watches a run, while brokers give no answer."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from windowlog.access.telling import TOLD_S, tell


class Outage:
    """Of one open input: told once when it begins and once when it is over, however many calls
    fail meanwhile. `who` waits for `whom`, each time for `limit_s` at most."""

    def __init__(self, who: str, whom: str, limit_s: float) -> None:
        self._who, self._whom, self._limit_s = who, whom, limit_s
        self._since_s: float | None = None
        self._one_at_a_time = threading.Lock()

    def begins(self, since_s: float, why: str) -> None:
        """No answer since `since_s`, of `time.monotonic`."""
        with self._one_at_a_time:
            told, self._since_s = self._since_s is not None, self._since_s or since_s
        if not told:
            tell(f"{self._who}: waiting up to {self._limit_s:g} s for {self._whom}: {why}")

    def ends(self) -> None:
        """There is an answer, and a quick one."""
        if self._since_s is not None:
            seconds, self._since_s = time.monotonic() - self._since_s, None
            tell(f"{self._who}: {self._whom} answers again, after {seconds:.0f} s")


class Waiting:
    """For one call, as a context. It has a clock of its own, as one try alone may take half a
    minute. `slow` is for calls that take long by themselves: they wait for brokers only once a try
    has failed."""

    def __init__(self, outage: Outage, *, slow: bool) -> None:
        self._outage = outage
        self._why = "" if slow else "no answer yet"
        self._started_s = self._tried_s = time.monotonic()
        self._timer = threading.Timer(TOLD_S, self._look)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        if kind is None and time.monotonic() - self._tried_s < TOLD_S:
            self._outage.ends()

    def failed(self, error: Exception) -> None:
        """A try has failed, and there will be another one."""
        self._why = f"{type(error).__name__}: {error}"
        self._tried_s = time.monotonic()
        if self._tried_s - self._started_s >= TOLD_S:
            self._look()

    def _look(self) -> None:
        if self._why:
            self._outage.begins(self._started_s, self._why)
