"""JdbcSink keeps the contract: on a file, over an engine, and over one's own connection; ListSink
too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pytest
import sqlalchemy

from jdbc_sink import JdbcSink, accumulate, call, replace_window, sql, upsert
from windowed.testing import ListSink, ListStore
from windowed.testing.sink_contract import SinkContract, SparkSinkContract
from windowlog.contracts import Sink
from windowlog.window import Window


def ask(database: Path | duckdb.DuckDBPyConnection) -> list[tuple[str, int]]:
    """What DuckDB itself says."""
    if not isinstance(database, Path):
        return _rows(database)
    if not database.exists():
        return []
    with duckdb.connect(str(database)) as connection:
        return _rows(connection)


def _rows(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, int]]:
    if ("words",) not in connection.execute("SHOW TABLES").fetchall():
        return []
    return connection.execute("SELECT word, n FROM words").fetchall()


class TestFile(SinkContract):
    """A URL."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """A database file that is not there yet."""
        return tmp_path / "x.duckdb"

    def sink(self, place: Any) -> Sink:
        """Append, by URL."""
        return JdbcSink(f"duckdb:///{place}", table="words")

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """As DuckDB says."""
        return ask(place)


@pytest.mark.spark
class TestDataFrame(SparkSinkContract):
    """A URL, and rows from Spark."""

    place = TestFile.place
    sink = TestFile.sink
    rows = TestFile.rows


class TestAccumulate(TestFile):
    """The other mode: the contract's keys are all different, so the rows are the same."""

    def sink(self, place: Any) -> Sink:
        """Accumulate, by a jdbc: URL."""
        mode = accumulate(["word"], add=["n"])
        return JdbcSink(f"jdbc:duckdb:{place}", table="words", mode=mode)


class TestUpsert(TestFile):
    """By key, the newest."""

    def sink(self, place: Any) -> Sink:
        """Upsert, by URL."""
        mode = upsert(["word"], order_by="n")
        return JdbcSink(f"duckdb:///{place}", table="words", mode=mode)


class TestReplaceWindow(TestFile):
    """With the window's number in a column."""

    def sink(self, place: Any) -> Sink:
        """Replace, by URL."""
        return JdbcSink(f"duckdb:///{place}", table="words", mode=replace_window())


class TestOwnStatements(TestFile):
    """People's own SQL, for a table of their own."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """A database with an empty table."""
        path = tmp_path / "x.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE words (word VARCHAR, n BIGINT)")
        return path

    def sink(self, place: Any) -> Sink:
        """One statement, by URL."""
        mode = sql("INSERT INTO words SELECT word, n FROM {rows}")
        return JdbcSink(f"duckdb:///{place}", table="words", mode=mode)


class TestOwnFunction(TestOwnStatements):
    """People's own Python."""

    def sink(self, place: Any) -> Sink:
        """A function, by URL."""
        return JdbcSink(f"duckdb:///{place}", table="words", mode=call(inserted))


def inserted(connection: sqlalchemy.Connection, rows: pyarrow.Table, window: Window) -> None:
    """A user's function."""
    for row in rows.to_pylist():
        connection.execute(sqlalchemy.text("INSERT INTO words VALUES (:word, :n)"), row)


class TestEngine(TestFile):
    """An engine of the user's own."""

    def sink(self, place: Any) -> Sink:
        """With SQLAlchemy's own pool."""
        return JdbcSink(sqlalchemy.create_engine(f"duckdb:///{place}"), table="words")


class TestOwnConnection(SinkContract):
    """The user's own open connection, to a database in memory."""

    @pytest.fixture
    def place(self) -> Any:
        """A connection."""
        return duckdb.connect()

    def sink(self, place: Any) -> Sink:
        """Over the connection."""
        return JdbcSink(place, table="words")

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """As the user sees it on the same connection."""
        return ask(place)


class TestListSink(SinkContract):
    """The sink in memory that the tests of pipelines use."""

    @pytest.fixture
    def place(self) -> ListStore:
        """What lasts."""
        return ListStore()

    def sink(self, place: Any) -> Sink:
        """Over the store."""
        return ListSink(place)

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """The store's rows."""
        return [(row["word"], row["n"]) for rows in place.windows.values() for row in rows]
