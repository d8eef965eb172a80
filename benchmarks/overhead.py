"""What exactly once costs a window: the same job with and without log, ledger and callbacks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.compute

from benchmarks.by_hand import TABLE, ByHand, check_equal
from benchmarks.command import alone
from benchmarks.inputs import LINE_BYTES, TablesInput, tables, write_lines
from benchmarks.result import Figure, Grid, Result
from benchmarks.stats import differences, mean, median, percentile, steps
from benchmarks.turns import Turns
from connectors import FileInput
from connectors.files.split import SCHEMA, split_range
from jdbc_sink import JdbcSink, accumulate
from windowed import Pipeline, Run, windows
from windowlog.contracts import Input

ROWS = 100
# The run's first windows import modules, create tables and fill caches.
WARM_UP = 20
KEPT_OPEN_S = 3600.0


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many windows: without Spark, and with it (0: none)."""

    windows: int
    spark_windows: int


FULL = Sizes(windows=3000, spark_windows=150)
QUICK = Sizes(windows=400, spark_windows=30)


@dataclass(frozen=True, slots=True)
class Race:
    """A job done twice: as a pipeline, and by hand as `work(n)`, n from 0."""

    name: str
    source: Input
    transform: Callable[..., Any]
    work: Callable[[ByHand, int], None]
    spark: Any = None


def measure(sizes: Sizes, folder: Path) -> Result:
    """All variants, one after the other; in each, pipeline and rival take turns."""
    runs = {race.name: run(race, count, folder) for race, count in _races(sizes, folder)}
    memory, files = runs["memory"], runs["files"]
    figures = []
    for what, turns in (("rows in memory", memory), ("lines of a file", files)):
        added_ms = [s * 1000 for s in differences(turns.ours_s, turns.rival_s)]
        figures += [
            Figure(f"overhead, {what}, p50", median(added_ms), "ms", 5.0),
            Figure(f"overhead, {what}, p99", percentile(added_ms, 99), "ms", 10.0),
        ]
    noise_ms = [s * 1000 for s in by_hand_twice(sizes.windows, folder)]
    figures += [
        Figure("by hand against itself, rows in memory, p50", median(noise_ms), "ms"),
        Figure("by hand against itself, rows in memory, p99", percentile(noise_ms, 99), "ms"),
    ]
    return Result(
        "overhead",
        f"What do log, ledger and callbacks add to a window of {ROWS} rows?",
        figures,
        [_against(runs), _by_step(runs)],
        [
            "The rival: the same reader and one DuckDB transaction a window, and nothing else.",
            "The rival against itself, in the same measure, is the noise of this machine.",
        ],
    )


def run(race: Race, count: int, folder: Path) -> Turns:
    """Pipeline and rival in turns, `count` windows each after the warm-up."""
    theirs = folder / f"{race.name}-by-hand.duckdb"
    ours = folder / f"{race.name}.duckdb"
    by_hand = ByHand(theirs)
    pipeline = Pipeline(
        race.name,
        inputs={"lines": race.source},
        transform=race.transform,
        sinks={"counts": _sink(ours)},
        log=folder / f"{race.name}-log",
    )
    started: list[Run] = []
    turns = Turns(
        rival=lambda window_id: race.work(by_hand, window_id - 1),
        seconds=lambda: started[0].progress.seconds if started else {},
        warm_up=WARM_UP,
    )
    started.append(pipeline.start(race.spark, until=windows(count + WARM_UP), listeners=[turns]))
    started[0].wait()
    by_hand.close()
    check_equal(ours, theirs)
    return turns


def by_hand_twice(count: int, folder: Path) -> list[float]:
    """The rival in turns with another one of its kind: how far two equals are apart, in seconds."""
    rows = tables(count + WARM_UP, ROWS)
    first, second = ByHand(folder / "once.duckdb"), ByHand(folder / "twice.duckdb")
    found = []
    for table in rows:
        began_s = time.perf_counter()
        first.add(table)
        between_s = time.perf_counter()
        second.add(table)
        found.append(2 * between_s - began_s - time.perf_counter())
    first.close()
    second.close()
    return found[WARM_UP:]


def _sink(path: Path) -> JdbcSink:
    mode = accumulate(key=["word"], add=["count"])
    # The rival keeps its file open, so we do: letting others in every 5 s costs 20 ms each time.
    return JdbcSink(f"duckdb:///{path}", table=TABLE, mode=mode, release_s=KEPT_OPEN_S)


def _races(sizes: Sizes, folder: Path) -> Iterator[tuple[Race, int]]:
    rows = tables(sizes.windows + WARM_UP, ROWS)
    yield (
        Race("memory", TablesInput(rows), _unchanged, lambda by_hand, n: by_hand.add(rows[n])),
        sizes.windows,
    )
    source, read = _file(folder / "in", sizes.windows)
    yield (
        Race(
            "files",
            source,
            count_arrow,
            lambda by_hand, n: by_hand.add(count_arrow(read(n))),
        ),
        sizes.windows,
    )
    if sizes.spark_windows:
        yield _with_spark(folder, sizes.spark_windows), sizes.spark_windows


def _with_spark(folder: Path, count: int) -> Race:
    from samples.session import local_session
    from samples.wordcount import count_words

    spark = local_session("overhead")
    source, read = _file(folder / "in-spark", count)

    def work(by_hand: ByHand, n: int) -> None:
        by_hand.add(count_words(spark.createDataFrame(read(n))).toArrow())

    return Race("spark", source, count_words, work, spark)


def _file(folder: Path, count: int) -> tuple[FileInput, Callable[[int], pyarrow.Table]]:
    """A file with ROWS lines for each window, as an input, and as the same reader without plan,
    digests and checks."""
    folder.mkdir()
    path = folder / "lines.txt"
    write_lines(path, (count + WARM_UP) * ROWS)
    size = ROWS * LINE_BYTES
    descriptor = os.open(path, os.O_RDONLY)

    def read(n: int) -> pyarrow.Table:
        found = split_range(partial(os.pread, descriptor), path.name, n * size, (n + 1) * size)
        return pyarrow.Table.from_batches(found, SCHEMA)

    return FileInput(folder, max_bytes_per_window=size), read


def _unchanged(lines: pyarrow.Table) -> pyarrow.Table:
    return lines


def count_arrow(lines: pyarrow.Table) -> pyarrow.Table:
    """The words of column `value`, without Spark."""
    words = pyarrow.compute.split_pattern(lines["value"].combine_chunks(), " ").flatten()
    found = words.filter(pyarrow.compute.not_equal(words, "")).value_counts()
    return pyarrow.table({"word": found.field("values"), "count": found.field("counts")})


def _against(runs: Mapping[str, Turns]) -> Grid:
    rows: list[tuple[str | float, ...]] = []
    for name, turns in runs.items():
        ours = [s * 1000 for s in turns.ours_s]
        rival = [s * 1000 for s in turns.rival_s]
        added = differences(ours, rival)
        shown: list[float] = []
        for values in (ours, rival, added):
            shown += [median(values), percentile(values, 99)]
        rows.append((name, len(ours), *shown))
    columns = ("", "windows", "ours p50", "p99", "by hand p50", "p99", "added p50", "p99")
    return Grid("a window, ms", columns, rows)


def _by_step(runs: Mapping[str, Turns]) -> Grid:
    by_run = {name: steps(turns.snapshots) for name, turns in runs.items()}
    names = list(dict.fromkeys(step for found in by_run.values() for step in found))
    columns: list[str] = ["step"]
    for name in runs:
        columns += [f"{name} mean", "p99"]
    rows: list[tuple[str | float, ...]] = []
    for step in names:
        rows.append((step, *_cells([by_run[name].get(step, [0.0]) for name in runs])))
    rows.append(("(between)", *_cells([_between(runs[n], by_run[n]) for n in runs])))
    rows.append(("all", *_cells([runs[n].ours_s for n in runs])))
    return Grid("where a window's time goes, ms", tuple(columns), rows)


def _cells(values: Sequence[Sequence[float]]) -> list[float]:
    cells: list[float] = []
    for seconds in values:
        cells += [mean(seconds) * 1000, percentile(seconds, 99) * 1000]
    return cells


def _between(turns: Turns, found: Mapping[str, Sequence[float]]) -> list[float]:
    """What no step accounts for. Purge comes after `committed`, so one window's cycle begins with
    the purge of the one before: as sums they agree."""
    inside = [sum(step) for step in zip(*found.values(), strict=True)]
    return differences(turns.ours_s[:-1], inside)


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
