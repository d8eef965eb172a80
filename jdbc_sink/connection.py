"""Connections: one at a time, kept while windows follow at once, released before waits and every
`release_s`.

A DuckDB file is held by one process at a time, and opening it costs 20 ms: kept for ever it would
lock out every reader, closed after each window it would cost more than the window."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from jdbc_sink.errors import DatabaseFailed, DatabaseLocked, DatabaseUnusable
from windowlog.access.engines import redacted
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

# Somebody who reads takes a moment: looking again costs a failed open, about a millisecond.
LOCK_POLL_S = 0.05
# DuckDB's names for a database that is a service.
_REMOTE = ("md:", "motherduck:")
_HOLDER = re.compile(r"[Cc]onflicting lock is held in (.*?)(?: \(PID (\d+)\))")
_REMEDY = "Check the URL, and that this user may read and write the file and its folder."
_REMEDY_KEPT = "Give the sink a connection that stays open while the pipeline runs."


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
    def transaction(self) -> Iterator[Connection]:
        """A transaction that is committed at the end; anything that is raised rolls it back."""
        connection = self.get()
        try:
            with connection.begin():
                yield connection
        except sql.exc.IntegrityError:
            self.drop()
            raise
        except sql.exc.DBAPIError as error:
            # What state the connection is in, only a new one is sure of.
            self.drop()
            reason = redacted(error.orig)
            raise DatabaseFailed(database=self.database, reason=reason) from error
        self.release_if_due()

    def get(self) -> Connection:
        """The kept connection, or a new one. DatabaseLocked after `lock_wait_s`, DatabaseUnusable
        at once."""
        if self._connection is None:
            self._connection = self._open()
            self._opened_s = time.monotonic()
        return self._connection

    def _open(self) -> Connection:
        start_s = time.monotonic()
        while True:
            try:
                return self._engine.connect()
            except sql.exc.DBAPIError as error:
                reason = redacted(error.orig)
                holder = _HOLDER.search(reason)
                if holder is None:
                    remedy = _REMEDY_KEPT if self._keep else _REMEDY
                    raise DatabaseUnusable(
                        database=self.database, reason=reason, remedy=remedy
                    ) from error
                if time.monotonic() - start_s >= self._lock_wait_s:
                    who = _describe(holder[1], holder[2])
                    raise DatabaseLocked(
                        database=self.database, holder=who, waited_s=self._lock_wait_s
                    ) from error
            time.sleep(LOCK_POLL_S)

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


def _autocommits(engine: Engine) -> bool:
    options: Any = engine.get_execution_options()
    on_connect = getattr(engine.dialect, "_on_connect_isolation_level", None)
    levels = {str(options.get("isolation_level")).upper(), str(on_connect).upper()}
    return "AUTOCOMMIT" in levels


def _describe(program: str, pid: str) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return f"process {pid} ({program})"
    command = b" ".join(words).decode(errors="replace").strip()
    return f"process {pid} ({redacted(command[:200]) or program})"
