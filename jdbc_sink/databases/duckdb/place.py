"""Where a DuckDB database is: files made whole or not at all, and why one cannot be opened, in
words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import sqlalchemy as sql

from jdbc_sink.databases.duckdb.doublewrite import sync_folder
from jdbc_sink.databases.duckdb.engine import copy_beside
from jdbc_sink.databases.processes import process_name
from jdbc_sink.guard import Guard

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_HOLDER = re.compile(r"[Cc]onflicting lock is held in (.*?)(?: \(PID (\d+)\))")
# DuckDB's names for a database that is a service.
_REMOTE = ("md:", "motherduck:")
_FACTS = sql.text(
    "SELECT current_setting('default_collation'), readonly FROM duckdb_databases()"
    " WHERE database_name = current_database()"
)
_OTHER_SETTINGS = "with a different configuration"
# What DuckDB says -> what helps. The first that is found counts.
_REMEDIES = (
    ("is a SQLite database", "Write sqlite:///FILE for it, or name another file."),
    ("Is a directory", "Name a file in that folder."),
    ("No such file or directory", "Make the folder, or correct the path."),
    ("Permission denied", "Give this user the right to read and write the file and its folder."),
    ("Read-only file system", "Name a file on a file system that can be written."),
    ("No space left", "Free some space; nothing is written twice."),
    ("File too large", "Raise the limit on file sizes (ulimit -f); nothing is written twice."),
    ("not a valid DuckDB", "Name another file, or move this one away: it is no DuckDB database."),
    ("Could not read enough bytes", "It is cut off: restore it, or move it away."),
    (
        "replaying WAL",
        "Its FILE.wal is damaged: restore both files from one backup.",
    ),
    ("version number", "Another version of duckdb wrote it: use that one, or a newer one."),
)
# In place of a transaction's id: after an error it answers no question, and keeps nothing.
_ABORTED = -1
_OTHERWISE = "Check the URL, and that this user may read and write the file and its folder."

# DuckDB keeps what a checkpoint has read, up to its own limit: 580 MB for 10 million rows. With
# this limit it took 280 MB and the same time.
_CHECKPOINT_MIB = 192
_MIB = {"bytes": 2**-20, "KiB": 2**-10, "MiB": 1.0, "GiB": 2.0**10, "TiB": 2.0**20}


class DuckDbPlace:
    """jdbc_sink.databases.Place for DuckDB."""

    def missing(self, engine: Engine) -> bool:
        """True for a database file that is not there yet: to look into it would create it."""
        name = engine.url.database or ":memory:"
        if name.startswith(_REMOTE):
            return False
        return Path(name).parent.is_dir() and not Path(name).exists()

    def create(self, path: Path) -> None:
        """Make an empty database, whole or not at all, unless the file is there already.

        DuckDB makes the file first and fills it then: a driver that was killed in between left a
        file that no DuckDB opens any more."""
        import duckdb

        whole = path.with_name(f"{path.name}.{uuid4().hex[:8]}.new")
        try:
            duckdb.connect(str(whole)).close()
            with suppress(FileExistsError):
                _link(whole, path)
            sync_folder(path.parent)
        finally:
            whole.unlink(missing_ok=True)

    def holder(self, engine: Engine, reason: str) -> str | None:
        """Who holds the database that could not be opened for this reason; None if that is not
        why."""
        if _OTHER_SETTINGS in reason:
            return "this process itself, opened with other settings,"
        match = _HOLDER.search(reason)
        return None if match is None else process_name(int(match[2]), match[1])

    def remedy(self, reason: str) -> str:
        """What to do about a database that cannot be used for this reason."""
        found = (advice for sign, advice in _REMEDIES if sign in reason)
        return next(found, _OTHERWISE)

    def flaw(
        self, connection: Connection, schemas: frozenset[str | None]
    ) -> tuple[str, str] | None:
        """Read-only, or a collation for everything."""
        collation, readonly = connection.execute(_FACTS).one()
        connection.rollback()
        if readonly:
            return "it is opened read-only", "Take access_mode from its settings: a sink writes."
        if collation and collation.lower() != "binary":
            # Also the ledger's key is compared so: two pipelines could be taken for one.
            reason = f"its setting default_collation={collation} makes distinct keys equal"
            return reason, "Unset it; give a collation to the columns that need one."
        return None

    def begin(self, connection: Connection, lock_wait_s: float) -> None:
        """Nothing more: every transaction may write."""

    @contextmanager
    def enclose(self, connection: Connection) -> Iterator[None]:
        """Around people's own work inside the open transaction. Ended if that ended it, or was kept
        from it: what the driver's own connection is told is only noticed afterwards."""
        driver: Any = connection.connection.driver_connection
        before = _transaction_id(driver)
        guard = Guard(
            connection,
            ends=lambda text: _ends_transaction(driver, text),
            lasts=lambda: _transaction_id(driver) in (before, _ABORTED),
            aborted=lambda: _transaction_id(driver) == _ABORTED,
        )
        with guard.around():
            yield

    def refuses_values(self, error: sql.exc.DBAPIError) -> bool:
        """Does this error say that it does not take the values, and not that it is unwell?"""
        return isinstance(error, sql.exc.IntegrityError | sql.exc.DataError)

    def settle(self, connection: Connection) -> None:
        """Write the checkpoint that closing would write, in little memory."""
        driver: Any = connection.connection.driver_connection
        with suppress(Exception):  # closing does it, in more memory
            limit = driver.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]
            if _mib(limit) > _CHECKPOINT_MIB:
                copy = copy_beside(connection.engine)
                if copy is not None:
                    copy.keep(driver)
                try:
                    driver.execute(f"SET memory_limit = '{_CHECKPOINT_MIB}MiB'")
                    driver.execute("CHECKPOINT")
                finally:
                    driver.execute(f"SET memory_limit = '{limit}'")

    def closed(self, engine: Engine) -> None:
        """Leave nothing beside the file that is not needed."""
        copy = copy_beside(engine)
        if copy is not None:
            copy.forget()

    def lost_race(self, error: Exception) -> bool:
        """Does this error of an UPDATE say that another transaction changed the row?"""
        return "onflict" in str(error)


def _mib(size: str) -> float:
    """A size as DuckDB shows it, "1.5 GiB"."""
    number, unit = size.split()
    return float(number) * _MIB[unit]


def _transaction_id(driver: Any) -> int | None:
    """Another for each transaction, and for each statement outside of one. None: there is no
    connection any more."""
    import duckdb

    try:
        return int(driver.execute("SELECT txid_current()").fetchall()[0][0])
    except duckdb.TransactionException:
        return _ABORTED
    except duckdb.Error:
        return None


def _ends_transaction(driver: Any, text: str) -> bool:
    import duckdb

    try:
        statements = driver.extract_statements(text)
    except duckdb.Error:
        return False  # the database says what is wrong with it
    return any(each.type == duckdb.StatementType.TRANSACTION for each in statements)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links. Two drivers that begin at once may both be here: the
        # file that loses is empty.
        if not target.exists():
            source.rename(target)
