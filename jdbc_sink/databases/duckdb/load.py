"""DuckDB takes Arrow tables as they are: 6.7 million rows/s, against 58 thousand by executemany;
and reads a spool's Parquet files itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.types as arrow
from sqlalchemy.exc import DBAPIError

from jdbc_sink.databases.duckdb.findings import finding, is_bounded
from jdbc_sink.databases.faults import by_column
from jdbc_sink.spool.files import Spool
from jdbc_sink.table import quote

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from jdbc_sink.rows import Rows

# A name in the connection's own namespace, which no user's table shares by accident.
RELATION = "windowed_rows_of_this_window"
# Options that a path could otherwise set: `a=1/` in it would add a column.
_PARQUET = "hive_partitioning = false, union_by_name = false, filename = false"
_PATTERN_CHARACTERS = frozenset("*?[")


class DuckDbLoad:
    """jdbc_sink.databases.Load for DuckDB."""

    def findings(self, rows: Rows, *, thorough: bool = False) -> list[tuple[str, str, str]]:
        """What lies outside of DuckDB's types, one for each column. In a spool's text DuckDB looks
        itself, as fast as it reads, and says no without the column's name."""
        every = thorough or not isinstance(rows, Spool)
        columns = [field.name for field in rows.schema if every or is_bounded(field.type)]
        if isinstance(rows, Spool):
            columns = [name for name in columns if not _all_inside(rows, name)]
        return by_column(rows, columns, finding)

    @contextmanager
    def relation(self, connection: Connection, rows: Rows) -> Iterator[str]:
        """The Arrow table itself, or a view of the spool's files, under a name."""
        if isinstance(rows, Spool) and _reads_itself(connection, rows):
            names = ", ".join(map(_literal, rows.paths))
            connection.exec_driver_sql(
                f"CREATE OR REPLACE TEMP VIEW {RELATION} AS"
                f" SELECT * FROM read_parquet([{names}], {_PARQUET})"
            )
            try:
                yield RELATION
            finally:
                # Gone anyway if the transaction failed.
                with suppress(DBAPIError):
                    connection.exec_driver_sql(f"DROP VIEW {RELATION}")
            return
        driver: Any = connection.connection.driver_connection
        driver.register(RELATION, _dataset(rows) if isinstance(rows, Spool) else rows)
        try:
            yield RELATION
        finally:
            driver.unregister(RELATION)

    def append(self, connection: Connection, rows: Rows, table: str) -> None:
        """One INSERT … SELECT."""
        names = ", ".join(quote(connection, name) for name in rows.schema.names)
        with self.relation(connection, rows) as source:
            connection.exec_driver_sql(
                f"INSERT INTO {table} ({names}) SELECT {names} FROM {source}"
            )


def _all_inside(spool: Spool, column: str) -> bool:
    """Do the files' own notes say that DuckDB has all values? Reading 10 million takes 0.4 s."""
    ends = spool.ends(column)
    return ends is not None and finding(pyarrow.chunked_array([ends])) is None


def _reads_itself(connection: Connection, spool: Spool) -> bool:
    """Will DuckDB find the values in the files that Arrow has put there?"""
    if any(_PATTERN_CHARACTERS.intersection(path) for path in spool.paths):
        return False  # it would take the name for a pattern
    if not all(map(_is_same_in_parquet, spool.schema.types)):
        return False
    access = connection.exec_driver_sql("SELECT current_setting('enable_external_access')")
    return bool(access.scalar())


def _is_same_in_parquet(kind: pyarrow.DataType) -> bool:
    """A duration is a plain number in Parquet; only Arrow's own note beside it says more."""
    if arrow.is_nested(kind):
        return all(_is_same_in_parquet(kind.field(at).type) for at in range(kind.num_fields))
    return not arrow.is_duration(kind)


def _dataset(spool: Spool) -> Any:
    from pyarrow import dataset

    return dataset.dataset(spool.paths, schema=spool.schema, format="parquet")


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
