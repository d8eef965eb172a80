"""A window's rows as Parquet files: exactly those that the tasks counted, each whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet
import pyarrow.types as arrow


@dataclass(frozen=True, slots=True)
class SpoolFile:
    """One file and the number of its rows."""

    path: Path
    rows: int


@dataclass(frozen=True, slots=True)
class Spool:
    """Rows in files, in order. Used like a pyarrow.Table, with a few of its rows in memory.

    `nulls` counts the NULLs of each column that has any."""

    files: tuple[SpoolFile, ...]
    schema: pyarrow.Schema
    nulls: Mapping[str, int] = field(default_factory=dict)

    @property
    def num_rows(self) -> int:
        """How many."""
        return sum(file.rows for file in self.files)

    @property
    def paths(self) -> list[str]:
        """The files' absolute paths."""
        return [str(file.path) for file in self.files]

    def to_batches(
        self, max_chunksize: int = 65_536, columns: Sequence[str] | None = None
    ) -> Iterator[pyarrow.RecordBatch]:
        """All rows, or some of their columns, so many at once. OSError or pyarrow.ArrowInvalid for
        a file that is gone or damaged."""
        for path in self.paths:
            with parquet.ParquetFile(path) as file:
                yield from file.iter_batches(max_chunksize, columns=columns)

    def ends(self, column: str) -> pyarrow.Array | None:
        """The least and the greatest value of each row group of a column of dates, or of times in
        microseconds, as the files' own notes have them. None for other columns, and where a note
        is missing."""
        kind = self.schema.field(column).type
        if not (arrow.is_date32(kind) or (arrow.is_timestamp(kind) and kind.unit == "us")):
            return None
        found: list[int] = []
        for path in self.paths:
            with parquet.ParquetFile(path) as file:
                at = file.schema_arrow.names.index(column)
                if [*file.schema.names][at] != column or len(file.schema.names) != len(self.schema):
                    return None  # a nested column has several in the file, and shifts the others
                for group in range(file.num_row_groups):
                    note = file.metadata.row_group(group).column(at).statistics
                    if note is None or not (note.has_min_max or not note.num_values):
                        return None
                    found += [note.min_raw, note.max_raw] if note.has_min_max else []
        plain = pyarrow.int32() if arrow.is_date32(kind) else pyarrow.int64()
        return pyarrow.array(found, plain).view(kind)

    def parts(self, rows: int) -> list[Spool]:
        """Whole files in groups of at most `rows`, or of one file."""
        groups: list[list[SpoolFile]] = []
        size = rows
        for file in self.files:
            if size + file.rows > rows:
                groups.append([])
                size = 0
            groups[-1].append(file)
            size += file.rows
        return [Spool(tuple(group), self.schema) for group in groups]

    def read(self) -> pyarrow.Table:
        """All rows in memory."""
        return pyarrow.Table.from_batches(self.to_batches(), self.schema)


class Incomplete(Exception):
    """Why a spool is not what its tasks counted, in words."""


def take(folder: Path, manifest: str, schema: pyarrow.Schema) -> Spool:
    """The files that the tasks counted; what else is in the folder is debris. Incomplete unless
    each is there, whole, with as many rows of this schema as were counted."""
    try:
        listed = json.loads((folder / manifest).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Incomplete("the list of its files is not there") from error
    nulls: dict[str, int] = {}
    for file in listed:
        _check(folder / file["name"], file["rows"], schema)
        for column, count in file["nulls"].items():
            nulls[column] = nulls.get(column, 0) + count
    files = tuple(SpoolFile(folder / file["name"], file["rows"]) for file in listed)
    return Spool(files, schema, nulls)


def _check(path: Path, rows: int, schema: pyarrow.Schema) -> None:
    try:
        with parquet.ParquetFile(path) as file:
            found, columns = file.metadata.num_rows, file.schema_arrow
    except (OSError, pyarrow.ArrowException) as error:
        raise Incomplete(f"{path.name} cannot be read: {error}") from error
    if found != rows:
        raise Incomplete(f"{path.name} has {found} rows, {rows} were counted")
    if not columns.equals(schema):
        raise Incomplete(f"{path.name} has other columns: {columns}")
