"""What SQLite says of a table. Names are compared as SQLite does: without regard to ASCII case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jdbc_sink.table import Column, TableName, quote

if TYPE_CHECKING:
    from sqlalchemy import Connection

# What PRAGMA table_xinfo says in `hidden` of generated columns, virtual and stored.
_GENERATED = (2, 3)


class SqliteCatalog:
    """jdbc_sink.databases.Catalog for SQLite. A schema is an attached database."""

    def home(self, connection: Connection) -> str:
        """The schema of tables that are named without one."""
        return "main"

    def has_schema(self, connection: Connection, table: TableName) -> bool:
        """Is the database attached?"""
        rows = connection.exec_driver_sql("PRAGMA database_list").all()
        wanted = (table.schema or self.home(connection)).lower()
        return wanted in {row[1].lower() for row in rows}

    def is_table(self, connection: Connection, table: TableName) -> bool:
        """Is there a table of this name?"""
        return self._kind(connection, table) == "table"

    def is_view(self, connection: Connection, table: TableName) -> bool:
        """Is there a view of this name?"""
        return self._kind(connection, table) == "view"

    def _kind(self, connection: Connection, table: TableName) -> str | None:
        if not self.has_schema(connection, table):
            return None
        schema = quote(connection, table.schema or self.home(connection))
        query = f"SELECT type FROM {schema}.sqlite_master WHERE lower(name) = lower(?)"
        rows = connection.exec_driver_sql(query, (table.name,)).all()
        return next((row[0] for row in rows if row[0] in ("table", "view")), None)

    def columns(self, connection: Connection, table: TableName) -> dict[str, Column]:
        """Its columns, by lower-case name. Empty if there is no such table."""
        rows = _pragma(connection, table, "table_xinfo")
        number = self._row_number(connection, table, rows)
        return {
            row["name"].lower(): Column(
                name=row["name"],
                type=row["type"].upper(),
                optional=row["name"] == number or _optional(row),
                generated=row["hidden"] in _GENERATED,
                numbered=row["name"] == number,
            )
            for row in rows
        }

    def _row_number(self, connection: Connection, table: TableName, rows: list[Any]) -> str | None:
        """INTEGER PRIMARY KEY is the row's own number, which SQLite gives where it is NULL."""
        primary = [row for row in rows if row["pk"]]
        if len(primary) != 1 or primary[0]["type"].upper() != "INTEGER":
            return None
        # A primary key that is not the row's number has an index: WITHOUT ROWID, or DESC.
        indexes = _pragma(connection, table, "index_list")
        return None if any(index["origin"] == "pk" for index in indexes) else primary[0]["name"]

    def has_key(self, connection: Connection, table: TableName, columns: Sequence[str]) -> bool:
        """Is there a primary key, unique constraint or unique index on exactly these columns?"""
        rows = _pragma(connection, table, "table_xinfo")
        keys = [{row["name"].lower() for row in rows if row["pk"]}]
        for index in _pragma(connection, table, "index_list"):
            if index["unique"] and not index["partial"]:
                keys.append({name for name, _ in _index(connection, table, index)})
        return {column.lower() for column in columns} in keys

    def blurred(
        self, connection: Connection, table: TableName, columns: Sequence[str]
    ) -> list[str]:
        """Those of these key columns whose collation makes texts equal that differ."""
        blurs = {
            name
            for index in _pragma(connection, table, "index_list")
            if index["unique"]
            for name, collation in _index(connection, table, index)
            if collation.upper() != "BINARY"
        }
        return [column for column in columns if column.lower() in blurs]


def _optional(row: Any) -> bool:
    has_value = row["dflt_value"] is not None or row["hidden"] in _GENERATED
    return not row["notnull"] or has_value


def _pragma(connection: Connection, table: TableName, pragma: str) -> list[Any]:
    schema = quote(connection, table.schema or "main")
    name = quote(connection, table.name)
    return list(connection.exec_driver_sql(f"PRAGMA {schema}.{pragma}({name})").mappings())


def _index(connection: Connection, table: TableName, index: Any) -> list[tuple[str, str]]:
    """(lower-case column, collation) of an index's key. An expression is a column without name."""
    named = TableName(index["name"], table.schema)
    return [
        ((row["name"] or "").lower(), row["coll"])
        for row in _pragma(connection, named, "index_xinfo")
        if row["key"]
    ]
