"""JdbcSink on SQLite keeps the contract."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pyarrow
import pytest
import sqlalchemy

from jdbc_sink import JdbcSink, accumulate, call, replace_window, sql, upsert
from jdbc_sink.effects import Mode
from tests.jdbc_sink.windows import Bench, ask
from windowed.testing.sink_contract import SinkContract
from windowlog.contracts import Sink
from windowlog.errors import NotHeld
from windowlog.window import Window


def inserted(connection: sqlalchemy.Connection, rows: pyarrow.Table, window: Window) -> None:
    """What a user's function may do."""
    if rows.num_rows:
        connection.execute(
            sqlalchemy.text("INSERT INTO words VALUES (:word, :n)"), rows.to_pylist()
        )


class TestSqliteFile(SinkContract):
    """A URL."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """A database file that is not there yet."""
        return tmp_path / "x.db"

    def sink(self, place: Any) -> Sink:
        """Append, by URL."""
        return JdbcSink(f"sqlite:///{place}", table="words")

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """As SQLite itself says."""
        if not place.exists():
            return []
        connection = sqlite3.connect(place)
        try:
            tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
            if ("words",) not in tables:
                return []
            return connection.execute("SELECT word, n FROM words").fetchall()
        finally:
            connection.close()


class TestSqliteAccumulate(TestSqliteFile):
    """Keys that are all different: the same rows."""

    def sink(self, place: Any) -> Sink:
        """Accumulate, by a jdbc: URL."""
        mode = accumulate(["word"], add=["n"])
        return JdbcSink(f"jdbc:sqlite:{place}", table="words", mode=mode)


class TestSqliteUpsert(TestSqliteFile):
    """Keys that are all different: the same rows."""

    mode: Mode = upsert(["word"])

    def sink(self, place: Any) -> Sink:
        """In the mode."""
        return JdbcSink(f"sqlite:///{place}", table="words", mode=self.mode)


class TestSqliteUpsertNewest(TestSqliteUpsert):
    """The greatest n of each word."""

    mode = upsert(["word"], order_by="n")


class TestSqliteReplaceWindow(TestSqliteUpsert):
    """With one column more."""

    mode = replace_window()


class TestSqliteOwnStatements(TestSqliteUpsert):
    """The user's statement, and the user's table."""

    mode = sql("INSERT INTO words SELECT word, n FROM {rows}")

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """A database file with an empty table."""
        ask(tmp_path / "x.db", "sqlite", "CREATE TABLE words (word TEXT, n BIGINT)")
        return tmp_path / "x.db"


class TestSqliteOwnFunction(TestSqliteOwnStatements):
    """The user's function."""

    mode = call(inserted)


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (pyarrow.decimal128(38, 0), "9" * 38, "1"),
        (pyarrow.decimal128(38, 38), "0." + "9" * 38, "0." + "0" * 37 + "1"),
        (pyarrow.float64(), "inf", "-inf"),
        (pyarrow.int64(), str(-(2**63)), "-1"),
    ],
)
def test_a_sum_that_has_no_room_says_so(
    tmp_path: Path, kind: Any, one: str, other: str, apart: bool
) -> None:
    """In words that a person understands, in one window or across two, and nothing is written."""
    bench = Bench(tmp_path / "x.db", "sqlite", mode=accumulate(["word"], add=["n"]))

    def frame(*values: str) -> pyarrow.Table:
        texts = pyarrow.array(values, pyarrow.string())
        return pyarrow.table({"word": ["a"] * len(values), "n": texts.cast(kind)})

    bench.hold_all(frame("0" if kind != pyarrow.decimal128(38, 38) else "0.0"))
    if apart:
        bench.hold_all(frame(one))
    with pytest.raises(NotHeld, match="integer overflow"):
        bench.hold_all(frame(other) if apart else frame(one, other))
    windows = 2 if apart else 1
    assert bench.ask("SELECT window_id FROM window_ledger") == [(windows,)]
