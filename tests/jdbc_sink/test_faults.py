"""Every statement fails in turn, also every commit, on each database and in each mode: afterwards
the window is there once, or not at all and then once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy
from duckdb_sqlalchemy import ConnectionWrapper, CursorWrapper
from sqlalchemy import Connection

from jdbc_sink import JdbcSink, accumulate, append, call, replace_window, sql, upsert
from tests.jdbc_sink.windows import DATABASES, ask
from windowed import Pipeline
from windowed.testing import RowsInput
from windowed.testing.sink_story import SCHEMA, Story, frame
from windowlog import KitError, WindowLog
from windowlog.window import Window

WINDOWS = [[("a", 1), ("b", 2)], [], [("a", 3)]]
STATEMENTS_MAX = 1_000
EACH = [("a", 1), ("a", 3), ("b", 2)]
SUMS = [("a", 4), ("b", 2)]
NEWEST = [("a", 3), ("b", 2)]


def inserted(connection: Connection, rows: Any, window: Any) -> None:
    """A user's function."""
    for row in rows.to_pylist():
        connection.execute(sqlalchemy.text("INSERT INTO words VALUES (:word, :n)"), row)


class Statements:
    """Counts everything sent to the database and fails number `at`, before or after it took
    effect."""

    def __init__(self, at: int, error: type[Exception], *, after: bool) -> None:
        self.left = at
        self.error = error
        self.after = after
        self.hit = ""

    def sent(self, what: str, action: Any) -> Any:
        """Do it, or fail. Settings are no matter of one statement more or less."""
        if what.startswith("PRAGMA"):
            return action()
        self.left -= 1
        if self.left != 0:
            return action()
        self.hit = what
        if self.after:
            action()
        raise self.error("injected")


@contextmanager
def failing_duckdb(statements: Statements, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand between SQLAlchemy and DuckDB."""
    with monkeypatch.context() as patched:
        for kind, method in (
            (CursorWrapper, "execute"),
            (ConnectionWrapper, "begin"),
            (ConnectionWrapper, "commit"),
        ):
            original = getattr(kind, method)

            def passed(self: Any, *words: Any, original: Any = original, **more: Any) -> Any:
                what = str(words[0]).split(None, 2)[0] if words else original.__name__
                return statements.sent(what, lambda: original(self, *words, **more))

            patched.setattr(kind, method, passed)
        yield


class Cursor(sqlite3.Cursor):
    """What SQLAlchemy speaks to."""

    def execute(self, *words: Any) -> Any:
        """Do it, or fail."""
        return Connected.statements.sent(words[0], lambda: super(Cursor, self).execute(*words))


class Connected(sqlite3.Connection):
    """Stands between the sink and SQLite."""

    statements = Statements(0, sqlite3.OperationalError, after=False)

    def cursor(self, *_: Any) -> Any:
        """One that may fail."""
        return super().cursor(Cursor)

    def execute(self, *words: Any) -> Any:
        """Do it, or fail."""
        return self.statements.sent(words[0], lambda: super(Connected, self).execute(*words))

    def executemany(self, *words: Any) -> Any:
        """Do it, or fail."""
        many = super().executemany
        return self.statements.sent(words[0], lambda: many(*words))

    def commit(self) -> None:
        """Do it, or fail."""
        self.statements.sent("commit", super().commit)


class Place:
    """A database: SQLite in a file; DuckDB in memory, as opening a file so often takes a minute."""

    def __init__(self, database: str, path: Path, arguments: dict[str, Any]) -> None:
        self.path = path
        self.own = duckdb.connect(config={"threads": 1}) if database == "duckdb" else None
        self.several = "tables" in arguments
        self.arguments = arguments if self.several else {"table": "words", **arguments}
        if not self.several and not arguments["mode"].makes_table:
            self.ask("CREATE TABLE words (word TEXT, n BIGINT)")

    def sink(self) -> JdbcSink:
        """One whose statements can be made to fail."""
        arguments = self.arguments
        if self.own is not None:
            return JdbcSink(self.own, **arguments)
        url = f"sqlite:///{self.path}"
        given = {"factory": Connected}
        engine = sqlalchemy.create_engine(url, connect_args=given, poolclass=sqlalchemy.NullPool)
        return JdbcSink(engine, **arguments)

    def ask(self, query: str) -> list[Any]:
        """The database's own answer."""
        if self.own is not None:
            return self.own.execute(query).fetchall()
        return ask(self.path, "sqlite", query)

    def stage(self, sink: Any, window: Window, *rows: tuple[str, int]) -> None:
        """Prepare and stage, for all tables."""
        names = ("other", "words")
        sink.prepare(dict.fromkeys(names, SCHEMA) if self.several else SCHEMA)
        sink.stage(window, dict.fromkeys(names, frame(*rows)) if self.several else frame(*rows))

    def hold(self, sink: Any, window: Window, *rows: tuple[str, int]) -> None:
        """Prepare, stage and hold."""
        self.stage(sink, window, *rows)
        sink.hold(window)

    def check(self, expected: list[tuple[str, int]], hit: str) -> None:
        """The rows of all windows took effect once."""
        assert self.ask("SELECT word, n FROM words ORDER BY word, n") == expected, hit
        if self.several:
            assert self.ask("SELECT word, n FROM other ORDER BY word, n") == EACH, hit


@contextmanager
def failing(
    database: str, at: int, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> Iterator[Statements]:
    """Make statement number `at` fail."""
    if database == "duckdb":
        statements = Statements(at, duckdb.IOException, after=after)
        with failing_duckdb(statements, monkeypatch):
            yield statements
        return
    statements = Connected.statements = Statements(at, sqlite3.OperationalError, after=after)
    yield statements
    Connected.statements = Statements(0, sqlite3.OperationalError, after=False)


EFFECTS: list[tuple[dict[str, Any], list[tuple[str, int]]]] = [
    ({"mode": append()}, EACH),
    ({"mode": accumulate(["word"], add=["n"])}, SUMS),
    ({"mode": upsert(["word"], order_by="n")}, NEWEST),
    ({"mode": replace_window()}, EACH),
    ({"mode": sql("INSERT INTO words SELECT word, n FROM {rows}")}, EACH),
    ({"mode": call(inserted)}, EACH),
    ({"tables": {"other": append(), "words": accumulate(["word"], add=["n"])}}, SUMS),
]


# On DuckDB a run takes three times as long: there one for rows, and one for several tables.
RUNS = [
    *(("sqlite", effect, False) for effect in range(len(EFFECTS))),
    *((database, 0, True) for database in DATABASES),
    ("duckdb", 0, False),
    ("duckdb", len(EFFECTS) - 1, False),
]


@pytest.mark.parametrize(("database", "effect", "after"), RUNS)
def test_each_statement_may_fail_and_each_row_takes_effect_once(
    quick_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    database: str,
    effect: int,
    after: bool,
) -> None:
    """A run meets one failure; it gets past it, or ends with an error of ours, and the next run
    finishes."""
    arguments, expected = EFFECTS[effect]
    several = "tables" in arguments
    for at in range(1, STATEMENTS_MAX):
        place = Place(database, quick_folder / f"{at}.db", arguments)
        pipeline = Pipeline(
            "faults",
            inputs={"rows": RowsInput(WINDOWS.copy(), schema="word string, n bigint")},
            sinks={"out": place.sink()},
            log=WindowLog.in_memory(),
            transform=_for_both if several else _as_they_are,
            locator="tests:faults",  # to look for it in all modules takes longer than a run
        )
        with failing(database, at, monkeypatch, after=after) as statements, suppress(KitError):
            pipeline.run(None, progress=False)
        pipeline.run(None, progress=False)
        place.check(expected, statements.hit)
        if not statements.hit:
            break
    assert at > 20


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("effect", range(len(EFFECTS)))
@pytest.mark.parametrize("after", [False, True])
def test_each_statement_of_one_hold_may_fail_before_or_after_it_took_effect(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch, database: str, effect: int, after: bool
) -> None:
    """The window is held, or not at all, as the ledger says to a new run, which holds it then."""
    arguments, expected = EFFECTS[effect]
    for at in range(1, STATEMENTS_MAX):
        place = Place(database, quick_folder / f"{at}.db", arguments)
        story = Story(place.sink())
        sink = story.open(story.sink)
        sink.adopt(None, story.beginning)
        place.hold(sink, story.window(), *WINDOWS[0])
        window = story.window()
        place.stage(sink, window, *WINDOWS[2])
        with failing(database, at, monkeypatch, after=after) as statements, suppress(KitError):
            sink.hold(window)
        sink.close()
        again = story.open(place.sink())
        held = again.held()
        assert held is not None
        if held.window_id < window.id:
            place.hold(again, window, *WINDOWS[2])
        again.close()
        place.check(expected, statements.hit)
        if not statements.hit:
            break
    assert at > 3


def _as_they_are(rows: Any) -> Any:
    return rows


def _for_both(rows: Any) -> Any:
    return {"out": {"words": rows, "other": rows}}
