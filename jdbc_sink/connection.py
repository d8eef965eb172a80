"""Connections: one at a time, kept while windows follow at once, released before waits and every
`release_s`.

A DuckDB file is held by one process at a time, and opening it costs 20 ms: kept for ever it would
lock out every reader, closed after each window it would cost more than the window."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from jdbc_sink import files
from jdbc_sink.errors import DatabaseFailed, DatabaseLocked, DatabaseUnusable
from windowlog.access.engines import redacted
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

# Somebody who reads takes a moment: looking again costs a failed open, about a millisecond.
LOCK_POLL_S = 0.05
# DuckDB's names for a database that is a service.
_REMOTE = ("md:", "motherduck:")
_REMEDY_KEPT = "Give the sink a connection that stays open while the pipeline runs."
_FACTS = sql.text(
    "SELECT current_setting('default_collation'), readonly FROM duckdb_databases()"
    " WHERE database_name = current_database()"
)


class Connections:
    """Connections of one sink. `keep`: a database in memory, or your own connection, which lives as
    long as it is open."""

    def __init__(self, engine: Engine, *, release_s: float, lock_wait_s: float, keep: bool) -> None:
        if engine.dialect.name != "duckdb":
            allowed = "a DuckDB database: duckdb:///FILE, an engine for one, or a duckdb connection"
            raise BadArgument(argument="url", value=engine.dialect.name, allowed=allowed)
        if _autocommits(engine):
            allowed = "an engine without AUTOCOMMIT: rows and ledger must be one transaction"
            raise BadArgument(argument="engine", value="AUTOCOMMIT", allowed=allowed)
        self._engine = engine
        self._release_s = release_s
        self._lock_wait_s = lock_wait_s
        self._keep = keep
        self._connection: Connection | None = None
        self._opened_s = 0.0

    @property
    def database(self) -> str:
        """The database, for messages."""
        return redacted(self._engine.url.database or ":memory:")

    @property
    def missing(self) -> bool:
        """True for a database file that is not there yet: to look into it would create it."""
        name = self._engine.url.database or ":memory:"
        if self._keep or name.startswith(_REMOTE):
            return False
        return Path(name).parent.is_dir() and not Path(name).exists()

    @contextmanager
    def transaction(self, *, reads: bool = False) -> Iterator[Connection]:
        """A transaction that is committed at the end, if it does more than read; anything that is
        raised rolls it back."""
        connection = self.get()
        try:
            with connection.begin() as transaction:
                yield connection
                if reads:
                    transaction.rollback()
        except sql.exc.IntegrityError:
            self.drop()
            raise
        except sql.exc.DBAPIError as error:
            # What state the connection is in, only a new one is sure of.
            self.drop()
            raise DatabaseFailed(database=self.database, reason=_said(error)) from error
        self.release_if_due()

    def get(self) -> Connection:
        """The kept connection, or a new one. DatabaseLocked after `lock_wait_s`, DatabaseUnusable
        at once."""
        if self._connection is None:
            connection = self._open()
            try:
                self._check(connection)
            except BaseException as error:
                connection.invalidate()
                connection.close()
                if not isinstance(error, sql.exc.DBAPIError):
                    raise
                raise DatabaseFailed(database=self.database, reason=_said(error)) from error
            self._connection = connection
            self._opened_s = time.monotonic()
        return self._connection

    def _open(self) -> Connection:
        start_s = time.monotonic()
        while True:
            try:
                if self.missing and not self._engine.url.query:
                    files.create(Path(str(self._engine.url.database)))
                return self._engine.connect()
            except Exception as error:  # noqa: BLE001 (drivers raise their own)
                reason = _said(error)
                holder = files.holder(reason)
                if holder is None:
                    remedy = _REMEDY_KEPT if self._keep else files.remedy(reason)
                    raise self._unusable(reason, remedy) from _unsaid(error)
                if time.monotonic() - start_s >= self._lock_wait_s:
                    raise DatabaseLocked(
                        database=self.database, holder=holder, waited_s=self._lock_wait_s
                    ) from _unsaid(error)
            time.sleep(LOCK_POLL_S)

    def _check(self, connection: Connection) -> None:
        collation, readonly = connection.execute(_FACTS).one()
        connection.rollback()
        if readonly:
            remedy = "Take access_mode from its settings: a sink writes."
            raise self._unusable("it is opened read-only", remedy)
        if collation and collation.lower() != "binary":
            # Also the ledger's key is compared so: two pipelines could be taken for one.
            reason = f"its setting default_collation={collation} makes distinct keys equal"
            raise self._unusable(reason, "Unset it; give a collation to the columns that need one.")

    def _unusable(self, reason: str, remedy: str) -> DatabaseUnusable:
        return DatabaseUnusable(database=self.database, reason=reason, remedy=remedy)

    def release_if_due(self) -> None:
        """Let others in, once the connection has been kept for `release_s`."""
        if time.monotonic() - self._opened_s >= self._release_s:
            self.release()

    def release(self) -> None:
        """Let others in now. A database in memory stays."""
        if not self._keep:
            self.drop()

    def drop(self) -> None:
        """Close the connection; what it had not committed is gone."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.invalidate()
            with suppress(Exception):
                connection.close()


def _said(error: Exception) -> str:
    """What the driver said, without its full stop: it becomes the middle of a sentence."""
    return redacted(getattr(error, "orig", None) or error).rstrip(" .!\n")


def _unsaid(error: Exception) -> Exception | None:
    """The cause to show beside a message that has the driver's own words: none, if those are all
    that happened. Dozens of lines from inside the libraries would say the same once more."""
    import duckdb

    return None if isinstance(error, sql.exc.DBAPIError | duckdb.Error | OSError) else error


def _autocommits(engine: Engine) -> bool:
    options: Any = engine.get_execution_options()
    on_connect = getattr(engine.dialect, "_on_connect_isolation_level", None)
    levels = {str(options.get("isolation_level")).upper(), str(on_connect).upper()}
    return "AUTOCOMMIT" in levels
