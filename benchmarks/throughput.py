"""Much text: word count in windows of 64 MiB against one plain Spark job over the same files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.by_hand import TABLE, ByHand, check_equal
from benchmarks.command import alone
from benchmarks.result import Figure, Grid, Result
from benchmarks.rival import Rival
from benchmarks.stats import median
from benchmarks.text import text
from connectors import FileInput
from jdbc_sink import JdbcSink, accumulate
from samples.session import local_session
from samples.wordcount import count_words
from windowed import Pipeline, Summary, drained

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Sizes:
    """`bytes` of text in files of `file_bytes`, in windows of `window_bytes`; each rival does it
    `rounds` times."""

    bytes: int
    file_bytes: int
    window_bytes: int
    rounds: int


FULL = Sizes(10**9, file_bytes=10**7, window_bytes=64 * 2**20, rounds=3)
QUICK = Sizes(10**8, file_bytes=10**7, window_bytes=64 * 2**20, rounds=2)
# Both have run once before anything counts: a cold JVM would be measured by whoever comes first.
_WARM_UP = Sizes(4 * 10**6, file_bytes=10**6, window_bytes=2 * 2**20, rounds=1)


_Text = tuple[Sizes, Path]


def measure(sizes: Sizes, folder: Path) -> Result:
    """Rounds of both, in turns; who begins changes from round to round."""
    spark = local_session("throughput")
    ours = Rival[_Text](lambda job, folder: _windows(spark, *job, folder))
    plain = Rival[_Text](lambda job, folder: _plain(spark, *job, folder))
    for at, used in enumerate([_WARM_UP, *[sizes] * sizes.rounds]):
        source = text(used.bytes, used.file_bytes)
        rivals = {"ours": ours, "plain": plain}
        for name in sorted(rivals, reverse=at % 2 == 0):
            rivals[name].run((used, source), folder / f"{name}-{at}")
        check_equal(folder / f"ours-{at}/counts.duckdb", folder / f"plain-{at}/counts.duckdb")
        if used is _WARM_UP:
            ours.forget()
            plain.forget()
    return _result(text(sizes.bytes, sizes.file_bytes), ours, plain)


def _windows(spark: SparkSession, sizes: Sizes, source: Path, folder: Path) -> Summary:
    mode = accumulate(key=["word"], add=["count"])
    pipeline = Pipeline(
        "throughput",
        inputs={"lines": FileInput(source, max_bytes_per_window=sizes.window_bytes)},
        transform=count_words,
        sinks={"counts": JdbcSink(f"duckdb:///{folder}/counts.duckdb", table=TABLE, mode=mode)},
        log=folder / "log",
    )
    return pipeline.run(spark, until=drained(), progress=False)


def _plain(spark: SparkSession, _: Sizes, source: Path, folder: Path) -> None:
    by_hand = ByHand(folder / "counts.duckdb")
    by_hand.add(count_words(spark.read.text(str(source))).toArrow())
    by_hand.close()


def _result(source: Path, ours: Rival[_Text], plain: Rival[_Text]) -> Result:
    size_mb = sum(path.stat().st_size for path in source.iterdir()) / 1e6
    pairs = [other / own for own, other in zip(ours.seconds, plain.seconds, strict=True)]
    count = ours.summary.windows_run if ours.summary is not None else 0
    named = ((f"ours, {count} windows", ours), ("one plain job", plain))
    seconds = ours.summary.seconds if ours.summary is not None else {}
    return Result(
        "throughput",
        f"How fast are the words of {size_mb:,.0f} MB of text counted, into a DuckDB table?",
        [
            Figure("throughput against one job, median", median(pairs), "of its own", 0.9, True),
            Figure("peak of the driver's Python", ours.peaks.python_mb, "MB"),
            Figure("peak of its JVM", ours.peaks.jvm_mb, "MB"),
        ],
        [
            Grid("rounds", ("", "s, median", "MB/s"), [_speed(n, r, size_mb) for n, r in named]),
            Grid(
                "peak resident memory, MB, first round",
                ("", "Python driver", "JVM", "Python workers"),
                [(n, r.peaks.python_mb, r.peaks.jvm_mb, r.peaks.workers_mb) for n, r in named],
            ),
            Grid("ours by step, s, last round", ("step", "s"), list(seconds.items())),
        ],
        ["The JVM serves both rivals, one after the other: what it once took it seldom returns."],
    )


def _speed(name: str, rival: Rival[_Text], size_mb: float) -> tuple[str, float, float]:
    return name, median(rival.seconds), size_mb / median(rival.seconds)


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
