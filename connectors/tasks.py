"""Ranges and rows as Spark's tasks get them, whatever the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

import pyarrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

# Chunks that come in pieces are joined until they are so large: each becomes a task. Rows are then
# held twice for a moment only so far; a million records of Kafka took 590 MB when all were joined.
CHUNK_BYTES = 2**23
# Up to here all rows are one task, without a shuffle before a grouping: 0.44 x the time of
# foreachBatch for 1,000 lines, instead of 0.49 x. Spark's own readers do the same with files up to
# 4 MiB (spark.sql.files.openCostInBytes). A transform that is slow row by row calls repartition().
ONE_TASK_BYTES = 2**18


class Range(Protocol):
    """A piece of a source."""

    @property
    def length(self) -> int:
        """Its size, in the source's own measure."""


_Range = TypeVar("_Range", bound=Range)


def as_dataframe(
    spark: SparkSession, table: pyarrow.Table, schema: StructType | None = None
) -> DataFrame:
    """The same rows for Spark, with these columns where Arrow's types leave them open. It makes a
    partition of each chunk, and so a task of each small piece: here chunks are large."""
    chunks = Chunks(table.schema)
    for chunk in table.to_batches():
        chunks.add(chunk)
    whole = chunks.table()
    frame = spark.createDataFrame(whole) if schema is None else spark.createDataFrame(whole, schema)
    return frame.coalesce(1) if table.nbytes <= ONE_TASK_BYTES else frame


class Chunks:
    """Rows that come in small chunks, kept in few large ones, in their order."""

    def __init__(self, schema: pyarrow.Schema) -> None:
        self._schema = schema
        self._large: list[pyarrow.RecordBatch] = []
        self._small: list[pyarrow.RecordBatch] = []
        self._small_bytes = 0

    def add(self, chunk: pyarrow.RecordBatch) -> None:
        """Behind all others."""
        self._small.append(chunk)
        self._small_bytes += chunk.nbytes
        if self._small_bytes >= CHUNK_BYTES:
            self._join()

    def all(self) -> list[pyarrow.RecordBatch]:
        """What was added."""
        self._join()
        return self._large

    def table(self) -> pyarrow.Table:
        """The same."""
        found = self.all()
        # A table without any chunk is one that Spark does not take.
        return (
            pyarrow.Table.from_batches(found, self._schema) if found else self._schema.empty_table()
        )

    def _join(self) -> None:
        small, self._small, self._small_bytes = self._small, [], 0
        if len(small) > 1:
            small = pyarrow.Table.from_batches(small, self._schema).combine_chunks().to_batches()
        self._large += small


def shared_out(pieces: Sequence[_Range], count: int) -> list[list[_Range]]:
    """Consecutive pieces in about `count` groups of about equal size; none is empty."""
    total = sum(piece.length for piece in pieces)
    groups: list[list[_Range]] = [[]]
    passed = 0
    for piece in pieces:
        if groups[-1] and (passed + piece.length / 2) * count > total * len(groups):
            groups.append([])
        groups[-1].append(piece)
        passed += piece.length
    return groups if pieces else []
