"""Where a SQLite database is, who holds it, and how a transaction that writes begins."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from jdbc_sink.databases.processes import process_name
from jdbc_sink.databases.sqlite.functions import install
from jdbc_sink.databases.sqlite.settings import flaw_of
from jdbc_sink.guard import Guard

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

# What SQLite says -> what helps. The first that is found counts.
_REMEDIES = (
    ("unable to open database file", "Make the folder, or correct the path or its permissions."),
    ("readonly database", "Give this user the right to write the file and its folder."),
    ("file is not a database", "Name another file, or move this one away: it is no database."),
    (
        "malformed",
        "It is damaged: restore it, or recover what is readable with `sqlite3 .recover`.",
    ),
    ("disk is full", "Free some space; nothing is written twice."),
    ("disk I/O error", "Look at the disk and its space; nothing is written twice."),
)
_OTHERWISE = "Check the URL, and that this user may read and write the file and its folder."
_BUSY = ("database is locked", "database table is locked", "database schema is locked")
# Sums that overflow, in SQLite itself and in functions.py.
_REFUSED = ("integer overflow", "user-defined function raised", "user-defined aggregate")


class SqlitePlace:
    """jdbc_sink.databases.Place for SQLite."""

    def missing(self, engine: Engine) -> bool:
        """True for a database file that is not there yet: to look into it would create it."""
        name = engine.url.database or ""
        if name.startswith("file:"):
            return False
        return Path(name).parent.is_dir() and not Path(name).exists()

    def create(self, path: Path) -> None:
        """Nothing: an empty file is an empty database, so SQLite's own way is whole."""

    def holder(self, engine: Engine, reason: str) -> str | None:
        """Who holds the database that could not be used for this reason; None if that is not
        why."""
        if not any(busy in reason for busy in _BUSY):
            return None
        return _lock_holder(engine.url.database or "") or "another connection"

    def remedy(self, reason: str) -> str:
        """What to do about a database that cannot be used for this reason."""
        found = (advice for sign, advice in _REMEDIES if sign in reason)
        return next(found, _OTHERWISE)

    def flaw(
        self, connection: Connection, schemas: frozenset[str | None]
    ) -> tuple[str, str] | None:
        """Settings with which a commit may be forgotten."""
        driver: Any = connection.connection.driver_connection
        # The caller waits, and can be interrupted then.
        driver.execute("PRAGMA busy_timeout = 0")
        found = flaw_of(driver, frozenset((schema or "main").lower() for schema in schemas))
        install(driver)
        connection.rollback()
        return found

    def begin(self, connection: Connection, lock_wait_s: float) -> None:
        """BEGIN IMMEDIATE: the lock that writes need is taken, or found taken, at the beginning.

        Python's driver begins a transaction at the first INSERT or UPDATE, with a lock for
        reading; one that begins with CREATE TABLE is none, and is not rolled back."""
        driver: Any = connection.connection.driver_connection
        if driver.in_transaction:
            # The engine's own BEGIN, which locks nothing. Nothing was done in it yet.
            driver.execute("ROLLBACK")
        driver.execute("PRAGMA busy_timeout = 0")
        driver.execute("BEGIN IMMEDIATE")
        # COMMIT has to wait for readers, unless the journal is wal.
        driver.execute(f"PRAGMA busy_timeout = {int(lock_wait_s * 1000)}")

    @contextmanager
    def enclose(self, connection: Connection) -> Iterator[None]:
        """Around people's own work inside the open transaction. Ended if that ended it, or was kept
        from it, on whatever way: SQLite asks before it prepares a statement."""
        driver: Any = connection.connection.driver_connection
        guard = Guard(connection, ends=lambda _: False, lasts=lambda: _in_transaction(driver))

        def permit(action: int, *_: Any) -> int:
            if action == sqlite3.SQLITE_TRANSACTION:
                guard.tried = True
            elif driver.in_transaction:
                return sqlite3.SQLITE_OK
            return sqlite3.SQLITE_DENY

        driver.set_authorizer(permit)
        try:
            with guard.around():
                yield
        finally:
            with suppress(sqlite3.ProgrammingError):  # closed
                driver.set_authorizer(None)

    def refuses_values(self, error: sql.exc.DBAPIError) -> bool:
        """Does this error say that it does not take the values, and not that it is unwell?"""
        if isinstance(error, sql.exc.IntegrityError | sql.exc.DataError):
            return True
        return any(sign in str(error.orig) for sign in _REFUSED)

    def settle(self, connection: Connection) -> None:
        """Nothing: its cache is small."""

    def closed(self, engine: Engine) -> None:
        """Nothing: SQLite clears away itself."""

    def lost_race(self, error: Exception) -> bool:
        """Does this error of an UPDATE say that another transaction changed the row?"""
        return False


def _in_transaction(driver: Any) -> bool:
    try:
        return bool(driver.in_transaction)
    except sqlite3.ProgrammingError:
        return False  # closed


def _lock_holder(name: str) -> str | None:
    """The process that holds a lock on the file, from the system's list of locks."""
    try:
        locks = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return None
    # With journal_mode=wal the lock is on the file beside it.
    inodes = {_inode(name), _inode(f"{name}-shm")}
    for lock in locks:
        words = lock.split()
        # "1: POSIX ADVISORY WRITE 4711 fe:01:123456 1073741824 1073741824"
        place = next((word for word in words if word.count(":") == 2), "")
        if place.rpartition(":")[2] in inodes and "WRITE" in words:
            pid = int(words[words.index("WRITE") + 1])
            if pid != os.getpid():
                return process_name(pid)
    return None


def _inode(name: str) -> str:
    try:
        return str(os.stat(name).st_ino)
    except OSError:
        return "none"
