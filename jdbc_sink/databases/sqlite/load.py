"""Rows for SQLite: Python values, by executemany."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute as compute
import pyarrow.types as arrow

from jdbc_sink.databases.sqlite.types import SqliteTypes
from jdbc_sink.rows import pieces
from jdbc_sink.table import quote

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from jdbc_sink.rows import Rows

# In the connection's own temporary schema, which no user's table shares.
RELATION = "windowed_rows_of_this_window"
# Python objects are about 60 bytes each: some megabytes at a time.
_ROWS_AT_ONCE = 10_000


class SqliteLoad:
    """jdbc_sink.databases.Load for SQLite."""

    def findings(self, rows: Rows) -> list[tuple[str, str, str]]:
        """NaN, which SQLite makes NULL, and the sign of -0.0, which it drops."""
        floats = [field.name for field in rows.schema if arrow.is_floating(field.type)]
        found: dict[str, tuple[str, str, str]] = {}
        for piece in pieces(rows, floats) if floats else ():
            for name, column in zip(floats, piece.columns, strict=True):
                if compute.any(compute.is_nan(column)).as_py():
                    reason = "SQLite has no such value and would store NULL"
                    found.setdefault(name, (name, "NaN", reason))
                elif _has_negative_zero(column):
                    found.setdefault(name, (name, "-0.0", "SQLite would store 0.0"))
        return list(found.values())

    @contextmanager
    def relation(self, connection: Connection, rows: Rows) -> Iterator[str]:
        """A temporary table, filled."""
        kinds, _ = SqliteTypes().column_types(rows.schema)
        columns = ", ".join(f"{quote(connection, name)} {kind}" for name, kind in kinds.items())
        name = f"temp.{RELATION}"
        connection.exec_driver_sql(f"CREATE TEMP TABLE {RELATION} ({columns})")
        self.append(connection, rows, name)
        try:
            yield name
        finally:
            # Gone anyway if the transaction failed.
            connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name}")

    def append(self, connection: Connection, rows: Rows, table: str) -> None:
        """executemany, some rows at a time."""
        names = ", ".join(quote(connection, name) for name in rows.schema.names)
        marks = ", ".join("?" * len(rows.schema))
        driver: Any = connection.connection.driver_connection
        statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"
        for part in rows.to_batches(max_chunksize=_ROWS_AT_ONCE):
            columns = [_values(part.column(number)) for number in range(part.num_columns)]
            driver.executemany(statement, zip(*columns, strict=True))


def _has_negative_zero(column: pyarrow.ChunkedArray) -> bool:
    zeros = column.filter(compute.equal(column, 0))
    return bool(compute.any(compute.less(compute.divide(1.0, zeros), 0)).as_py())


def _values(column: pyarrow.Array) -> list[Any]:
    """A column as sqlite3 takes it."""
    kind = column.type
    if arrow.is_date32(kind):
        column = column.cast(pyarrow.string())
    if arrow.is_timestamp(kind):
        return _moments(column)
    if arrow.is_decimal(kind):
        return [None if value is None else format(value, "f") for value in column.to_pylist()]
    if arrow.is_nested(kind) or arrow.is_duration(kind):
        return [None if value is None else _json(value) for value in column.to_pylist()]
    return list(column.to_pylist())


def _moments(column: pyarrow.Array) -> list[Any]:
    zone = column.type.tz
    naive = column.cast(pyarrow.timestamp("us", zone)).cast(pyarrow.timestamp("us"))
    texts = naive.cast(pyarrow.string())
    if zone is not None:
        texts = compute.binary_join_element_wise(texts, "+00:00", "")
    return list(texts.to_pylist())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    return str(value)
