"""Rows for SQLite: Python values, by executemany."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jdbc_sink.databases.faults import by_column
from jdbc_sink.databases.plain import values
from jdbc_sink.databases.sqlite.findings import finding
from jdbc_sink.databases.sqlite.types import SqliteTypes
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

    def findings(self, rows: Rows, *, thorough: bool = False) -> list[tuple[str, str, str]]:
        """What SQLite or its JSON has no form for, one for each column."""
        return by_column(rows, rows.schema.names, finding)

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
        statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"
        for part in rows.to_batches(max_chunksize=_ROWS_AT_ONCE):
            columns = [values(part.column(number)) for number in range(part.num_columns)]
            rows_of_part = list(zip(*columns, strict=True))
            if rows_of_part:
                connection.exec_driver_sql(statement, rows_of_part)
