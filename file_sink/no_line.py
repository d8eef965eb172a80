"""Rows for which csv has no line: those of one column in which there is nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from file_sink.settings import Settings


class NoLine(ValueError):
    """Rows for which csv has no line: a reader would have fewer of them. Its text says why."""


def refuse_no_line(count: int, column: str) -> None:
    """NoLine, unless `count` is 0: rows whose only column in the files is this one, empty."""
    if count:
        raise NoLine(
            f"{count} rows have nothing in {column}, the only column of the files, and csv has no"
            f" line for such a row: fill it, or write another format (Spark's writer: or"
            f" options={{'nullValue': 'NULL'}})"
        )


def only_column(settings: Settings, names: Sequence[str]) -> str | None:
    """The only column that csv files have; None for more, and for other formats."""
    inner = [name for name in names if name not in settings.partition_by]
    return inner[0] if settings.format == "csv" and len(inner) == 1 else None
