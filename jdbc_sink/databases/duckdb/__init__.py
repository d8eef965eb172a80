"""DuckDB: one file, one process at a time; Arrow in, as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jdbc_sink.databases.duckdb.catalog import DuckDbCatalog
from jdbc_sink.databases.duckdb.engine import engine_for, is_own_connection, refuse_open_transaction
from jdbc_sink.databases.duckdb.load import DuckDbLoad
from jdbc_sink.databases.duckdb.place import DuckDbPlace
from jdbc_sink.databases.duckdb.types import DuckDbTypes

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["DuckDb", "is_own_connection"]


class DuckDb:
    """jdbc_sink.databases.Database for DuckDB."""

    name = "DuckDB"

    def __init__(self) -> None:
        self.place = DuckDbPlace()
        self.catalog = DuckDbCatalog()
        self.types = DuckDbTypes()
        self.load = DuckDbLoad()

    def engine(self, given: Any, *, by_url: bool = False) -> tuple[Engine, bool]:
        """See jdbc_sink.databases.Database."""
        return engine_for(given, by_url=by_url)

    def refuse_open_transaction(self, own: Any, sink: str) -> None:
        """See jdbc_sink.databases.Database."""
        refuse_open_transaction(own, sink)
