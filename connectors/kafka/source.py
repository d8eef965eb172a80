"""The `executors` reader: a Python data source whose tasks read ranges with kafka-python and yield
Arrow.

It is sent to the workers by value together with what it reads with: they need pyarrow and
kafka-python, and no package of ours. How they log in goes with the code, the texts of files too,
and stands in no option, which Spark may show.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from pyspark.cloudpickle import register_pickle_by_value
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from connectors.kafka import columns, login, packets, rows
from connectors.kafka import fetch as fetching
from connectors.kafka.fetch import Range, fetch, open_consumer
from connectors.kafka.rows import to_chunks
from windowlog.access.spark_sources import make_known

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OPTION = "tasks"
# Quoted: a session may keep words for itself (spark.sql.ansi.enforceReservedKeywords).
_COLUMNS = (
    "`key` binary, `value` binary, `topic` string, `partition` int, `offset` bigint, `timestamp`"
    " timestamp_ltz, `timestampType` int, `headers` array<struct<`key`: string, `value`: binary>>"
)
# A digest of what is connected with -> its source.
_sources: dict[str, type[TopicSource]] = {}


class TopicSource(DataSource):
    """Spark's door to the ranges. The option `tasks` holds them as JSON, a list for each task."""

    format_name = "windowed_kafka"
    consumer: Mapping[str, Any] = {}
    stall_timeout_s = 60.0

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return cls.format_name

    def schema(self) -> str:
        """The columns of `rows.SCHEMA`."""
        return _COLUMNS

    def reader(self, schema: Any) -> TopicReader:
        """Called where the query is planned."""
        return TopicReader(json.loads(self.options[_OPTION]), self.consumer, self.stall_timeout_s)


class TopicReader(DataSourceReader):
    """Reads the ranges of one task, one after the other."""

    def __init__(
        self, tasks: list[Any], consumer: Mapping[str, Any], stall_timeout_s: float
    ) -> None:
        self._tasks = tasks
        self._consumer = consumer
        self._stall_timeout_s = stall_timeout_s

    def partitions(self) -> Sequence[InputPartition]:
        """One for each task."""
        return [InputPartition(task) for task in self._tasks]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """In an executor: the rows, or an error if they are not all there."""
        with closing(open_consumer(self._consumer)) as consumer:
            for topic, number, start, end in partition.value:
                pieces = [(topic, number, start, end)]
                for _, records in fetch(consumer, pieces, self._stall_timeout_s):
                    yield from to_chunks(records, topic, number)


def source_with(consumer: Mapping[str, Any], stall_timeout_s: float) -> type[TopicSource]:
    """The source whose tasks connect so. It has a name of its own, and is the same for the same
    options."""
    shown = repr([(name, str(value)) for name, value in sorted(consumer.items())])
    key = hashlib.sha256(f"{shown} {stall_timeout_s}".encode()).hexdigest()
    if key not in _sources:
        members = {
            "format_name": f"windowed_kafka_{len(_sources)}",
            "consumer": dict(consumer),
            "stall_timeout_s": stall_timeout_s,
        }
        _sources[key] = type("TopicsWith", (TopicSource,), members)
    return _sources[key]


def load(
    spark: SparkSession, tasks: Sequence[Sequence[Range]], source: type[TopicSource]
) -> DataFrame:
    """The rows of all tasks as a DataFrame."""
    for module in (fetching, login, packets, columns, rows, sys.modules[__name__]):
        register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    name = make_known(spark, source)
    return spark.read.format(name).option(_OPTION, json.dumps(tasks)).load()
