"""Connections: one at a time, kept while windows follow at once, released before waits and every
`release_s`.

A DuckDB file is held by one process at a time, and opening it costs 20 ms: kept for ever it would
lock out every reader, closed after each window it would cost more than the window."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sql

from jdbc_sink.errors import DatabaseFailed, DatabaseLocked, DatabaseUnusable
from windowlog.access.engines import redacted
from windowlog.errors import BadArgument, KitError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Transaction

    from jdbc_sink.databases import Place

# Somebody who reads takes a moment: looking again costs a failed open, about a millisecond.
LOCK_POLL_S = 0.05
_REMEDY_KEPT = "Give the sink a connection that stays open while the pipeline runs."
_Result = TypeVar("_Result")


class Connections:
    """Connections of one sink. `keep`: a database in memory, or your own connection, which lives as
    long as it is open. `schemas`: where the sink's tables are."""

    def __init__(
        self,
        engine: Engine,
        place: Place,
        *,
        schemas: frozenset[str | None],
        release_s: float,
        lock_wait_s: float,
        keep: bool,
    ) -> None:
        if _autocommits(engine):
            allowed = "an engine without AUTOCOMMIT: rows and ledger must be one transaction"
            raise BadArgument(argument="engine", value="AUTOCOMMIT", allowed=allowed)
        self._engine = engine
        self._place = place
        self._schemas = schemas
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
        return not self._keep and self._place.missing(self._engine)

    @contextmanager
    def transaction(self, *, reads: bool = False) -> Iterator[Connection]:
        """A transaction that is committed at the end, if it does more than read; anything that is
        raised rolls it back."""
        try:
            connection, transaction = self.begin()
            with transaction:
                yield connection
                if reads:
                    transaction.rollback()
        except BaseException as error:
            # What state the connection is in, only a new one is sure of.
            self.drop()
            # OSError: what lies beside a file cannot be written. Some of the kit's own are such.
            told = isinstance(error, KitError | sql.exc.IntegrityError)
            if told or not isinstance(error, sql.exc.DBAPIError | OSError):
                raise
            raise DatabaseFailed(database=self.database, reason=_said(error)) from error
        self.release_if_due()

    def begin(self) -> tuple[Connection, Transaction]:
        """A transaction on the kept connection, or on a new one. DatabaseLocked after
        `lock_wait_s`, DatabaseUnusable at once."""
        connection = self._get()
        try:
            # The user's engine may have a BEGIN of its own, which waits as well.
            transaction = self._patiently(connection.begin)
            self._usably(lambda: self._place.begin(connection, self._lock_wait_s))
        except BaseException:
            self.drop()
            raise
        return connection, transaction

    def _get(self) -> Connection:
        if self._connection is None:
            self._connection = self._usably(self._open)
            self._opened_s = time.monotonic()
        return self._connection

    def _open(self) -> Connection:
        if self.missing and not self._engine.url.query:
            self._place.create(Path(str(self._engine.url.database)))
        connection = self._engine.connect()
        try:
            flaw = self._place.flaw(connection, self._schemas)
            if flaw is not None:
                raise self._unusable(*flaw)
        except BaseException:
            connection.invalidate()
            connection.close()
            raise
        return connection

    def _usably(self, attempt: Callable[[], _Result]) -> _Result:
        """Patiently; anything but a lock says that the database cannot be used."""
        try:
            return self._patiently(attempt)
        except KitError:
            raise
        except Exception as error:  # noqa: BLE001 (drivers raise their own)
            reason = _said(error)
            remedy = _REMEDY_KEPT if self._keep else self._place.remedy(reason)
            raise self._unusable(reason, remedy) from _unsaid(error)

    def _patiently(self, attempt: Callable[[], _Result]) -> _Result:
        """Again and again while somebody else holds the database, for `lock_wait_s`."""
        start_s = time.monotonic()
        while True:
            try:
                return attempt()
            except Exception as error:
                holder = self._place.holder(self._engine, _said(error))
                if holder is None:
                    raise
                if time.monotonic() - start_s >= self._lock_wait_s:
                    raise DatabaseLocked(
                        database=self.database, holder=holder, waited_s=self._lock_wait_s
                    ) from _unsaid(error)
            time.sleep(LOCK_POLL_S)

    def _unusable(self, reason: str, remedy: str) -> DatabaseUnusable:
        return DatabaseUnusable(database=self.database, reason=reason, remedy=remedy)

    def settle(self) -> None:
        """After a large window, if the database lies in a file."""
        if self._connection is not None and not self._keep:
            self._place.settle(self._connection)

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

    def close(self) -> None:
        """Close the connection, for this run."""
        self.drop()
        with suppress(OSError):
            self._place.closed(self._engine)


def _said(error: Exception) -> str:
    """What the driver said, without its full stop: it becomes the middle of a sentence."""
    return redacted(getattr(error, "orig", None) or error).rstrip(" .!\n")


def _unsaid(error: Exception) -> Exception | None:
    """The cause to show beside a message that has the driver's own words: none, if those are all
    that happened. Dozens of lines from inside the libraries would say the same once more."""
    # DuckDB's and SQLite's own errors are not always SQLAlchemy's yet.
    drivers = ("duckdb", "_duckdb", "sqlite3")
    of_driver = type(error).__module__.partition(".")[0] in drivers
    return None if of_driver or isinstance(error, sql.exc.DBAPIError | OSError) else error


def _autocommits(engine: Engine) -> bool:
    options: Any = engine.get_execution_options()
    on_connect = getattr(engine.dialect, "_on_connect_isolation_level", None)
    levels = {str(options.get("isolation_level")).upper(), str(on_connect).upper()}
    return "AUTOCOMMIT" in levels
