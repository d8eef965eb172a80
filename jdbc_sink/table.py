"""A table's name, and its columns as the database describes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class TableName:
    """A table's name; `schema` None is the connection's own."""

    name: str
    schema: str | None

    def __str__(self) -> str:
        return self.name if self.schema is None else f"{self.schema}.{self.name}"

    def quoted(self, connection: Connection) -> str:
        """The name as SQL, with everything in it inert."""
        return ".".join(quote(connection, part) for part in (self.schema, self.name) if part)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an existing table. `optional`: it need not be given a value. `generated`: it
    cannot be given one. `numbered`: NULL given to it becomes a number."""

    name: str
    type: str
    optional: bool
    generated: bool = False
    numbered: bool = False


def quote(connection: Connection, name: str) -> str:
    """A name as SQL."""
    return connection.dialect.identifier_preparer.quote_identifier(name)
