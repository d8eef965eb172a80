"""SQLite: one file, many processes, one writer; values of five kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jdbc_sink.databases.sqlite.catalog import SqliteCatalog
from jdbc_sink.databases.sqlite.engine import engine_for
from jdbc_sink.databases.sqlite.load import SqliteLoad
from jdbc_sink.databases.sqlite.place import SqlitePlace
from jdbc_sink.databases.sqlite.types import SqliteTypes

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["Sqlite"]


class Sqlite:
    """jdbc_sink.databases.Database for SQLite."""

    name = "SQLite"

    def __init__(self) -> None:
        self.place = SqlitePlace()
        self.catalog = SqliteCatalog()
        self.types = SqliteTypes()
        self.load = SqliteLoad()

    def engine(self, given: Any, *, by_url: bool = False) -> tuple[Engine, bool]:
        """See jdbc_sink.databases.Database."""
        return engine_for(given, by_url=by_url)

    def refuse_open_transaction(self, own: Any, sink: str) -> None:
        """A connection of the user's own is not taken."""
