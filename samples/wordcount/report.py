"""What the sample shows: the windows of this run, and the words that come most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from samples.wordcount.topics import REJECTS
from samples.wordcount.words import TABLE
from windowed import Listener, Summary
from windowed.wording import sized
from windowlog.access.engines import make_engine

if TYPE_CHECKING:
    from windowlog.window import Window

WINDOWS_SHOWN = 12
WORDS_SHOWN = 10


@dataclass
class Report(Listener):
    """Listens to a run, and shows it when it is over."""

    console: Console = field(default_factory=lambda: Console(highlight=False))
    windows: list[tuple[Window, bool]] = field(default_factory=list)

    def planned(self, window: Window, *, replay: bool) -> None:
        """Remember it."""
        self.windows.append((window, replay))

    def show(self, summary: Summary, database: str) -> None:
        """Windows, top words, one sentence."""
        if self.windows:
            self._show_windows()
        self._show_words(database)
        bad = rejects(database)
        if bad:
            self.console.print(f"{bad:,} records are not UTF-8: they are in table {REJECTS}.")
        end = "." if summary.windows_run or summary.stopped else ": so nothing was counted twice."
        self.console.print(f"{summary}{end}")

    def _show_windows(self) -> None:
        topics = any(window.plans["lines"].records is not None for window, _ in self.windows)
        units = ["ranges", "records"] if topics else ["files", "size"]
        table = Table("window", "planned at", *units)
        if any(replay for _, replay in self.windows):
            table.add_column("replayed")
        shown = self.windows[-WINDOWS_SHOWN:]
        if len(shown) < len(self.windows):
            table.add_row(f"{len(self.windows) - len(shown)} more")
        for window, replay in shown:
            plan = window.plans["lines"]
            planned = f"{window.planned_at:%Y-%m-%d %H:%M:%S} UTC"
            size = f"{plan.records or 0:,}" if topics else sized(plan.bytes or 0)
            cells = [str(window.id), planned, f"{len(plan.parts):,}", size]
            table.add_row(*cells, *(["yes"] if replay else []))
        self.console.print(table)

    def _show_words(self, database: str) -> None:
        table = Table("word", "count")
        table.columns[1].justify = "right"
        for word, count in top_words(database):
            table.add_row(word, f"{count:,}")
        self.console.print(table)


def top_words(database: str) -> list[tuple[str, int]]:
    """The words that come most, asked of the database itself; none if nothing was held yet."""
    query = f"SELECT word, count FROM {TABLE} ORDER BY count DESC, word LIMIT {WORDS_SHOWN}"
    return [(row[0], row[1]) for row in _ask(database, TABLE, query)]


def rejects(database: str) -> int:
    """How many records were set aside, in this run and before it."""
    rows = _ask(database, REJECTS, f"SELECT count(*) FROM {REJECTS}")
    return int(rows[0][0]) if rows else 0


def _ask(database: str, table: str, query: str) -> list[Any]:
    import sqlalchemy

    engine = make_engine(database)
    with engine.connect() as connection:
        known = sqlalchemy.inspect(connection).has_table(table)
        rows: Any = connection.exec_driver_sql(query).all() if known else []
    engine.dispose()
    return list(rows)
