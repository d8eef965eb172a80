"""What a test of reading needs: a run of the input on topics, and rows from an independent
consumer."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from connectors import KafkaInput
from tests.connectors.kafka.world import Broker
from windowed.testing.input_run import NAME, InputRun
from windowlog.values import Skip
from windowlog.window import Window

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@contextmanager
def running(
    broker: Broker, *topics: str, spark: SparkSession | None = None, **more: Any
) -> Iterator[InputRun]:
    """A run on those topics, started; its connections are closed at the end, those too of instances
    that have crashed."""
    made: list[KafkaInput] = []
    options = {"stall_timeout_s": 10, "topics": list(topics) or None, **more}
    options.setdefault("bootstrap_servers", broker.bootstrap)

    def make() -> KafkaInput:
        made.append(KafkaInput(**options))
        return made[-1]

    run = InputRun(make, spark)
    try:
        yield run.start()
    finally:
        for one in made:
            one.close()


def expected(broker: Broker, topic: str, start: int, end: int, partition: int = 0) -> list[Row]:
    """The rows of a range, from another consumer and by hand."""
    return [as_row(record) for record in broker.records(topic, start, end, partition)]


def as_row(record: Any) -> Row:
    """A record of kafka-python as the row it should be."""
    headers = [{"key": key, "value": value} for key, value in record.headers]
    return {
        "key": record.key,
        "value": record.value,
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": _EPOCH + timedelta(milliseconds=record.timestamp),
        "timestampType": record.timestamp_type,
        "headers": headers or None,
    }


def values(rows: list[Row] | None) -> list[bytes | None]:
    """The rows' values, in their order."""
    return [row["value"] for row in rows or ()]


def ordered(rows: list[Row] | None) -> list[Row]:
    """By partition and offset: rows of several partitions come in no order."""
    return sorted(rows or (), key=lambda row: (row["topic"], row["partition"], row["offset"]))


def noise(count: int) -> list[bytes]:
    """Values of 1,000 bytes that no codec makes shorter."""
    return [secrets.token_bytes(1000) for _ in range(count)]


def skipping(window: Window, *names: str) -> Window:
    """The window with those parts skipped."""
    skips = tuple(Skip(window.id, NAME, name, "all", "test") for name in names)
    return replace(window, skips=skips)
