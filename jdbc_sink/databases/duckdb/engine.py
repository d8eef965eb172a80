"""Engines for DuckDB: from a URL, an engine or one's own duckdb connection."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import sqlalchemy as sql

from jdbc_sink.databases.duckdb.doublewrite import Doublewrite
from jdbc_sink.errors import TransactionOpen
from windowlog.access.engines import did_you_mean, placed

if TYPE_CHECKING:
    from sqlalchemy import Engine


_COPIES: WeakKeyDictionary[Engine, Doublewrite] = WeakKeyDictionary()
# How such a file begins.
_SQLITE = b"SQLite format 3\0"


def engine_for(given: Any, *, by_url: bool) -> tuple[Engine, bool]:
    """The engine to use, and whether its database must outlive our connections: what is in memory
    is gone with the last one."""
    if is_own_connection(given):
        return _beside(given), True
    if by_url:
        return (_beside(_memory()), True) if _is_memory(given) else (_plain(given), False)
    if given.url.host:
        raise did_you_mean(str(given.url), str(given.url).replace("://", ":///", 1))
    if _is_memory(given):
        return _beside(_driver_connection(given)), True
    return _guarded(given), False


def copy_beside(engine: Engine) -> Doublewrite | None:
    """What keeps the copy for the engine's file; None if there is no file."""
    return _COPIES.get(engine)


def refuse_open_transaction(own: Any, sink: str) -> None:
    """TransactionOpen if the user's own connection is inside a transaction: it would not see ours,
    or block it."""
    if own is None or not is_own_connection(own):
        return
    import duckdb

    # `begin` would tell as well, and abort the user's transaction. Outside one each statement has
    # its own id.
    ids = set()
    for _ in range(2):
        try:
            ids.add(own.execute("SELECT txid_current()").fetchall()[0][0])
        except duckdb.TransactionException as error:
            raise TransactionOpen(sink=sink) from error
        except duckdb.ConnectionException:
            return  # closed: the first use says so
    if len(ids) == 1:
        raise TransactionOpen(sink=sink)


def _is_memory(engine: Engine) -> bool:
    return (engine.url.database or ":memory:").startswith(":memory:")


def is_own_connection(value: Any) -> bool:
    """Is it an open duckdb connection?"""
    # Nobody can hold one without having imported it.
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(value, duckdb.DuckDBPyConnection)


def _memory() -> Any:
    import duckdb

    return duckdb.connect(":memory:")


def _driver_connection(engine: Engine) -> Any:
    # Held on to: whatever the engine's pool does, the database stays as long as the sink.
    with engine.connect() as connection:
        return connection.connection.driver_connection


def _plain(engine: Engine) -> Engine:
    """The same database, opened as `duckdb.connect(FILE)` opens it.

    DuckDB lets one process open a file several times only with equal settings, and the dialect
    adds a setting of its own: a reader beside the sink would be refused, or the sink beside it."""
    import duckdb

    name = engine.url.database
    if name is None or _is_service(name):
        return _guarded(engine)
    engine = placed(engine, str(Path(name).expanduser()))  # as DuckDB does
    if engine.url.query:
        return _guarded(engine)  # settings of the user's
    name = str(engine.url.database)

    def connect() -> Any:
        _refuse_sqlite(name)
        # The engine's own events do not come where it has a creator.
        with copy.opening():
            return duckdb.connect(name)

    copy = Doublewrite(Path(name))
    return _guarded(_connected_by(connect, engine.url), copy)


def _guarded(engine: Engine, copy: Doublewrite | None = None) -> Engine:
    """The engine, which keeps what its checkpoints write over: see Doublewrite."""
    name = engine.url.database
    if engine in _COPIES or name is None or _is_service(name):
        return engine
    copy = _COPIES[engine] = copy or Doublewrite(Path(name))
    sql.event.listen(engine, "do_connect", lambda *_: copy.mend())
    sql.event.listen(engine, "commit", lambda held: copy.keep(held.connection.driver_connection))
    sql.event.listen(engine, "close", lambda driver, _: copy.keep_for_close(driver))
    sql.event.listen(engine, "close_detached", copy.keep_for_close)
    return engine


def _is_service(name: str) -> bool:
    # A single letter is a drive to DuckDB, and so no more than a part of a path.
    return ":" in name.partition("/")[0][2:]


def _refuse_sqlite(name: str) -> None:
    # DuckDB would load an extension, from the net if need be, and write into the file: without its
    # own types, and without ON CONFLICT.
    with suppress(OSError), open(name, "rb") as file:
        if file.read(len(_SQLITE)) == _SQLITE:
            raise ValueError("it is a SQLite database")


def _beside(connection: Any) -> Engine:
    """An engine whose connections stand beside `connection`: the same database and schema,
    transactions of their own."""
    place: list[str] = []

    def connect() -> Any:
        beside = connection.duplicate()
        if not place:
            # A duplicate starts in the first database's main schema: where USE led, it must be
            # told. Asked once: a later USE of the user's does not move the target.
            where = connection.execute("SELECT current_database(), current_schema()").fetchall()
            place.append(".".join('"' + name.replace('"', '""') + '"' for name in where[0]))
        beside.execute(f"USE {place[0]}")
        return beside

    return _connected_by(connect, "duckdb:///:memory:")


def _connected_by(connect: Callable[[], Any], url: Any) -> Engine:
    import sqlalchemy
    from duckdb_sqlalchemy import ConnectionWrapper
    from sqlalchemy.pool import NullPool

    return sqlalchemy.create_engine(
        url, creator=lambda: ConnectionWrapper(connect()), poolclass=NullPool
    )
