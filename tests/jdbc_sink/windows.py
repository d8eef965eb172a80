"""A sink over a DuckDB or SQLite file, and windows for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow

from jdbc_sink import JdbcSink
from windowed.testing.sink_story import Story, hold
from windowlog.window import Window

DATABASES = ("duckdb", "sqlite")


class Bench:
    """One JdbcSink on `path`, open and enrolled, with a story of windows. `database` is one of
    DATABASES."""

    def __init__(self, path: Path, database: str = "duckdb", **arguments: Any) -> None:
        self.path = path
        self.database = database
        where = {} if "tables" in arguments else {"table": "words"}
        self.make: Callable[[], JdbcSink] = lambda: JdbcSink(
            f"{database}:///{path}", **{**where, **arguments}
        )
        self.sink = self.make()
        self.story = Story(self.sink)
        self.story.open(self.sink)
        self.sink.adopt(None, self.story.beginning)

    def hold(self, *rows: tuple[str, int]) -> Window:
        """Hold the next window."""
        window = self.story.window()
        hold(self.sink, window, *rows)
        return window

    def stage(self, frame: Any) -> Window:
        """Prepare and stage any frame, or a dict of frames by table, as the next window."""
        window = self.story.window()
        self.prepare(frame)
        self.sink.stage(window, frame)
        return window

    def prepare(self, frame: Any) -> None:
        """Prepare for the schema of a frame or of a dict of frames."""
        if isinstance(frame, pyarrow.Table):
            self.sink.prepare(frame.schema)
        else:
            self.sink.prepare({table: each.schema for table, each in frame.items()})

    def hold_all(self, *frames: Any) -> None:
        """Hold a window for each frame."""
        for frame in frames:
            self.sink.hold(self.stage(frame))

    def ask(self, query: str) -> list[Any]:
        """What the database itself says, once the sink has let go."""
        self.sink.close()
        return ask(self.path, self.database, query)


def ask(path: Path, database: str, query: str) -> list[Any]:
    """The answer of the database's own driver."""
    if database == "duckdb":
        with duckdb.connect(str(path)) as connection:
            return connection.execute(query).fetchall()
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(query).fetchall()
        connection.commit()
        return rows
