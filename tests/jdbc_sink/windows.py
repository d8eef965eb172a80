"""A sink over a DuckDB file, and windows for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow

from jdbc_sink import JdbcSink
from windowed.testing.sink_story import Story, hold
from windowlog.window import Window


class Bench:
    """One JdbcSink on `path`, open and enrolled, with a story of windows."""

    def __init__(self, path: Path, **arguments: Any) -> None:
        self.path = path
        self.make: Callable[[], JdbcSink] = lambda: JdbcSink(
            f"duckdb:///{path}", **{"table": "words", **arguments}
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

    def stage(self, frame: pyarrow.Table) -> Window:
        """Prepare and stage any frame as the next window."""
        window = self.story.window()
        self.sink.prepare(frame.schema)
        self.sink.stage(window, frame)
        return window

    def ask(self, query: str) -> list[Any]:
        """What DuckDB itself says, once the sink has let go."""
        self.sink.close()
        with duckdb.connect(str(self.path)) as connection:
            return connection.execute(query).fetchall()
