"""How rows get into a database: one module for each dialect that has a fast way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from jdbc_sink.load.duckdb import DuckDbLoader

if TYPE_CHECKING:
    import pyarrow
    from sqlalchemy import Connection

    from jdbc_sink.modes import Mode


class Loader(Protocol):
    """What a dialect must be able to do for the sink."""

    def column_types(self, schema: pyarrow.Schema) -> tuple[dict[str, str], list[str]]:
        """Column -> the type that stores its values unchanged; and what is wrong with columns that
        have none. Needs no connection."""

    def load(self, connection: Connection, rows: pyarrow.Table, table: str, mode: Mode) -> None:
        """Let the rows take effect in `table`, a quoted name, inside the caller's transaction."""


def loader_for(dialect: str) -> Loader:
    """The loader of a dialect; JdbcSink refuses others on construction."""
    return {"duckdb": DuckDbLoader}[dialect]()
