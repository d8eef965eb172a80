"""Spark's tasks without Spark: the same writer, driven as Spark drives it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from jdbc_sink.spool import save as spark_job
from jdbc_sink.spool.files import Spool, take
from jdbc_sink.spool.source import SpoolWriter, options

SCHEMA = pyarrow.schema([("word", pyarrow.string()), ("n", pyarrow.int64())])
MANIFEST = "counted.json"


@dataclass
class Frame:
    """A frame whose rows are not in the driver: a list of rows for each task."""

    tasks: list[list[tuple[str | None, int]]]

    def table(self) -> pyarrow.Table:
        """All rows."""
        return pyarrow.concat_tables(map(table, self.tasks))


def table(rows: list[tuple[str | None, int]]) -> pyarrow.Table:
    """Words and numbers."""
    return pyarrow.table({"word": [row[0] for row in rows], "n": [row[1] for row in rows]}, SCHEMA)


def writer(folder: Path, rows_per_file: int = 1000) -> SpoolWriter:
    """As Spark makes it for one job."""
    return SpoolWriter(options(str(folder), MANIFEST, SCHEMA, rows_per_file))


def save(frame: Frame, folder: Path, schema: pyarrow.Schema, rows_per_file: int) -> Spool:
    """What jdbc_sink.spool.save does, with this process as its only executor."""
    job = SpoolWriter(options(str(folder), MANIFEST, schema, rows_per_file))
    messages: list[Any] = [job.write(iter(table(rows).to_batches())) for rows in frame.tasks]
    job.commit(messages)
    return take(folder, MANIFEST, schema)


def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sinks of a test take a Frame."""
    monkeypatch.setattr(spark_job, "save", save)
