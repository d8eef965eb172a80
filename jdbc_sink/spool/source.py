"""What runs in Spark's tasks: a Python data source that writes Parquet files and counts their rows.

It is sent to the workers by value, with `stores`: they need pyarrow and see the spool's folder
under the same path (a shared file system), or have the package `hdfs`, and need no package of ours.

Each file has a name that nobody else makes, a UUID: Spark's own ids of task attempts repeat across
applications. A task that failed, or ran twice, leaves files that nobody counts."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pyspark.sql import datasource
from pyspark.sql.datasource import DataSource, DataSourceWriter, WriterCommitMessage

from jdbc_sink.spool.stores import HdfsStore, LocalStore

if TYPE_CHECKING:
    import pyarrow

# DuckDB's own row groups are as large: it reads one with one thread.
_GROUP_ROWS = 122_880
# Rows with long texts are written sooner: a task holds about twice as much.
_GROUP_BYTES = 32 * 2**20
# As many as Spark hands over at once as Arrow.
_ROWS_AT_ONCE = 10_000
# Folder -> where files go.
Store = Callable[[str], LocalStore | HdfsStore]
# What is logged in with, as text -> its source. A log-in stands in no option, which Spark shows.
_on_hdfs: dict[str, type[SpoolSource]] = {}
# Tasks hand over Arrow since some version of Spark 4; before that, rows.
_Base: Any = getattr(datasource, "DataSourceArrowWriter", DataSourceWriter)


@dataclass
class Written(WriterCommitMessage):
    """What one task attempt wrote: for each file its name, rows, and NULLs by column."""

    files: list[dict[str, Any]]


class SpoolSource(DataSource):
    """Spark's door to the spool. Options: see `options`."""

    format_name = "windowed_spool"
    store: Store = LocalStore

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return cls.format_name

    def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
        """Called where the query is planned."""
        return SpoolWriter(self.options, schema, self.store)


class SpoolWriter(_Base):  # type: ignore[misc]
    """Writes the rows of tasks. `given` are SpoolSource's options."""

    def __init__(
        self, given: Mapping[str, str], spark_schema: Any = None, store: Store = LocalStore
    ) -> None:
        self._store = store(given["folder"])
        self._manifest = given["manifest"]
        self._schema = given["schema"]
        self._rows_per_file = int(given["rows_per_file"])
        self._spark_schema = spark_schema

    def write(self, iterator: Iterator[Any]) -> Written:
        """In an executor: all rows of one task attempt. An error if one does not fit the schema."""
        import pyarrow

        schema = pyarrow.ipc.read_schema(pyarrow.py_buffer(base64.b64decode(self._schema)))
        files = _Files(self._store, schema, self._rows_per_file)
        try:
            for rows in _as_arrow(iterator, self._spark_schema):
                files.add(rows if rows.schema.equals(schema) else rows.cast(schema))
            files.finish()
        finally:
            files.let_go()
        return Written(files.counted)

    def commit(self, messages: list[Any]) -> None:
        """In a worker process beside Spark's driver: list the files of the attempts that count, for
        the driver, whole or not at all."""
        listed = [file for message in messages for file in message.files]
        self._store.publish(self._manifest, json.dumps(listed).encode())

    def abort(self, messages: list[Any]) -> None:
        """Nothing: Spark calls it after a failed `commit` too, whose list may be in use already.
        The folder goes as a whole."""


class _Files:
    """Files of at most so many rows, one after the other."""

    def __init__(
        self, store: LocalStore | HdfsStore, schema: pyarrow.Schema, rows_max: int
    ) -> None:
        self.counted: list[dict[str, Any]] = []
        self._store = store
        self._schema = schema
        self._rows_max = rows_max
        self._waiting: list[pyarrow.RecordBatch] = []
        self._waiting_bytes = 0
        self._stream: Any = None
        self._writer: Any = None
        self._start()

    def _start(self) -> None:
        self._name = f"{uuid4()}.parquet"
        self._rows = 0
        self._nulls: dict[str, int] = {}

    def add(self, rows: pyarrow.RecordBatch) -> None:
        """Rows for the files."""
        while rows.num_rows:
            taken = rows.slice(0, self._rows_max - self._rows)
            rows = rows.slice(taken.num_rows)
            self._waiting.append(taken)
            self._waiting_bytes += taken.nbytes
            self._rows += taken.num_rows
            for name, column in zip(taken.schema.names, taken.columns, strict=True):
                if column.null_count:
                    self._nulls[name] = self._nulls.get(name, 0) + column.null_count
            waiting = sum(each.num_rows for each in self._waiting)
            if waiting >= _GROUP_ROWS or self._waiting_bytes >= _GROUP_BYTES:
                self._flush()
            if self._rows == self._rows_max:
                self.finish()

    def _flush(self) -> None:
        import pyarrow
        import pyarrow.parquet

        if self._writer is None:
            self._stream = self._store.create(self._name)
            # The driver asks only the notes about times. Those about floats leave NaN out, and
            # DuckDB believes them: a condition of the user's would lose such rows.
            noted = [field.name for field in self._schema if _is_noted(field.type)]
            self._writer = pyarrow.parquet.ParquetWriter(
                self._stream, self._schema, write_statistics=noted
            )
        self._writer.write_table(pyarrow.Table.from_batches(self._waiting, self._schema))
        self._waiting, self._waiting_bytes = [], 0

    def finish(self) -> None:
        """End the file: only now it counts. No rows make no file."""
        if not self._rows:
            return
        self._flush()
        self._writer.close()
        self._store.finish(self._stream, self._name)
        self._writer = self._stream = None
        self.counted.append({"name": self._name, "rows": self._rows, "nulls": self._nulls})
        self._start()

    def let_go(self) -> None:
        """After an error: what was begun stays, as debris that nobody counts."""
        if self._stream is not None:
            self._stream.close()


def _is_noted(kind: pyarrow.DataType) -> bool:
    import pyarrow.types

    return bool(pyarrow.types.is_date(kind) or pyarrow.types.is_timestamp(kind))


def _as_arrow(rows: Iterator[Any], spark_schema: Any) -> Iterator[Any]:
    """What Spark hands over, as Arrow."""
    import pyarrow

    for first in rows:
        if isinstance(first, pyarrow.RecordBatch):
            yield first
            yield from rows
        else:
            yield from _rows_as_arrow(first, rows, spark_schema)


def _rows_as_arrow(first: Any, rows: Iterator[Any], spark_schema: Any) -> Iterator[Any]:
    # The converter with which pyspark itself takes rows from a data source; it has moved.
    try:
        conversion = import_module("pyspark.sql.conversion")
    except ImportError:
        conversion = import_module("pyspark.sql.connect.conversion")
    convert: Any = conversion.LocalDataToArrowConversion.convert
    some: Iterable[Any] = [first]
    while some := [*some, *islice(rows, _ROWS_AT_ONCE)]:
        yield from convert(some, spark_schema, use_large_var_types=False).to_batches()
        some = []


def source_on_hdfs(login: Mapping[str, Any]) -> type[SpoolSource]:
    """The source whose tasks log in so: the same one for the same log-in."""
    key = repr(sorted(login.items()))
    if key not in _on_hdfs:
        store = staticmethod(partial(HdfsStore, dict(login)))
        members = {"format_name": f"windowed_spool_hdfs_{len(_on_hdfs)}", "store": store}
        _on_hdfs[key] = type("SpoolOnHdfs", (SpoolSource,), members)
    return _on_hdfs[key]


def options(
    folder: str, manifest: str, schema: pyarrow.Schema, rows_per_file: int
) -> dict[str, str]:
    """SpoolSource's options: the folder, which must be there; the name of the list that `commit`
    leaves in it; the rows' Arrow schema; how many rows one file holds at most."""
    return {
        "folder": folder,
        "manifest": manifest,
        "schema": base64.b64encode(schema.serialize()).decode("ascii"),
        "rows_per_file": str(rows_per_file),
    }
