"""How rows get into a database: one module for each dialect that has a fast way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from jdbc_sink.load.duckdb import DuckDbLoader

if TYPE_CHECKING:
    import pyarrow
    from sqlalchemy import Connection

    from jdbc_sink.modes import Mode


class Loader(Protocol):
    """What a dialect must be able to do for the sink. All inside the caller's transaction."""

    def column_types(self, connection: Connection, schema: pyarrow.Schema) -> dict[str, str]:
        """Column -> type, as the database stores values of this Arrow schema unchanged."""

    def load(self, connection: Connection, rows: pyarrow.Table, table: str, mode: Mode) -> None:
        """Let the rows take effect in `table`, a quoted name."""


def loader_for(dialect: str) -> Loader:
    """The loader of a dialect; JdbcSink refuses others on construction."""
    return {"duckdb": DuckDbLoader}[dialect]()
