"""Small windows: a window of 1,000 lines against a batch of Structured Streaming's foreachBatch."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.by_hand import TABLE, ByHand, check_equal
from benchmarks.command import alone
from benchmarks.result import Figure, Grid, Result
from benchmarks.stats import median, percentile, steps
from benchmarks.stream import Stream
from benchmarks.text import lines
from benchmarks.turns import Turns
from connectors import FileInput
from jdbc_sink import JdbcSink, accumulate
from samples.session import local_session
from samples.wordcount import count_words
from windowed import Pipeline, Run, windows

_UNIT = "of its time"


@dataclass(frozen=True, slots=True)
class Sizes:
    """`windows` are measured, after `warm_up` others: a JVM needs its time."""

    windows: int
    warm_up: int
    lines: int


FULL = Sizes(windows=100, warm_up=30, lines=1000)
QUICK = Sizes(windows=20, warm_up=10, lines=1000)


def measure(sizes: Sizes, folder: Path) -> Result:
    """Both read the same files with the same query in one Spark session, one after the other."""
    source = _files(folder / "in", sizes)
    by_hand = ByHand(folder / "stream.duckdb")
    spark = local_session("small_windows")
    stream = Stream(by_hand, count_words)
    stream.start(spark, source, folder / "checkpoint")
    pipeline = Pipeline(
        "small_windows",
        inputs={"lines": FileInput(source, max_files_per_window=1)},
        transform=count_words,
        sinks={"counts": _sink(folder / "ours.duckdb")},
        log=folder / "log",
    )
    started: list[Run] = []
    turns = Turns(
        rival=lambda _: stream.turn(),
        seconds=lambda: started[0].progress.seconds if started else {},
        warm_up=sizes.warm_up,
    )
    until = windows(sizes.windows + sizes.warm_up)
    try:
        started.append(pipeline.start(spark, until=until, listeners=[turns]))
        started[0].wait()
        phases = stream.durations()
    finally:
        stream.stop()
        by_hand.close()
    check_equal(folder / "ours.duckdb", folder / "stream.duckdb")
    return _result(sizes, turns, phases)


def _sink(path: Path) -> JdbcSink:
    mode = accumulate(key=["word"], add=["count"])
    return JdbcSink(f"duckdb:///{path}", table=TABLE, mode=mode)


def _files(folder: Path, sizes: Sizes) -> Path:
    """A file for each window, and one more: the stream plans it at the end of its last turn.

    Each is a second younger than the one before: both rivals take the oldest first."""
    folder.mkdir()
    real = lines()
    count = sizes.warm_up + sizes.windows + 1
    oldest_s = time.time() - count
    for number in range(count):
        path = folder / f"{number:05d}.txt"
        path.write_bytes(b"".join(islice(real, sizes.lines)))
        os.utime(path, (oldest_s + number, oldest_s + number))
    return folder


def _result(sizes: Sizes, turns: Turns, phases: dict[str, list[float]]) -> Result:
    ratios = [ours / rival for ours, rival in zip(turns.ours_s, turns.rival_s, strict=True)]
    rows = [_row("ours", turns.ours_s), _row("foreachBatch", turns.rival_s)]
    by_step = [_row(step, taken) for step, taken in steps(turns.snapshots).items()]
    by_phase = [
        _row(phase, [ms / 1000 for ms in taken[-sizes.windows :]])
        for phase, taken in phases.items()
    ]
    return Result(
        "small_windows",
        f"How long does a window of {sizes.lines:,} lines take, word count into DuckDB?",
        [Figure("a window against foreachBatch, median of pairs", median(ratios), _UNIT, 0.45)],
        [
            Grid("a window, ms", ("", "median", "p99"), rows),
            Grid("ours by step, ms", ("step", "median", "p99"), by_step),
            Grid("foreachBatch around its batch, ms", ("phase", "median", "p99"), by_phase),
        ],
        ["One session, the same files and query; the stream's sink is written by hand, by Arrow."],
    )


def _row(name: str, seconds: Sequence[float]) -> tuple[str, float, float]:
    return name, median(seconds) * 1000, percentile(seconds, 99) * 1000


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
