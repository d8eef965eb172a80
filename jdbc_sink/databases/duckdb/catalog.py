"""What DuckDB says of a table. Names are compared as DuckDB does: without regard to case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from jdbc_sink.table import Column, TableName, quote

if TYPE_CHECKING:
    from sqlalchemy import Connection

_HERE = (
    " WHERE lower(table_name) = lower(:name) AND database_name = current_database()"
    " AND lower(schema_name) = lower(coalesce(:schema, current_schema()))"
)
_SCHEMA = sql.text(
    "SELECT count(*) FROM duckdb_schemas() WHERE database_name = current_database()"
    " AND lower(schema_name) = lower(coalesce(:schema, current_schema()))"
)
_TABLE = sql.text(f"SELECT count(*) FROM duckdb_tables(){_HERE}")
_VIEW = sql.text(f"SELECT count(*) FROM duckdb_views(){_HERE.replace('table_name', 'view_name')}")
_COLUMNS = sql.text(
    f"SELECT column_name, data_type, is_nullable, column_default FROM duckdb_columns(){_HERE}"
)
_KEYS = sql.text(
    f"SELECT constraint_column_names FROM duckdb_constraints(){_HERE}"
    " AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')"
)
_INDEXES = sql.text(f"SELECT expressions FROM duckdb_indexes(){_HERE} AND is_unique")
_PLAIN = re.compile(r"\w+")
# Pairs of texts that differ. A collation that takes one pair for equal says so here, whatever
# its name.
_PAIRS = (("a", "A"), ("a", "á"), ("é", "e\u0301"), ("a", "a "))


class DuckDbCatalog:
    """jdbc_sink.databases.Catalog for DuckDB."""

    def home(self, connection: Connection) -> str:
        """The schema of tables that are named without one."""
        return str(connection.exec_driver_sql("SELECT current_schema()").scalar())

    def has_schema(self, connection: Connection, table: TableName) -> bool:
        """Is the table's schema there?"""
        return bool(connection.execute(_SCHEMA, {"schema": table.schema}).scalar())

    def is_table(self, connection: Connection, table: TableName) -> bool:
        """Is there a table of this name?"""
        return bool(connection.execute(_TABLE, _words(table)).scalar())

    def is_view(self, connection: Connection, table: TableName) -> bool:
        """Is there a view of this name?"""
        return bool(connection.execute(_VIEW, _words(table)).scalar())

    def columns(self, connection: Connection, table: TableName) -> dict[str, Column]:
        """Its columns, by lower-case name. Empty if there is no such table."""
        rows = connection.execute(_COLUMNS, _words(table)).all()
        return {
            name.lower(): Column(
                name=name,
                type=kind,
                optional=nullable or default is not None,
                generated=default is not None and not _takes(connection, table, name),
            )
            for name, kind, nullable, default in rows
        }

    def has_key(self, connection: Connection, table: TableName, columns: Sequence[str]) -> bool:
        """Is there a primary key, unique constraint or unique index on exactly these columns?"""
        keys = [*connection.execute(_KEYS, _words(table)).scalars()]
        # Of its indexes DuckDB says only their text. ON CONFLICT would take one on lower(word) for
        # one on word: what is not plain names is none.
        for text in connection.execute(_INDEXES, _words(table)).scalars():
            names = text[1:-1].split(", ")
            keys += [names] if all(map(_PLAIN.fullmatch, names)) else []
        wanted = {column.lower() for column in columns}
        return any({column.lower() for column in key} == wanted for key in keys)

    def blurred(
        self, connection: Connection, table: TableName, columns: Sequence[str]
    ) -> list[str]:
        """Those of these key columns whose collation makes texts equal that differ."""
        there = self.columns(connection, table)
        texts = [name for name in columns if there[name.lower()].type == "VARCHAR"]
        return [column for column in texts if _blurs(connection, table, column)]


def _blurs(connection: Connection, table: TableName, column: str) -> bool:
    # The value of no row, which has the column's collation.
    nothing = f"(SELECT {quote(connection, column)} FROM {table.quoted(connection)} WHERE false)"
    equal = " OR ".join(f"coalesce({nothing}, '{one}') = '{other}'" for one, other in _PAIRS)
    answer: Any = connection.exec_driver_sql(f"SELECT {equal}").scalar()
    return bool(answer)


def _takes(connection: Connection, table: TableName, column: str) -> bool:
    """Would DuckDB take an INSERT into this column? It is not run, and a no does no harm to the
    transaction."""
    name = quote(connection, column)
    insert = f"INSERT INTO {table.quoted(connection)} ({name}) SELECT NULL WHERE false"
    try:
        connection.exec_driver_sql(f"EXPLAIN {insert}")
    except sql.exc.ProgrammingError:
        return False
    return True


def _words(table: TableName) -> dict[str, str | None]:
    return {"name": table.name, "schema": table.schema}
