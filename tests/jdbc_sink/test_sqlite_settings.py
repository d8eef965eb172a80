"""Engines for SQLite, and settings of theirs: which are taken, which would forget a commit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy import Engine, event

from jdbc_sink import JdbcSink
from jdbc_sink.databases.sqlite.settings import flaw_of
from jdbc_sink.errors import DatabaseUnusable
from tests.jdbc_sink.windows import ask
from windowed.testing.sink_story import Story, hold
from windowlog.errors import BadArgument

MADE: list[Engine] = []


@pytest.fixture(autouse=True)
def disposed() -> Iterator[None]:
    """What is left in the pools is closed: since Python 3.13 the driver asks for it."""
    yield
    while MADE:
        MADE.pop().dispose()


def engine_of(path: Path, *statements: str, **arguments: Any) -> Engine:
    """An engine of the user's, which says this to each new connection."""
    engine = sqlalchemy.create_engine(f"sqlite:///{path}", **arguments)

    def connected(connection: Any, _: Any) -> None:
        for statement in statements:
            connection.execute(statement)

    event.listen(engine, "connect", connected)
    MADE.append(engine)
    return engine


def write(sink: JdbcSink) -> None:
    """Two windows, by two processes, as it were."""
    story = Story(sink)
    story.open(sink)
    sink.adopt(None, story.beginning)
    hold(sink, story.window(), ("a", 1))
    sink.close()
    story.open(sink)
    hold(sink, story.window(), ("b", 2))
    sink.close()


def _no_begin_of_the_drivers(engine: Engine) -> None:
    """As SQLAlchemy's documentation recommends."""

    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None

    def begun(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN")

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)


def _begins_at_once(engine: Engine) -> None:
    _no_begin_of_the_drivers(engine)

    def begun(connection: Any) -> None:
        connection.exec_driver_sql("ROLLBACK")
        connection.exec_driver_sql("BEGIN EXCLUSIVE")

    event.listen(engine, "begin", begun)


def _isolation_level_none(engine: Engine) -> None:
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None

    event.listen(engine, "connect", connected)


@pytest.mark.parametrize(
    "change",
    [
        lambda engine: engine,
        lambda engine: engine.execution_options(isolation_level="SERIALIZABLE"),
        _no_begin_of_the_drivers,
        _begins_at_once,
        _isolation_level_none,
    ],
)
@pytest.mark.parametrize("pool", [sqlalchemy.NullPool, sqlalchemy.QueuePool, sqlalchemy.StaticPool])
def test_an_engine_of_the_users_is_used_as_it_is(
    tmp_path: Path, change: Callable[[Engine], Any], pool: Any
) -> None:
    """However it begins transactions, and whatever its pool."""
    path = tmp_path / "x.db"
    engine = engine_of(path, poolclass=pool)
    write(JdbcSink(change(engine) or engine, table="words"))
    found = ask(path, "sqlite", "SELECT word, (SELECT window_id FROM window_ledger) FROM words")
    assert found == [("a", 2), ("b", 2)]


@pytest.mark.parametrize(
    "engine",
    [
        sqlalchemy.create_engine("sqlite:///x.db", isolation_level="AUTOCOMMIT"),
        sqlalchemy.create_engine("sqlite:///x.db").execution_options(isolation_level="AUTOCOMMIT"),
        sqlalchemy.create_engine("sqlite:///:memory:"),
        sqlalchemy.create_engine("sqlite://"),
        sqlalchemy.create_engine(
            "sqlite:///file:x?mode=memory&uri=true", poolclass=sqlalchemy.NullPool
        ),
    ],
)
def test_an_engine_that_cannot_keep_rows_and_ledger_together_is_refused(engine: Engine) -> None:
    """AUTOCOMMIT; in memory, where the rows belong to a connection that may be closed."""
    with pytest.raises(BadArgument, match=r"^engine="):
        JdbcSink(engine, table="words")


def test_autocommit_of_pythons_driver_is_refused() -> None:
    """Of Python 3.12 on: with it `commit()` does nothing, and every window would be rolled back."""
    flaw = flaw_of(SimpleNamespace(autocommit=True), frozenset({"main"}))
    assert flaw is not None
    assert "autocommit=True" in flaw[0]


@pytest.mark.parametrize(
    "arguments", [{}, *([{"autocommit": False}] if sys.version_info >= (3, 12) else [])]
)
def test_other_values_of_autocommit_will_do(tmp_path: Path, arguments: dict[str, Any]) -> None:
    """False: the driver begins a transaction after each commit, which locks nothing."""
    path = tmp_path / "x.db"
    write(JdbcSink(engine_of(path, connect_args=arguments), table="words"))
    assert ask(path, "sqlite", "SELECT count(*) FROM words") == [(2,)]


def test_a_database_in_memory_by_url_lasts_as_long_as_its_sink() -> None:
    """Through close() and failures; two of them have nothing in common."""
    for url in ("sqlite:///:memory:", "jdbc:sqlite::memory:"):
        sink = JdbcSink(url, table="words")
        write(sink)
        held = sink.held()
        assert held is not None
        assert held.window_id == 2


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("PRAGMA synchronous = OFF", "synchronous=off forgets commits in a power cut"),
        ("PRAGMA journal_mode = OFF", "journal_mode=off it cannot roll back"),
        ("PRAGMA journal_mode = MEMORY", "journal_mode=memory it is corrupted by a crash"),
        ("PRAGMA query_only = 1", "query_only forbids to write"),
    ],
)
def test_settings_that_forget_a_commit_are_refused(
    tmp_path: Path, statement: str, said: str
) -> None:
    """By name, with what to set instead."""
    sink = JdbcSink(engine_of(tmp_path / "x.db", statement), table="words")
    with pytest.raises(DatabaseUnusable, match=said):
        write(sink)
    assert ask(tmp_path / "x.db", "sqlite", "SELECT * FROM sqlite_master") == []


@pytest.mark.parametrize(
    ("statements", "good"),
    [
        (["PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"], False),
        (["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"], True),
        (["PRAGMA journal_mode = DELETE", "PRAGMA synchronous = NORMAL"], True),
        (["PRAGMA journal_mode = TRUNCATE", "PRAGMA synchronous = EXTRA"], True),
    ],
)
def test_normal_is_safe_except_with_wal(tmp_path: Path, statements: list[str], good: bool) -> None:
    """With wal it does not sync each commit."""
    sink = JdbcSink(engine_of(tmp_path / "x.db", *statements), table="words")
    if good:
        write(sink)
        return
    with pytest.raises(DatabaseUnusable, match="synchronous=normal forgets commits"):
        write(sink)


def attached(tmp_path: Path, *more: str, file: str = "other.db") -> Engine:
    """An engine with a second database, which is called other."""
    place = file and str(tmp_path / file)
    return engine_of(tmp_path / "x.db", f"ATTACH '{place}' AS other", *more)


@pytest.mark.parametrize(
    ("table", "ledger"),
    [("other.words", "window_ledger"), ("words", "other.ledger"), ("other.words", "other.ledger")],
)
def test_an_attached_database_is_a_schema(tmp_path: Path, table: str, ledger: str) -> None:
    """SQLite commits several files together, unless their journal is wal."""
    engine = attached(tmp_path)
    write(JdbcSink(engine, table=table, ledger_table=ledger))
    with engine.connect() as connection:
        query = f"SELECT word, (SELECT window_id FROM {ledger}) FROM {table}"
        assert connection.exec_driver_sql(query).all() == [("a", 2), ("b", 2)]


@pytest.mark.parametrize(
    ("more", "file", "said"),
    [
        (["PRAGMA other.journal_mode = WAL"], "other.db", "may commit one of its files"),
        (["PRAGMA main.journal_mode = WAL"], "other.db", "may commit one of its files"),
        (["PRAGMA other.synchronous = OFF"], "other.db", "synchronous=off"),
        ([], "", "its schema other is gone with the connection"),
    ],
)
def test_files_that_a_crash_would_tear_apart_are_refused(
    tmp_path: Path, more: list[str], file: str, said: str
) -> None:
    """Before anything is written; tables and ledger in one of them are no problem."""
    sink = JdbcSink(attached(tmp_path, *more, file=file), table="other.words")
    with pytest.raises(DatabaseUnusable, match=said):
        write(sink)
    write(JdbcSink(attached(tmp_path, *more, file=file), table="words"))


def test_the_temporary_schema_is_refused(tmp_path: Path) -> None:
    """Its tables are gone with the connection."""
    engine = engine_of(tmp_path / "x.db", "CREATE TEMP TABLE words (word TEXT, n INTEGER)")
    with pytest.raises(DatabaseUnusable, match="temp is gone with the connection"):
        write(JdbcSink(engine, table="temp.words"))
