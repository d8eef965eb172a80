"""Rows into Parquet files: a window through the file sink against plain `df.write.parquet`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.command import alone
from benchmarks.result import Figure, Grid, Result
from benchmarks.stats import median
from file_sink import FileSink
from samples.session import local_session
from windowed import Pipeline, Summary, drained
from windowed.testing import RowsInput

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from windowlog.contracts import Frame
    from windowlog.values import Plan, Skip

_SCHEMA = "number bigint, word string, amount double"


@dataclass(frozen=True, slots=True)
class Sizes:
    """So many rows in one window; each rival writes them `rounds` times."""

    rows: int
    rounds: int


FULL = Sizes(rows=10_000_000, rounds=5)
QUICK = Sizes(rows=1_000_000, rounds=3)


class FrameInput(RowsInput):
    """One window: the frame, which Spark computes anew for each rival."""

    def __init__(self, frame: DataFrame, rows: int) -> None:
        super().__init__([range(rows)], schema=_SCHEMA)
        self._frame = frame

    def read(self, plan: Plan, skips: Sequence[Skip]) -> Frame:
        """The frame itself."""
        assert not plan.empty, "there is one window"
        return self._frame


def measure(sizes: Sizes, folder: Path) -> Result:
    """Rounds of both, in turns; who begins changes from round to round. The first, which warms the
    JVM up, does not count."""
    spark = local_session("file_sink")
    frame = _frame(spark, sizes.rows)
    seconds: dict[str, list[float]] = {"ours": [], "plain": []}
    summaries: list[Summary] = []

    def ours(place: Path) -> None:
        summaries.append(
            _pipeline(frame, sizes.rows, place).run(spark, until=drained(), progress=False)
        )

    def plain(place: Path) -> None:
        frame.write.parquet(str(place / "out"))

    rivals: dict[str, Callable[[Path], None]] = {"ours": ours, "plain": plain}
    for at in range(sizes.rounds + 1):
        for name in sorted(rivals, reverse=at % 2 == 0):
            place = folder / f"{name}-{at}"
            place.mkdir()
            start_s = time.perf_counter()
            rivals[name](place)
            seconds[name].append(time.perf_counter() - start_s)
            _check(place / "out", sizes.rows)
    return _result(sizes, seconds["ours"][1:], seconds["plain"][1:], summaries[-1])


def _frame(spark: SparkSession, rows: int) -> DataFrame:
    """Some text and numbers, without a shuffle."""
    words = "concat('word', pmod(hash(id), 5000)) AS word"
    return spark.range(rows).selectExpr("id AS number", words, "id * 0.25D AS amount")


def _pipeline(frame: DataFrame, rows: int, place: Path) -> Pipeline:
    return Pipeline(
        "file_sink",
        inputs={"rows": FrameInput(frame, rows)},
        transform=lambda rows: rows,
        sinks={"out": FileSink(place / "out")},
        log=place / "log",
    )


def _check(folder: Path, rows: int) -> None:
    """Both have written every row once."""
    import duckdb

    query = f"SELECT count(DISTINCT number), count(*) FROM '{folder}/**/*.parquet'"
    with duckdb.connect() as connection:
        found = connection.execute(query).fetchone()
    assert found == (rows, rows), f"{folder} has {found}"


def _result(sizes: Sizes, ours: list[float], plain: list[float], summary: Summary) -> Result:
    pairs = [other / own for own, other in zip(ours, plain, strict=True)]
    named = (("file sink", ours), ("df.write.parquet", plain))
    return Result(
        "file_sink",
        f"How fast are {sizes.rows:,} rows written as Parquet, in one window?",
        [Figure("throughput against Spark's own, median", median(pairs), "of it", 0.97, True)],
        [
            Grid(
                "rounds",
                ("", "s, median", "rows/s"),
                [(name, median(taken), sizes.rows / median(taken)) for name, taken in named],
            ),
            Grid("ours by step, s, last round", ("step", "s"), list(summary.seconds.items())),
        ],
        ["Ours also counts, digests and syncs all files; Spark's own write syncs nothing."],
    )


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
