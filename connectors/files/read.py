"""Two ways from ranges to rows, with the same rows and schema: in the driver, and in executors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pyarrow

from connectors.files.parts import FileRange
from connectors.files.split import SCHEMA, split_range
from connectors.files.verify import Checker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Up to here the driver alone is faster than tasks with Python workers. CPU seconds of a word count,
# driver against executors: 0.54 and 0.66 with 30 kB, 1.10 and 0.99 with 1 MB, 2.04 and 1.42 with
# 8 MB (Spark makes a task of each 10,000 rows that the driver hands over).
DRIVER_BYTES_MAX = 2**20

# Up to here all lines are one task, without a shuffle before a grouping: 0.44 x the time of
# foreachBatch for 1,000 lines, instead of 0.49 x. Spark's own readers do the same with files up to
# 4 MiB (spark.sql.files.openCostInBytes). A transform that is slow row by row calls repartition().
ONE_TASK_BYTES = 2**18

# Small ranges share a task up to this size. A task costs 0.1 s of CPU, reading this much 0.2 s.
TASK_BYTES = 16 * 2**20


def in_driver(pieces: Sequence[FileRange], checker: Checker) -> pyarrow.Table:
    """The lines of all ranges in order. SourceChanged if one is not what was planned."""
    return pyarrow.Table.from_batches(_chunks(pieces, checker), SCHEMA)


def as_dataframe(spark: SparkSession, table: pyarrow.Table) -> DataFrame:
    """The same lines for Spark. It makes a partition of each chunk, and so a task of each small
    file: here they are one chunk."""
    frame = spark.createDataFrame(table.combine_chunks())
    return frame.coalesce(1) if table.nbytes <= ONE_TASK_BYTES else frame


def _chunks(pieces: Sequence[FileRange], checker: Checker) -> Iterator[pyarrow.RecordBatch]:
    for piece in pieces:
        with checker.open(piece) as file:
            read = partial(os.pread, file.descriptor)
            yield from split_range(read, piece.path, piece.start, piece.end)


def in_executors(
    spark: SparkSession, folder: str, pieces: Sequence[FileRange], checker: Checker
) -> DataFrame:
    """The same lines, read by tasks when they are needed. What has changed already is refused
    here.
    """
    from connectors.files.source import load

    tasks = []
    for group in grouped(pieces):
        task: list[tuple[object, ...]] = []
        for piece in group:
            with checker.open(piece) as file:
                absolute = os.path.join(folder, file.path)
            digests = piece.before_start, piece.before_end
            task.append((absolute, piece.path, piece.start, piece.end, *digests))
        tasks.append(task)
    return load(spark, tasks)


def grouped(pieces: Sequence[FileRange]) -> list[list[FileRange]]:
    """Consecutive ranges, together at most TASK_BYTES a group unless one alone is larger."""
    groups: list[list[FileRange]] = []
    room = 0
    for piece in pieces:
        if piece.length > room:
            groups.append([])
            room = TASK_BYTES
        groups[-1].append(piece)
        room -= piece.length
    return groups
