"""JdbcSink on SQLite keeps the contract."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from jdbc_sink import JdbcSink, accumulate, upsert
from windowed.testing.sink_contract import SinkContract
from windowlog.contracts import Sink


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

    def sink(self, place: Any) -> Sink:
        """Upsert."""
        return JdbcSink(f"sqlite:///{place}", table="words", mode=upsert(["word"]))
