"""What a person writes by hand for the same rows: one durable transaction, without a ledger.

Each function makes a new database file, and gives the seconds from BEGIN until the file is
closed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow

from jdbc_sink.spool.files import Spool

INSERT = "INSERT INTO loaded SELECT * FROM new_rows"
UPSERT = f"{INSERT} ON CONFLICT (word) DO UPDATE SET n = excluded.n"
ACCUMULATE = (
    "INSERT INTO loaded AS target SELECT word, sum(n)::BIGINT FROM new_rows GROUP BY word"
    " ON CONFLICT (word) DO UPDATE SET n = target.n + excluded.n"
)
_ROWS_TABLE = "CREATE TABLE loaded (id BIGINT, word VARCHAR, number DOUBLE, moment TIMESTAMP)"
_WORDS_TABLE = "CREATE TABLE loaded (word VARCHAR PRIMARY KEY, n BIGINT)"
_SQLITE_TABLE = "CREATE TABLE loaded (id INTEGER, word TEXT, number REAL, moment TEXT)"


def duckdb_rows(path: Path, rows: pyarrow.Table) -> float:
    """Arrow, inserted as it is."""
    connection = duckdb.connect(str(path))
    connection.execute(_ROWS_TABLE)
    return _timed(connection, lambda: insert(connection, INSERT, rows))


def duckdb_spool(path: Path, spool: Spool) -> float:
    """INSERT … SELECT from the same Parquet files."""
    connection = duckdb.connect(str(path))
    connection.execute(_ROWS_TABLE)
    files = ", ".join(f"'{name}'" for name in spool.paths)
    statement = f"INSERT INTO loaded SELECT * FROM read_parquet([{files}])"

    def work() -> None:
        connection.begin()
        connection.execute(statement)
        connection.commit()

    return _timed(connection, work)


def duckdb_words(path: Path, statement: str, rows: pyarrow.Table, after: pyarrow.Table) -> float:
    """A statement by key, after one that does not count."""
    connection = words_database(path)
    insert(connection, statement, after)
    return _timed(connection, lambda: insert(connection, statement, rows))


def words_database(path: Path) -> duckdb.DuckDBPyConnection:
    """A new file with a table of words and numbers, open."""
    connection = duckdb.connect(str(path))
    connection.execute(_WORDS_TABLE)
    return connection


def insert(connection: duckdb.DuckDBPyConnection, statement: str, rows: pyarrow.Table) -> None:
    """One transaction."""
    connection.begin()
    connection.register("new_rows", rows)
    try:
        connection.execute(statement)
    finally:
        connection.unregister("new_rows")
    connection.commit()


def sqlite_rows(path: Path, rows: pyarrow.Table) -> float:
    """Executemany of Python values, times as ISO text."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(_SQLITE_TABLE)
    start_s = time.perf_counter()
    connection.execute("BEGIN IMMEDIATE")
    columns = [*rows.columns[:3], rows["moment"].cast(pyarrow.string())]
    values = zip(*(column.to_pylist() for column in columns), strict=True)
    connection.executemany("INSERT INTO loaded VALUES (?, ?, ?, ?)", values)
    connection.execute("COMMIT")
    connection.close()
    return time.perf_counter() - start_s


def _timed(connection: duckdb.DuckDBPyConnection, work: Callable[[], None]) -> float:
    start_s = time.perf_counter()
    work()
    connection.close()
    return time.perf_counter() - start_s
