"""DuckDB takes Arrow tables as they are: 6.7 million rows/s, against 58 thousand by executemany;
and reads a spool's Parquet files itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.types as arrow
from sqlalchemy import event
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
# To make a name for rows and take it away costs 0.9 ms, a fifth of a small window's statement;
# DuckDB reads large tables faster under a name of their own.
_ROWS_IN_PLACE_MAX = 10_000
_IN_PLACE = "windowed_rows_in_place"


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
            connection.info.pop(_IN_PLACE, None)
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
        if not isinstance(rows, Spool) and rows.num_rows <= _ROWS_IN_PLACE_MAX:
            with _in_place(connection, rows.schema).filled(rows):
                yield RELATION
            return
        driver: Any = connection.connection.driver_connection
        connection.info.pop(_IN_PLACE, None)
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


class _InPlace:
    """What DuckDB knows by a name and reads anew for each statement: rows that come and go."""

    def __init__(self, schema: pyarrow.Schema) -> None:
        self.schema = schema
        self._rows: pyarrow.Table | None = None

    @contextmanager
    def filled(self, rows: pyarrow.Table) -> Iterator[None]:
        """With these rows."""
        self._rows = rows
        try:
            yield
        finally:
            self._rows = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        # Asked outside of `filled` it is empty.
        rows = self.schema.empty_table() if self._rows is None else self._rows
        return rows.__arrow_c_stream__(requested_schema)


def _in_place(connection: Connection, schema: pyarrow.Schema) -> _InPlace:
    """The one of this connection, which a rollback takes its name from."""
    known: _InPlace | None = connection.info.get(_IN_PLACE)
    if known is None or not known.schema.equals(schema, check_metadata=True):
        driver: Any = connection.connection.driver_connection
        known = _InPlace(schema)
        driver.register(RELATION, known)
        if not event.contains(connection, "rollback", _forget):
            event.listen(connection, "rollback", _forget)
        connection.info[_IN_PLACE] = known
    return known


def _forget(connection: Connection) -> None:
    connection.info.pop(_IN_PLACE, None)


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
