"""What the sample shows: the windows of this run, and the words that come most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

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
        end = "." if summary.windows_run or summary.stopped else ": so nothing was counted twice."
        self.console.print(f"{summary}{end}")

    def _show_windows(self) -> None:
        table = Table("window", "planned at", "files", "size")
        if any(replay for _, replay in self.windows):
            table.add_column("replayed")
        shown = self.windows[-WINDOWS_SHOWN:]
        if len(shown) < len(self.windows):
            table.add_row(f"{len(self.windows) - len(shown)} more")
        for window, replay in shown:
            plan = window.plans["lines"]
            planned = f"{window.planned_at:%Y-%m-%d %H:%M:%S} UTC"
            cells = [str(window.id), planned, f"{len(plan.parts):,}", sized(plan.bytes or 0)]
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
    import sqlalchemy

    engine = make_engine(database)
    query = f"SELECT word, count FROM {TABLE} ORDER BY count DESC, word LIMIT {WORDS_SHOWN}"
    with engine.connect() as connection:
        known = sqlalchemy.inspect(connection).has_table(TABLE)
        rows: Any = connection.exec_driver_sql(query).all() if known else []
    engine.dispose()
    return [(row[0], row[1]) for row in rows]
