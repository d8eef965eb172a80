"""Engines for SQLite: from a URL, or the user's own."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from windowlog.access.engines import placed
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from sqlalchemy import Engine


def engine_for(given: Any, *, by_url: bool) -> tuple[Engine, bool]:
    """The engine to use, and whether its database must outlive our connections: what is in memory
    is gone with the last one. BadArgument for an engine whose database is in memory."""
    if not is_memory(given):
        named = by_url and not str(given.url.database).startswith("file:")
        return (placed(given, str(given.url.database)) if named else given), False
    if by_url:
        return _shared(), True
    # Its database belongs to one connection of its pool, which a failed window would close.
    allowed = "a file, or the URL sqlite:///:memory:, which keeps its database as long as the sink"
    raise BadArgument(argument="engine", value="a SQLite database in memory", allowed=allowed)


def is_memory(engine: Engine) -> bool:
    """Is the database in memory?"""
    name = engine.url.database or ":memory:"
    return name in (":memory:", "file::memory:") or "memory" in engine.url.query.get("mode", "")


def _shared() -> Engine:
    import sqlite3

    import sqlalchemy
    from sqlalchemy.pool import NullPool

    name = f"file:windowed-{uuid4().hex}?mode=memory&cache=shared"

    def connect() -> Any:
        return sqlite3.connect(name, uri=True, check_same_thread=False)

    engine = sqlalchemy.create_engine("sqlite://", creator=connect, poolclass=NullPool)
    # The database lives as long as one connection: this one, as long as the engine.
    weakref.finalize(engine, connect().close)
    return engine
