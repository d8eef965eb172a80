"""Readers of a topic: rows a second of a core, where a task's time goes, and where one reader
becomes quicker than another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.command import alone
from benchmarks.cpu import Cpu, spent
from benchmarks.kafka_topic import VALUE_BYTES, Topic, broker, count_values, filled, kafka_session
from benchmarks.result import Figure, Grid, Result
from benchmarks.stats import median
from connectors import KafkaInput
from connectors.kafka.fetch import fetch, open_consumer
from connectors.kafka.rows import to_chunks
from windowlog import WindowLog
from windowlog.contracts import InputContext

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

READERS = ("driver", "executors", "spark")


@dataclass(frozen=True, slots=True)
class Sizes:
    """`records` are read at once by each reader, `rounds` times; and `limits` of them, to see where
    they cross, `limit_rounds` times."""

    records: int
    rounds: int
    limits: tuple[int, ...]
    limit_rounds: int


FULL = Sizes(1_000_000, 3, (1_000, 5_000, 10_000, 20_000, 50_000, 100_000), 7)
QUICK = Sizes(200_000, 1, (1_000, 20_000, 50_000), 3)


def measure(sizes: Sizes, folder: Path) -> Result:
    """On a broker of its own."""
    with broker() as bootstrap:
        return compare(bootstrap, sizes)


def compare(bootstrap: str, sizes: Sizes) -> Result:
    """All readers in one session, in turns."""
    spark = kafka_session("kafka_readers")
    topic = filled(spark, bootstrap, sizes.records)
    taken: dict[str, list[tuple[float, Cpu]]] = {reader: [] for reader in READERS}
    for warm in (True, *[False] * sizes.rounds):
        for reader in READERS:
            with _frames(spark, topic, reader, sizes.records) as frame:
                one = _timed(_add_up, frame)
            if not warm:
                taken[reader].append(one)
    limits = [_limit(spark, topic, records, sizes.limit_rounds) for records in sizes.limits]
    return _result(sizes, taken, limits, _task(topic))


@contextmanager
def _frames(
    spark: SparkSession, topic: Topic, reader: str, records: int
) -> Iterator[Callable[[], DataFrame]]:
    """What reads one plan of so many records, again and again."""
    source = KafkaInput(topic.bootstrap, topic.name, reader=reader, max_records_per_window=records)
    source.open(
        InputContext(spark, "lines", WindowLog.in_memory().memory("lines"), lambda _: iter(()))
    )
    with closing(source):
        plan = source.plan(None, source.bounds())
        yield lambda: source.read(plan, ())


def _add_up(frame: Callable[[], DataFrame]) -> None:
    """Every value is looked at, and hardly anything done with it."""
    frame().selectExpr("sum(length(value))", "count(offset)").collect()


def _timed(
    work: Callable[[Callable[[], DataFrame]], None], frame: Callable[[], DataFrame]
) -> tuple[float, Cpu]:
    before, start_s = spent(), time.perf_counter()
    work(frame)
    return time.perf_counter() - start_s, spent().since(before)


def _limit(spark: SparkSession, topic: Topic, records: int, rounds: int) -> tuple[float, ...]:
    """Milliseconds of a word count of so many records by each reader, median."""
    taken: dict[str, list[float]] = {reader: [] for reader in READERS}
    for warm in (True, *[False] * rounds):
        for reader in READERS:
            with _frames(spark, topic, reader, records) as frame:
                seconds, _ = _timed(_count, frame)
            if not warm:
                taken[reader].append(seconds)
    return (records, *(median(taken[reader]) * 1000 for reader in READERS))


def _count(frame: Callable[[], DataFrame]) -> None:
    count_values(frame()).toArrow()


def _task(topic: Topic) -> list[tuple[str, float]]:
    """What a task of `executors` does, done here: microseconds a record."""
    options: dict[str, Any] = {
        "bootstrap_servers": topic.bootstrap,
        "isolation_level": "read_committed",
        "auto_offset_reset": "none",
        "enable_auto_commit": False,
        "fetch_max_wait_ms": 10,
        "metrics_enabled": False,
    }
    count = 0
    arrays_s = 0.0
    start_s, before = time.perf_counter(), time.process_time()
    with closing(open_consumer(options)) as consumer:
        opened_s = time.perf_counter()
        for records in _records(consumer, topic):
            arrays_from_s = time.perf_counter()
            chunks = list(to_chunks(records, topic.name, 0))
            arrays_s += time.perf_counter() - arrays_from_s
            count += sum(chunk.num_rows for chunk in chunks)
    over_s = time.perf_counter()
    each = 1e6 / max(count, 1)
    return [
        ("fetching, and opening packets", (over_s - opened_s - arrays_s) * each),
        ("rows of them", arrays_s * each),
        ("both, CPU", (time.process_time() - before) * each),
        ("a consumer, once a task, in all", (opened_s - start_s) * each * count),
    ]


def _records(consumer: Any, topic: Topic) -> Iterator[Sequence[Any]]:
    end = topic.records // 4
    for _, records in fetch(consumer, [(topic.name, 0, 0, end)], 60):
        yield records


_COLUMNS = ("reader", "s", "thousand/s", "CPU s", "Python", "JVM", "workers", "thousand/core s")


def _result(
    sizes: Sizes,
    taken: dict[str, list[tuple[float, Cpu]]],
    limits: list[tuple[float, ...]],
    task: list[tuple[str, float]],
) -> Result:
    cores = {
        reader: sizes.records / median([cpu.all_s for _, cpu in runs])
        for reader, runs in taken.items()
    }
    return Result(
        "kafka_readers",
        f"How fast are records of {VALUE_BYTES} bytes read, by which reader?",
        [
            Figure(
                "executors against Spark's reader, rows/s of a core",
                cores["executors"] / cores["spark"],
                "of its",
                0.5,
                True,
            )
        ],
        [
            Grid(
                f"{sizes.records:,} records, median",
                _COLUMNS,
                [_row(reader, sizes.records, taken[reader], cores[reader]) for reader in READERS],
            ),
            Grid("a task's work, microseconds a record", ("", "µs"), task),
            Grid("a word count, ms by reader", ("records", *READERS), limits),
        ],
        ["CPU seconds are of all processes but the broker; a row is looked at and added up."],
    )


def _row(
    reader: str, records: int, runs: list[tuple[float, Cpu]], core: float
) -> tuple[str | float, ...]:
    seconds = median([taken for taken, _ in runs])
    return (
        reader,
        seconds,
        records / seconds / 1000,
        median([cpu.all_s for _, cpu in runs]),
        median([cpu.python_s for _, cpu in runs]),
        median([cpu.jvm_s for _, cpu in runs]),
        median([cpu.workers_s for _, cpu in runs]),
        core / 1000,
    )


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
