"""JdbcSink's arguments, checked: argument, value, what is allowed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from jdbc_sink.errors import TransactionOpen
from jdbc_sink.modes import Mode
from windowlog.access.engines import make_engine
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from sqlalchemy import Engine

LOADS = ("auto", "driver")


def split_name(argument: str, value: Any) -> tuple[str | None, str]:
    """(schema, name) of `name` or `schema.name`."""
    parts = value.split(".") if isinstance(value, str) else []
    if len(parts) not in (1, 2) or not all(part.strip() and part.isprintable() for part in parts):
        raise BadArgument(argument=argument, value=value, allowed="a name, or schema.name")
    return (None, parts[0]) if len(parts) == 1 else (parts[0], parts[1])


def check_mode(mode: Any) -> Mode:
    """What append() and accumulate() return."""
    if not isinstance(mode, Mode):
        raise BadArgument(
            argument="mode", value=mode, allowed="append() or accumulate(key=…, add=…)"
        )
    return mode


def check_load(load: Any) -> None:
    """How rows get in."""
    if load not in LOADS:
        raise BadArgument(argument="load", value=load, allowed=" or ".join(map(repr, LOADS)))


def check_seconds(argument: str, value: Any) -> None:
    """A time from 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise BadArgument(argument=argument, value=value, allowed="seconds from 0")


def engine_of(database: Any) -> tuple[Engine, bool]:
    """The engine, and whether its connection must be kept: what is in memory is gone when it is
    closed."""
    if isinstance(database, str):
        engine = make_engine(database)
        return (_in_memory(), True) if _is_memory(engine) else (engine, False)
    if _is_duckdb_connection(database):
        return _on_cursor(database), True
    if hasattr(database, "dialect") and hasattr(database, "connect"):
        return database, _is_memory(database)
    allowed = "a URL, a SQLAlchemy engine, or an open duckdb connection"
    raise BadArgument(argument="database", value=type(database).__name__, allowed=allowed)


def _is_memory(engine: Engine) -> bool:
    return (engine.url.database or ":memory:").startswith(":memory:")


def _in_memory() -> Engine:
    import duckdb

    return _on_cursor(duckdb.connect(":memory:"))


def _is_duckdb_connection(value: Any) -> bool:
    # Nobody can hold one without having imported it.
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(value, duckdb.DuckDBPyConnection)


def _on_cursor(connection: Any) -> Engine:
    """An engine whose connections are cursors of `connection`: the same database, transactions of
    their own."""
    import sqlalchemy
    from duckdb_sqlalchemy import ConnectionWrapper
    from sqlalchemy.pool import NullPool

    def cursor() -> Any:
        return ConnectionWrapper(connection.cursor())

    return sqlalchemy.create_engine("duckdb:///:memory:", creator=cursor, poolclass=NullPool)


def refuse_open_transaction(own: Any, sink: str) -> None:
    """TransactionOpen if the user's own connection is inside a transaction: it would not see ours,
    or block it."""
    if own is None or not _is_duckdb_connection(own):
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
