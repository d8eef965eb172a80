"""A window's rows, in the driver as a pyarrow.Table or in files as a Spool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import pyarrow

from jdbc_sink.spool.files import Spool

Rows: TypeAlias = "pyarrow.Table | Spool"


def parts(rows: Rows, size: int) -> list[Rows]:
    """The rows in parts of at most `size` (a file of a spool is not divided)."""
    if isinstance(rows, Spool):
        return [*rows.parts(size)]
    return [rows.slice(start, size) for start in range(0, rows.num_rows, size)]


def pieces(rows: Rows, columns: Sequence[str]) -> Iterator[pyarrow.Table]:
    """Some columns of all rows, one piece in memory at a time."""
    if not isinstance(rows, Spool):
        yield rows.select(columns)
        return
    for some in rows.to_batches(columns=columns):
        yield pyarrow.Table.from_batches([some])


def nulls(rows: Rows, column: str) -> int:
    """How many NULLs the column has."""
    return rows.nulls.get(column, 0) if isinstance(rows, Spool) else rows[column].null_count


def whole(rows: Rows) -> pyarrow.Table:
    """All rows in memory."""
    return rows.read() if isinstance(rows, Spool) else rows
