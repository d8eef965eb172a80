"""Rivals that do the same job, in turns: how long each takes, and how much memory."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from benchmarks.memory import Peaks, watched
from windowed import Summary

_Job = TypeVar("_Job")


@dataclass
class Rival(Generic[_Job]):
    """`work` does a job in a folder that is new, and gives its run's summary if it is ours."""

    work: Callable[[_Job, Path], Summary | None]
    seconds: list[float] = field(default_factory=list)
    peaks: Peaks = field(default_factory=Peaks)
    summary: Summary | None = None

    def run(self, job: _Job, folder: Path) -> None:
        """Once."""
        folder.mkdir()
        with watched() as peaks:
            start_s = time.perf_counter()
            self.summary = self.work(job, folder)
            self.seconds.append(time.perf_counter() - start_s)
        # Rounds of a minute each: whoever waits sees that there is progress.
        print(f"  {folder.name}: {self.seconds[-1]:.1f} s", file=sys.stderr, flush=True)
        # The first time has the fewest traces of the others: a JVM seldom gives memory back.
        self.peaks = self.peaks if len(self.seconds) > 1 else peaks

    def forget(self) -> None:
        """What was a warm-up does not count."""
        self.seconds.clear()
