"""What DuckDB says of a table. Names are compared as DuckDB does: without regard to case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

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
# Pairs of texts that differ. A collation that takes one pair for equal says so here, whatever
# its name.
_PAIRS = (("a", "A"), ("a", "á"), ("é", "e\u0301"), ("a", "a "))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an existing table. `optional`: it need not be given a value."""

    name: str
    type: str
    optional: bool


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's name; `schema` None is the connection's own."""

    name: str
    schema: str | None

    def __str__(self) -> str:
        return self.name if self.schema is None else f"{self.schema}.{self.name}"

    @property
    def _words(self) -> dict[str, str | None]:
        return {"name": self.name, "schema": self.schema}

    def quoted(self, connection: Connection) -> str:
        """The name as SQL, with everything in it inert."""
        return ".".join(quote(connection, part) for part in (self.schema, self.name) if part)

    def has_schema(self, connection: Connection) -> bool:
        """Is the schema there?"""
        return bool(connection.execute(_SCHEMA, {"schema": self.schema}).scalar())

    def is_table(self, connection: Connection) -> bool:
        """Is there a table of this name?"""
        return bool(connection.execute(_TABLE, self._words).scalar())

    def is_view(self, connection: Connection) -> bool:
        """Is there a view of this name?"""
        return bool(connection.execute(_VIEW, self._words).scalar())

    def columns(self, connection: Connection) -> dict[str, Column]:
        """Its columns, by lower-case name. Empty if there is no such table."""
        rows = connection.execute(_COLUMNS, self._words).all()
        return {
            row[0].lower(): Column(row[0], row[1], row[2] or row[3] is not None) for row in rows
        }

    def keys(self, connection: Connection) -> list[frozenset[str]]:
        """Its primary key and unique constraints, as lower-case column names."""
        found = connection.execute(_KEYS, self._words).scalars()
        return [frozenset(column.lower() for column in columns) for columns in found]

    def blurred(self, connection: Connection, columns: Sequence[str]) -> list[str]:
        """Those of these text columns whose collation makes texts equal that differ."""
        return [column for column in columns if self._blurs(connection, column)]

    def _blurs(self, connection: Connection, column: str) -> bool:
        # The value of no row, which has the column's collation.
        nothing = f"(SELECT {quote(connection, column)} FROM {self.quoted(connection)} WHERE false)"
        equal = " OR ".join(f"coalesce({nothing}, '{one}') = '{other}'" for one, other in _PAIRS)
        answer: Any = connection.exec_driver_sql(f"SELECT {equal}").scalar()
        return bool(answer)


def quote(connection: Connection, name: str) -> str:
    """A name as SQL."""
    return connection.dialect.identifier_preparer.quote_identifier(name)
