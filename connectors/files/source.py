"""The `executors` reader: a Python data source whose tasks read byte ranges and yield Arrow.

It is sent to the workers by value together with `split`, `lines` and `doors`: they need pyarrow and
see the same files under the same paths (a shared file system), or have the package `hdfs`, and need
no package of ours.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.cloudpickle import register_pickle_by_value
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from connectors.files import doors, lines, split
from connectors.files.doors import hdfs_file, local_file
from connectors.files.lines import tail_digest
from connectors.files.split import in_one_row, split_range
from windowlog.access import hdfs_in_tasks
from windowlog.access.spark_sources import make_known

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OPTION = "tasks"
# (address, end) -> the file's `read`, for as long as it is open.
Door = Callable[[str, int], AbstractContextManager[Callable[[int, int], bytes]]]
# What is logged in with, as text -> its source. A log-in stands in no option, which Spark shows.
_on_hdfs: dict[str, type[LinesSource]] = {}


class LinesSource(DataSource):
    """Spark's door to the ranges. The option `tasks` holds them as JSON, a list for each task."""

    format_name = "windowed_lines"
    door: Door = staticmethod(local_file)

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return cls.format_name

    def schema(self) -> str:
        """A row for each block of a file: its lines as arrays. Spark copies each row that a data
        source gives, and takes arrays apart without that: reading took 1.9 s of CPU for 100 MB
        instead of 3.4."""
        return "values array<string>, path string, offsets array<bigint>"

    def reader(self, schema: Any) -> LinesReader:
        """Called where the query is planned."""
        return LinesReader(json.loads(self.options[_OPTION]), self.door)


class LinesReader(DataSourceReader):
    """Reads the ranges of one task after the other, a block at a time."""

    def __init__(self, tasks: list[Any], door: Door) -> None:
        self._tasks = tasks
        self._door = door

    def partitions(self) -> Sequence[InputPartition]:
        """One for each task."""
        return [InputPartition(task) for task in self._tasks]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """In an executor: the lines, or an error if the bytes are not those planned."""
        for address, path, start, end, before_start, before_end in partition.value:
            with self._door(address, end) as read:
                for place, digest in ((start, before_start), (end, before_end)):
                    if tail_digest(read, place) != digest:
                        changed = f"{address}: the bytes before byte {place} have changed"
                        raise RuntimeError(changed)
                for chunk in split_range(read, path, start, end):
                    yield in_one_row(chunk)


def source_on_hdfs(login: Mapping[str, Any]) -> type[LinesSource]:
    """The source whose tasks log in so: `login` is that of `doors.hdfs_file`. It has a name of its
    own, and is the same for the same log-in."""
    key = repr(sorted(login.items()))
    if key not in _on_hdfs:
        door = staticmethod(partial(hdfs_file, dict(login)))
        members = {"format_name": f"windowed_lines_hdfs_{len(_on_hdfs)}", "door": door}
        _on_hdfs[key] = type("LinesOnHdfs", (LinesSource,), members)
    return _on_hdfs[key]


def load(
    spark: SparkSession, tasks: Sequence[Sequence[Sequence[object]]], source: type[LinesSource]
) -> DataFrame:
    """The lines of all tasks as a DataFrame with the columns of `split.SCHEMA`. A range is
    (address, path, start, end, two digests).
    """
    from pyspark.sql import functions

    for module in (doors, hdfs_in_tasks, lines, split, sys.modules[__name__]):
        register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    reader = spark.read.format(make_known(spark, source))
    blocks = reader.option(_OPTION, json.dumps(tasks)).load()
    place = functions.col("offsets")[functions.col("place")]
    return blocks.select(
        "path", "offsets", functions.posexplode("values").alias("place", "value")
    ).select("value", "path", place.alias("offset"))
