"""Turns: a pipeline and its rival work window by window, one after the other, never both."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from windowed import Listener
from windowlog.window import Window


@dataclass
class Turns(Listener):
    """Hears of each committed window, and lets the rival do the same one before the run goes on.

    `ours_s` is the whole cycle, from the end of the rival's turn to `committed`: purge, plan, log,
    read, transform, stage, verify, hold and the telling. The first `warm_up` pairs do not count.
    `seconds` gives the run's sums by step; they lag by one window and are kept for each.
    """

    rival: Callable[[int], None]
    seconds: Callable[[], Mapping[str, float]]
    warm_up: int
    ours_s: list[float] = field(default_factory=list)
    rival_s: list[float] = field(default_factory=list)
    snapshots: list[dict[str, float]] = field(default_factory=list)
    _turn_ended_s: float = field(default_factory=time.perf_counter)
    _seen: int = 0

    def committed(self, window: Window) -> None:
        """The pipeline's window is done: measure it, then the rival's."""
        done_s = time.perf_counter()
        self.rival(window.id)
        rival_done_s = time.perf_counter()
        if self._seen >= self.warm_up:
            self.ours_s.append(done_s - self._turn_ended_s)
            self.rival_s.append(rival_done_s - done_s)
            self.snapshots.append(dict(self.seconds()))
        self._seen += 1
        self._turn_ended_s = time.perf_counter()
