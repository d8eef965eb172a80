"""Where a run's time goes: seconds by step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Timing:
    """Seconds by step, summed over a run. Measured with the machine's own clock, also in tests."""

    seconds: dict[str, float] = field(default_factory=dict)
    started_s: float = field(default_factory=time.perf_counter)

    def elapsed_s(self) -> float:
        """Since the run was made: what lies between the steps too."""
        return time.perf_counter() - self.started_s

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Add the time spent inside to step `name`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
