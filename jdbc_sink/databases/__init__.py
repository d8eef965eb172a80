"""What differs between databases: one room for each, behind one protocol.

A database that joins needs a room with a `Database`, and a line in `database_of`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import sqlalchemy as sql

from windowlog.access.engines import make_engine
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    import pyarrow
    from sqlalchemy import Connection, Engine

    from jdbc_sink.rows import Rows
    from jdbc_sink.table import Column, TableName


class Place(Protocol):
    """Where the database is, who holds it, and how a connection and a transaction begin."""

    def missing(self, engine: Engine) -> bool:
        """True for a database file that is not there yet: to look into it would create it."""

    def create(self, path: Path) -> None:
        """Make the empty database file, whole or not at all, unless it is there."""

    def holder(self, engine: Engine, reason: str) -> str | None:
        """Who holds the database that could not be used for this reason; None if that is not
        why."""

    def remedy(self, reason: str) -> str:
        """What to do about a database that cannot be used for this reason."""

    def flaw(
        self, connection: Connection, schemas: frozenset[str | None]
    ) -> tuple[str, str] | None:
        """(reason, remedy) if a new connection cannot keep what a sink of tables in these schemas
        promises."""

    def begin(self, connection: Connection, lock_wait_s: float) -> None:
        """Right after SQLAlchemy's own begin: what makes it a transaction that writes. It does not
        wait for others' locks, as its caller does; a COMMIT may, for `lock_wait_s`."""

    def enclose(self, connection: Connection) -> AbstractContextManager[None]:
        """Around people's own work inside the open transaction. jdbc_sink.guard.Ended if that ended
        it, was kept from it, or hid an error after which it cannot be kept."""

    def refuses_values(self, error: sql.exc.DBAPIError) -> bool:
        """Does this error say that it does not take the values, and not that it is unwell?"""

    def settle(self, connection: Connection) -> None:
        """After a window that came through a spool: spare memory that others need more."""

    def closed(self, engine: Engine) -> None:
        """After the last connection of a run: clear away what only an open one needs."""

    def lost_race(self, error: Exception) -> bool:
        """Does this error of an UPDATE say that another transaction changed the row?"""


class Catalog(Protocol):
    """What the database says of a table, inside the caller's transaction. `shared`: others may
    alter a table while a connection is open."""

    shared: bool

    def home(self, connection: Connection) -> str:
        """The schema of tables that are named without one."""

    def has_schema(self, connection: Connection, table: TableName) -> bool:
        """Is the table's schema there?"""

    def is_table(self, connection: Connection, table: TableName) -> bool:
        """Is there a table of this name?"""

    def is_view(self, connection: Connection, table: TableName) -> bool:
        """Is there a view of this name?"""

    def definition(self, connection: Connection, table: TableName) -> str:
        """A text that is another one after the table or its indexes were altered. Empty if there is
        no such table."""

    def columns(self, connection: Connection, table: TableName) -> dict[str, Column]:
        """Its columns, by lower-case name. Empty if there is no such table."""

    def has_key(self, connection: Connection, table: TableName, columns: Sequence[str]) -> bool:
        """Is there a primary key, unique constraint or unique index on exactly these columns?"""

    def blurred(
        self, connection: Connection, table: TableName, columns: Sequence[str]
    ) -> list[str]:
        """Those of these key columns whose collation makes texts equal that differ."""


class Types(Protocol):
    """Which column type stores which values unchanged. Types are compared by their SQL names."""

    def column_types(self, schema: pyarrow.Schema) -> tuple[dict[str, str], list[str]]:
        """Column -> the type that stores its values unchanged; and what is wrong with columns that
        have none. Needs no connection."""

    def fits(self, source: str, target: str) -> bool:
        """Can a column of type `target` hold every value of `source` unchanged?"""

    def has_order(self, kind: str) -> bool:
        """Do values of this type compare here as they do in Spark?"""

    def sum_type(self, summand: str) -> str | None:
        """The type of a new column that takes sums, which outgrow their summands. None for what
        cannot be added."""

    def total(self, column: str, kind: str) -> str:
        """SQL for the sum of a (quoted) column in one group. It fails where it overflows."""

    def plus(self, old: str, new: str, kind: str) -> str:
        """SQL for the sum of two values, neither NULL. It fails where it overflows."""

    def ordered(self, column: str, kind: str) -> str:
        """SQL for a column in a form that compares as its values do."""


class Load(Protocol):
    """How rows get in, inside the caller's transaction."""

    def findings(self, rows: Rows, *, thorough: bool = False) -> list[tuple[str, str, str]]:
        """(column, value, reason) of values that the database would change silently, one for each
        column that has such. `thorough`: also of those that it would refuse, in words of its
        own."""

    def relation(self, connection: Connection, rows: Rows) -> AbstractContextManager[str]:
        """The rows, for as long as the context is open, as a relation that SQL can name."""

    def append(self, connection: Connection, rows: Rows, table: str) -> None:
        """Every row becomes a row of `table`, a quoted name."""


class Database(Protocol):
    """One kind of database."""

    name: str

    @property
    def place(self) -> Place:
        """Where it is."""

    @property
    def catalog(self) -> Catalog:
        """What it says of tables."""

    @property
    def types(self) -> Types:
        """Its column types."""

    @property
    def load(self) -> Load:
        """How rows get in."""

    def engine(self, given: Any, *, by_url: bool = False) -> tuple[Engine, bool]:
        """The engine to use for an engine (made from a URL or the user's), or the database's own
        connection; and whether the database lives only as long as its connections."""

    def refuse_open_transaction(self, own: Any, sink: str) -> None:
        """TransactionOpen if the user's own connection is inside a transaction: it would not see
        ours, or block it."""


def database_of(given: Any) -> tuple[Database, Engine, bool]:
    """The kind of database, its engine, and whether it is in memory. BadArgument for what is none
    of a URL, an engine, or an open duckdb connection."""
    from jdbc_sink.databases.duckdb import DuckDb, is_own_connection
    from jdbc_sink.databases.sqlite import Sqlite

    if is_own_connection(given):
        kind: Database = DuckDb()
        return kind, *kind.engine(given)
    engine = make_engine(given) if isinstance(given, str) else given
    if not (hasattr(engine, "dialect") and hasattr(engine, "connect")):
        allowed = "a URL, a SQLAlchemy engine, or an open duckdb connection"
        raise BadArgument(argument="database", value=type(given).__name__, allowed=allowed)
    kinds: dict[str, type[Database]] = {"duckdb": DuckDb, "sqlite": Sqlite}
    if engine.dialect.name not in kinds:
        allowed = (
            "a DuckDB or SQLite database: duckdb:///FILE, sqlite:///FILE, or an engine for one"
        )
        raise BadArgument(argument="database", value=engine.dialect.name, allowed=allowed)
    kind = kinds[engine.dialect.name]()
    return kind, *kind.engine(engine, by_url=isinstance(given, str))
