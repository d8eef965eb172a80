"""What may be killed: each mode on each database, through each load; and what must be in the table
then, by plain counting."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from jdbc_sink import JdbcSink, accumulate, append, call, replace_window, sql, upsert
from jdbc_sink.databases.duckdb.doublewrite import Doublewrite
from tests.kill.moments import MOMENTS
from tests.kill.place import Place

# Window id -> word -> how often it was in that window.
Windows = Mapping[int, Counter[str]]
Rows = Counter[tuple[Any, ...]]

TABLE = "CREATE TABLE word_counts (word VARCHAR PRIMARY KEY, count BIGINT CHECK (count < 1000000))"
# Every world has this word; where it is refused, others are not.
REFUSED = "CREATE TABLE word_counts (word VARCHAR CHECK (word <> 'end'), count BIGINT)"
ADD = (
    "INSERT INTO word_counts AS old (word, count) SELECT word, count FROM {rows} WHERE true"
    " ON CONFLICT (word) DO UPDATE SET count = old.count + excluded.count"
)


def _insert(connection: Any, rows: Any, window: Any) -> None:
    for row in rows.to_pylist():
        connection.exec_driver_sql(
            f"INSERT INTO word_counts VALUES ('{row['word']}', {row['count']})"
        )


def _totals(windows: Windows) -> Rows:
    total: Counter[str] = sum(windows.values(), Counter())
    return Counter(dict.fromkeys(total.items(), 1))


def _each(windows: Windows) -> Rows:
    return Counter(pair for counts in windows.values() for pair in counts.items())


def _numbered(windows: Windows) -> Rows:
    return Counter((*pair, number) for number, each in windows.items() for pair in each.items())


def _newest(windows: Windows) -> Rows:
    last: dict[str, int] = {}
    for number in sorted(windows):
        last.update(windows[number])
    return Counter(dict.fromkeys(last.items(), 1))


def _taken(windows: Windows) -> Rows:
    return Counter(row for row in _each(windows).elements() if row[0] != "end")


@dataclass(frozen=True)
class Mode:
    """How the sink is made, what must be there before, and what must be in word_counts later."""

    options: Mapping[str, Any]
    expected: Callable[[Windows], Rows]
    before: str = ""
    columns: str = "word, count"


MODES = {
    "accumulate": Mode({"mode": accumulate(["word"], add=["count"])}, _totals),
    "append": Mode({"mode": append()}, _each),
    "upsert": Mode({"mode": upsert(["word"])}, _newest),
    "replace_window": Mode({"mode": replace_window()}, _numbered, columns="word, count, window_id"),
    "sql": Mode({"mode": sql(ADD)}, _totals, before=TABLE),
    "call": Mode({"mode": call(_insert)}, _each, before=TABLE.replace("PRIMARY KEY", "")),
    "dead_letters": Mode({"mode": append(), "dead_letters": "rejected"}, _taken, before=REFUSED),
    "two_tables": Mode(
        {"tables": {"word_counts": accumulate(["word"], add=["count"]), "every": append()}}, _totals
    ),
}


@dataclass(frozen=True)
class Variant(Place):
    """One of them. Written down in the world's folder, for drivers that are processes of their
    own."""

    database: str = "duckdb"
    mode: str = "accumulate"
    load: str = "driver"
    moments: ClassVar[tuple[str, ...]] = MOMENTS
    spark_moments: ClassVar[tuple[str, ...]] = ()
    partly = False

    def save(self, root: Path) -> None:
        """Write it down, and make what must be there."""
        (root / "variant").write_text(" ".join(self._words()))
        before = MODES[self.mode].before
        if before:
            with connected(root, self.database) as connection:
                connection.execute(before)
                connection.commit()

    def _words(self) -> tuple[str, ...]:
        return self.database, self.mode, self.load

    def outputs(self, counts: Any) -> Any:
        """What the transform returns."""
        if self.mode != "two_tables":
            return counts
        return {"counts": {"word_counts": counts, "every": counts}}

    def sink(self, root: Path) -> JdbcSink:
        """The sink under fire."""
        options: dict[str, Any] = {"load": self.load, **MODES[self.mode].options, **self._more()}
        if "tables" not in options:
            options["table"] = "word_counts"
        return JdbcSink(f"{self.database}:///{root / 'counts.db'}", **options)

    def _more(self) -> dict[str, Any]:
        return {}

    def ask(self, root: Path) -> tuple[int, int, list[list[Any]]]:
        """(H, H, rows of word_counts), by the database's own driver: what is held is there."""
        if not (root / "counts.db").exists():
            return 0, 0, []
        listing = "SHOW TABLES" if self.database == "duckdb" else "SELECT name FROM sqlite_master"
        with connected(root, self.database) as connection:
            tables = {row[0] for row in connection.execute(listing).fetchall()}
            held: list[Any] = []
            rows: list[Any] = []
            if "window_ledger" in tables:
                held = connection.execute("SELECT window_id FROM window_ledger").fetchall()
            if "word_counts" in tables:
                columns = MODES[self.mode].columns
                rows = connection.execute(f"SELECT {columns} FROM word_counts").fetchall()
            if "every" in tables:
                self._check_every(connection, rows)
        window_id = held[0][0] if held else 0
        return window_id, window_id, [list(row) for row in rows]

    @staticmethod
    def _check_every(connection: Any, rows: list[Any]) -> None:
        query = "SELECT word, sum(count) FROM every GROUP BY word"
        every = sorted((word, int(total)) for word, total in connection.execute(query).fetchall())
        assert every == sorted(map(tuple, rows)), "two tables of one window differ"

    def expected(self, windows: Windows) -> Rows:
        """What must be in word_counts."""
        return MODES[self.mode].expected(windows)


@contextmanager
def connected(root: Path, database: str) -> Iterator[Any]:
    """The database, by its own driver: after a kill, as the next start would find it."""
    import duckdb

    if database == "duckdb":
        Doublewrite(root / "counts.db").mend()
    connect: Callable[..., Any] = duckdb.connect if database == "duckdb" else sqlite3.connect
    with closing(connect(str(root / "counts.db"))) as connection:
        yield connection
