"""Two ways from ranges to rows, with the same rows and schema: in the driver, and in executors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow

from connectors.files.folder import Folder, TaskRange
from connectors.files.parts import FileRange
from connectors.files.split import SCHEMA, split_range
from connectors.files.verify import Checker
from connectors.tasks import shared_out

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Up to here the driver alone is faster than tasks with Python workers. CPU seconds of a word count,
# driver against executors: 0.54 and 0.66 with 30 kB, 1.10 and 0.99 with 1 MB, 2.04 and 1.42 with
# 8 MB (Spark makes a task of each 10,000 rows that the driver hands over).
DRIVER_BYTES_MAX = 2**20

# Ranges share a task up to about this size. A task costs 0.1 s of CPU: 64 MiB cost 1.0 s in two,
# 1.5 in four, 1.8 in eight, and a window should keep some cores busy.
TASK_BYTES = 16 * 2**20


def in_driver(pieces: Sequence[FileRange], checker: Checker) -> pyarrow.Table:
    """The lines of all ranges in order. SourceChanged if one is not what was planned."""
    return pyarrow.Table.from_batches(_chunks(pieces, checker), SCHEMA)


def _chunks(pieces: Sequence[FileRange], checker: Checker) -> Iterator[pyarrow.RecordBatch]:
    for piece in pieces:
        with checker.open(piece) as file:
            yield from split_range(file.read, piece.path, piece.start, piece.end)


def in_executors(
    spark: SparkSession, folder: Folder, pieces: Sequence[FileRange], checker: Checker
) -> DataFrame:
    """The same lines, read by tasks when they are needed. What has changed already is refused
    here.
    """
    tasks = []
    for group in grouped(pieces):
        task: list[TaskRange] = []
        for piece in group:
            with checker.open(piece) as file:
                address = file.address
            digests = piece.before_start, piece.before_end
            task.append((address, piece.path, piece.start, piece.end, *digests))
        tasks.append(task)
    return folder.load(spark, tasks)


def grouped(pieces: Sequence[FileRange]) -> list[list[FileRange]]:
    """Consecutive ranges, a group for each task: of about equal size, near TASK_BYTES or half of
    it, and as many as a power of two. Cores come so; with seven tasks two cores wait an eighth of
    the time for the last one."""
    total = sum(piece.length for piece in pieces)
    count = 1 << (-(-total // TASK_BYTES) - 1).bit_length() if total else 1
    return shared_out(pieces, count)
