"""Many records: word count in windows of a million against one plain Spark job over the same
ranges, and against Structured Streaming with a sink that is idempotent by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.by_hand import TABLE, ByHand, check_equal
from benchmarks.command import alone
from benchmarks.kafka_topic import (
    VALUE_BYTES,
    Topic,
    broker,
    count_values,
    filled,
    kafka_session,
    plainly,
    streamed,
)
from benchmarks.result import Figure, Grid, Result
from benchmarks.rival import Rival
from benchmarks.stats import median
from connectors import KafkaInput
from jdbc_sink import JdbcSink, accumulate
from windowed import Pipeline, Summary, drained

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class Sizes:
    """`records`, in windows of `window_records` at most; each rival does it `rounds` times."""

    records: int
    window_records: int
    rounds: int


FULL = Sizes(5_000_000, window_records=1_000_000, rounds=3)
QUICK = Sizes(400_000, window_records=100_000, rounds=2)
# All have run once before anything counts: a cold JVM would be measured by whoever comes first.
_WARM_UP = 8

_Job = tuple[Topic, int]


def measure(sizes: Sizes, folder: Path) -> Result:
    """On a broker of its own."""
    with broker() as bootstrap:
        return compare(bootstrap, sizes, folder)


def compare(bootstrap: str, sizes: Sizes, folder: Path) -> Result:
    """Rounds of all three, in turns; who begins changes from round to round."""
    spark = kafka_session("kafka_throughput")
    rivals = {
        "ours": Rival[_Job](lambda job, place: _windows(spark, job, place)),
        "plain": Rival[_Job](lambda job, place: _plain(spark, job, place)),
        "stream": Rival[_Job](lambda job, place: _stream(spark, job, place)),
    }
    topic = filled(spark, bootstrap, sizes.records)
    window_records = max(sizes.window_records // _WARM_UP, 1)
    small = filled(spark, bootstrap, window_records * 2), window_records
    for at, job in enumerate([small, *[(topic, sizes.window_records)] * sizes.rounds]):
        _round(rivals, job, folder, at)
        if job is small:
            for rival in rivals.values():
                rival.forget()
    return _result(sizes, rivals)


def _round(rivals: dict[str, Rival[_Job]], job: _Job, folder: Path, at: int) -> None:
    names = [*rivals]
    turned = at % len(names)
    for name in names[turned:] + names[:turned]:
        rivals[name].run(job, folder / f"{name}-{at}")
    for name in ("plain", "stream"):
        check_equal(folder / f"ours-{at}/counts.duckdb", folder / f"{name}-{at}/counts.duckdb")


def _windows(spark: SparkSession, job: _Job, folder: Path) -> Summary:
    topic, window_records = job
    mode = accumulate(key=["word"], add=["count"])
    pipeline = Pipeline(
        "kafka_throughput",
        inputs={
            "lines": KafkaInput(topic.bootstrap, topic.name, max_records_per_window=window_records)
        },
        transform=lambda lines: count_values(lines),
        sinks={"counts": JdbcSink(f"duckdb:///{folder}/counts.duckdb", table=TABLE, mode=mode)},
        log=folder / "log",
    )
    return pipeline.run(spark, until=drained(), progress=False)


def _plain(spark: SparkSession, job: _Job, folder: Path) -> None:
    by_hand = ByHand(folder / "counts.duckdb")
    by_hand.add(count_values(plainly(spark, job[0])).toArrow())
    by_hand.close()


def _stream(spark: SparkSession, job: _Job, folder: Path) -> None:
    by_hand = ByHand(folder / "counts.duckdb")

    def add(frame: DataFrame, number: int) -> None:
        by_hand.add_once(number, count_values(frame).toArrow())

    writer = streamed(spark, *job).writeStream.foreachBatch(add).trigger(availableNow=True)
    writer.option("checkpointLocation", str(folder / "checkpoint")).start().awaitTermination()
    by_hand.close()


def _result(sizes: Sizes, rivals: dict[str, Rival[_Job]]) -> Result:
    ours, plain, stream = rivals.values()
    summary = ours.summary
    assert summary is not None, "it has run"
    titles = (f"ours, {summary.windows_run} windows", "one plain job", "foreachBatch")
    named = list(zip(titles, rivals.values(), strict=True))
    of_plain = [other / own for own, other in zip(ours.seconds, plain.seconds, strict=True)]
    of_stream = [other / own for own, other in zip(ours.seconds, stream.seconds, strict=True)]
    return Result(
        "kafka_throughput",
        f"How fast are the words of {sizes.records:,} records of {VALUE_BYTES} bytes counted?",
        [
            Figure("throughput against one job, median", median(of_plain), "of its", 0.97, True),
            Figure("… against foreachBatch, median", median(of_stream), "of its", 1.0, True),
            Figure("peak of the driver's Python", ours.peaks.python_mb, "MB"),
        ],
        [
            Grid(
                "rounds",
                ("", "s, median", "thousand records/s"),
                [
                    (name, median(one.seconds), sizes.records / median(one.seconds) / 1000)
                    for name, one in named
                ],
            ),
            Grid(
                "peak resident memory, MB, first round",
                ("", "Python driver", "JVM", "Python workers"),
                [
                    (name, one.peaks.python_mb, one.peaks.jvm_mb, one.peaks.workers_mb)
                    for name, one in named
                ],
            ),
            Grid("ours by step, s, last round", ("step", "s"), list(summary.seconds.items())),
        ],
        ["All read with Spark's own Kafka source; the rivals' sink is written by hand, by Arrow."],
    )


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
