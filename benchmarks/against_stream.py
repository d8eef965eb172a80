"""A pipeline against Structured Streaming's foreachBatch, window by window, into the same kind of
DuckDB table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.by_hand import TABLE, ByHand, check_equal
from benchmarks.result import Figure, Grid, Result
from benchmarks.stats import median, percentile, steps
from benchmarks.stream import Stream
from benchmarks.turns import Turns
from jdbc_sink import JdbcSink, accumulate, upsert
from windowed import Pipeline, Run, windows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from windowlog.contracts import Input
    from windowlog.state_store import StateStore

_UNIT = "of its time"


@dataclass(frozen=True, slots=True)
class Sizes:
    """`windows` are measured, after `warm_up` others: a JVM needs its time."""

    windows: int
    warm_up: int
    lines: int


@dataclass(frozen=True, slots=True)
class Match:
    """What both read, ours planned by an input, theirs as a stream of the same windows; `limit` is
    what is promised of ours. With `totals` theirs is a stream of new totals, which a state of
    Spark's keeps, and ours makes them from a state of its own."""

    name: str
    ours: Input
    theirs: DataFrame
    count: Callable[[DataFrame], DataFrame]
    limit: float
    totals: Totals | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Our transform with state, and where that is kept."""

    transform: Callable[..., Any]
    state: StateStore
    checkpoint_every: int


def against_stream(spark: SparkSession, match: Match, sizes: Sizes, folder: Path) -> Result:
    """Both in one session, one window after the other. RuntimeError if they count otherwise."""
    by_hand = ByHand(folder / "stream.duckdb", totals=match.totals is not None)
    stream = Stream(by_hand, match.count)
    stream.start(match.theirs, folder / "checkpoint", "update" if match.totals else "append")
    pipeline = _ours(match, folder)
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
    return _result(match, sizes, turns, phases)


def _ours(match: Match, folder: Path) -> Pipeline:
    totals = match.totals
    mode = upsert(["word"]) if totals else accumulate(key=["word"], add=["count"])
    return Pipeline(
        match.name,
        inputs={"lines": match.ours},
        transform=totals.transform if totals else lambda lines: match.count(lines),
        sinks={"counts": JdbcSink(f"duckdb:///{folder}/ours.duckdb", table=TABLE, mode=mode)},
        log=folder / "log",
        state=totals.state if totals else None,
        checkpoint_every=totals.checkpoint_every if totals else None,
    )


def _result(match: Match, sizes: Sizes, turns: Turns, phases: dict[str, list[float]]) -> Result:
    ratios = [ours / rival for ours, rival in zip(turns.ours_s, turns.rival_s, strict=True)]
    rows = [_row("ours", turns.ours_s), _row("foreachBatch", turns.rival_s)]
    by_step = [_row(step, taken) for step, taken in steps(turns.snapshots).items()]
    by_phase = [
        _row(phase, [ms / 1000 for ms in taken[-sizes.windows :]])
        for phase, taken in phases.items()
    ]
    told = "a window against foreachBatch, median of pairs"
    return Result(
        match.name,
        f"How long does a window of {sizes.lines:,} lines take, {_what(match)} into DuckDB?",
        [Figure(told, median(ratios), _UNIT, match.limit)],
        [
            Grid("a window, ms", ("", "median", "p99"), rows),
            Grid("ours by step, ms", ("step", "median", "p99"), by_step),
            Grid("foreachBatch around its batch, ms", ("phase", "median", "p99"), by_phase),
        ],
        ["One session, the same lines and query; the stream's sink is written by hand, by Arrow."],
    )


def _what(match: Match) -> str:
    return "totals from a state" if match.totals else "word count"


def _row(name: str, seconds: Sequence[float]) -> tuple[str, float, float]:
    return name, median(seconds) * 1000, percentile(seconds, 99) * 1000
