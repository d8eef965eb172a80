"""Ranges and rows as Spark's tasks get them, whatever the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

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
    partition of each chunk, and so a task of each small piece: here they are one chunk."""
    whole = table.combine_chunks()
    frame = spark.createDataFrame(whole) if schema is None else spark.createDataFrame(whole, schema)
    return frame.coalesce(1) if table.nbytes <= ONE_TASK_BYTES else frame


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
