"""The `executors` reader: a Python data source whose tasks read byte ranges and yield Arrow.

It is sent to the workers by value together with `split` and `lines`: they need pyarrow and see the
same files under the same paths (a shared file system), and need no package of ours.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from pyspark.cloudpickle import register_pickle_by_value
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from connectors.files import lines, split
from connectors.files.lines import tail_digest
from connectors.files.split import in_one_row, split_range

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OPTION = "tasks"
_registered: WeakSet[Any] = WeakSet()


class LinesSource(DataSource):
    """Spark's door to the ranges. The option `tasks` holds them as JSON, a list for each task."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return "windowed_lines"

    def schema(self) -> str:
        """A row for each block of a file: its lines as arrays. Spark copies each row that a data
        source gives, and takes arrays apart without that: reading took 1.9 s of CPU for 100 MB
        instead of 3.4."""
        return "values array<string>, path string, offsets array<bigint>"

    def reader(self, schema: Any) -> LinesReader:
        """Called where the query is planned."""
        return LinesReader(json.loads(self.options[_OPTION]))


class LinesReader(DataSourceReader):
    """Reads the ranges of one task after the other, a block at a time."""

    def __init__(self, tasks: list[Any]) -> None:
        self._tasks = tasks

    def partitions(self) -> Sequence[InputPartition]:
        """One for each task."""
        return [InputPartition(task) for task in self._tasks]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """In an executor: the lines, or an error if the bytes are not those planned."""
        for absolute, path, start, end, before_start, before_end in partition.value:
            descriptor = os.open(absolute, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            try:
                for place, digest in ((start, before_start), (end, before_end)):
                    if tail_digest(descriptor, place) != digest:
                        changed = f"{absolute}: the bytes before byte {place} have changed"
                        raise RuntimeError(changed)
                for chunk in split_range(partial(os.pread, descriptor), path, start, end):
                    yield in_one_row(chunk)
            finally:
                os.close(descriptor)


def load(spark: SparkSession, tasks: Sequence[Sequence[Sequence[object]]]) -> DataFrame:
    """The lines of all tasks as a DataFrame with the columns of `split.SCHEMA`. A range is
    (absolute path, path, start, end, two digests).
    """
    from pyspark.sql import functions

    if spark not in _registered:
        for module in (lines, split, sys.modules[__name__]):
            register_pickle_by_value(module)  # type: ignore[no-untyped-call]
        spark.dataSource.register(LinesSource)
        _registered.add(spark)
    reader = spark.read.format(LinesSource.name())
    blocks = reader.option(_OPTION, json.dumps(tasks)).load()
    place = functions.col("offsets")[functions.col("place")]
    return blocks.select(
        "path", "offsets", functions.posexplode("values").alias("place", "value")
    ).select("value", "path", place.alias("offset"))
