"""Which database is meant: by URL, by an engine, by one's own connection; and who else may use
it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy
from sqlalchemy.pool import QueuePool, SingletonThreadPool, StaticPool

from jdbc_sink import JdbcSink
from jdbc_sink.errors import DatabaseLocked, DatabaseUnusable, TransactionOpen
from tests.jdbc_sink.windows import Bench
from windowed.testing.sink_story import SCHEMA, Story, hold
from windowlog.errors import BadArgument, Fenced


def enrolled(sink: JdbcSink) -> Story:
    """A story whose sink is open and has its ledger row."""
    story = Story(sink)
    story.open(sink)
    sink.adopt(None, story.beginning)
    return story


@pytest.mark.parametrize("pool", [None, StaticPool, SingletonThreadPool])
def test_an_engine_in_memory_keeps_its_database_when_the_sink_is_closed(pool: Any) -> None:
    """What the user had in it, and what the sink wrote; also after a window that failed."""
    arguments = {} if pool is None else {"poolclass": pool}
    engine = sqlalchemy.create_engine("duckdb:///:memory:", **arguments)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE mine AS SELECT 7 AS x")
    sink = JdbcSink(engine, table="words")
    story = enrolled(sink)
    hold(sink, story.window(), ("a", 1))
    with pytest.raises(Fenced):
        hold(sink, replace(story.window(), previous="0" * 64), ("wrong", 1))
    sink.close()
    with engine.begin() as connection:
        assert connection.exec_driver_sql("SELECT x FROM mine").all() == [(7,)]
        assert connection.exec_driver_sql("SELECT word, n FROM words").all() == [("a", 1)]


def test_rows_go_where_use_led_the_users_connection(tmp_path: Path) -> None:
    """Another schema, or an attached file: never silently the database in memory beside it."""
    own = duckdb.connect()
    own.execute(f'ATTACH \'{tmp_path / "x.duckdb"}\' AS file; CREATE SCHEMA file."o""ther"')
    own.execute('USE file."o""ther"')
    sink = JdbcSink(own, table="words")
    story = enrolled(sink)
    hold(sink, story.window(), ("a", 1))
    own.execute("USE memory")
    hold(sink, story.window(), ("b", 2))
    sink.close()
    story.open(sink)
    held = sink.held()
    assert held is not None
    assert held.window_id == 2
    sink.prepare(SCHEMA)
    sink.close()
    tables = own.execute("SELECT database_name, schema_name, table_name FROM duckdb_tables()")
    place = ("file", 'o"ther')
    assert sorted(tables.fetchall()) == [(*place, "window_ledger"), (*place, "words")]
    assert own.execute('SELECT word FROM file."o""ther".words').fetchall() == [("a",), ("b",)]


def test_readers_in_the_same_process_may_come_and_be_there(tmp_path: Path) -> None:
    """As duckdb.connect(FILE) opens it, before the sink and while it keeps the file open."""
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as before:
        bench = Bench(path)
        bench.hold(("a", 1))
        with duckdb.connect(str(path)) as during:
            for reader in (before, during):
                assert reader.execute("SELECT word, n FROM words").fetchall() == [("a", 1)]
        bench.sink.close()


def test_a_reader_in_the_same_process_with_other_settings_is_named(tmp_path: Path) -> None:
    """DuckDB allows one set of settings in a process; nobody else is to blame."""
    bench = Bench(tmp_path / "x.duckdb", lock_wait_s=0)
    bench.sink.close()
    reader = duckdb.connect(str(bench.path), read_only=True)
    with pytest.raises(DatabaseLocked, match="held by this process itself, opened with other"):
        bench.sink.held()
    reader.close()
    assert bench.sink.held() is not None


def test_an_engines_own_pool_is_not_used_to_hold_the_file(tmp_path: Path) -> None:
    """A connection in a pool would lock other processes out."""
    path = tmp_path / "x.duckdb"
    engine = sqlalchemy.create_engine(f"duckdb:///{path}", poolclass=QueuePool)
    sink = JdbcSink(engine, table="words")
    story = enrolled(sink)
    hold(sink, story.window(), ("a", 1))
    sink.idle()
    # Other settings are refused while any connection of this process is open.
    with duckdb.connect(str(path), read_only=True) as reader:
        assert reader.execute("SELECT word FROM words").fetchall() == [("a",)]


@pytest.mark.parametrize(
    ("setting", "finding"),
    [
        ("access_mode=READ_ONLY", "it is opened read-only"),
        ("default_collation=nocase", "default_collation=nocase makes distinct keys equal"),
    ],
)
def test_settings_under_which_no_sink_can_work_are_refused(
    tmp_path: Path, setting: str, finding: str
) -> None:
    """Read-only; and a collation for everything, which made 'a' of 'A' in silence."""
    path = tmp_path / "x.duckdb"
    duckdb.connect(str(path)).close()
    sink = JdbcSink(f"duckdb:///{path}?{setting}", table="words")
    story = Story(sink)
    story.open(sink)
    with pytest.raises(DatabaseUnusable, match=finding):
        sink.adopt(None, story.beginning)
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SHOW TABLES").fetchall() == []


def test_settings_that_do_no_harm_are_the_users(tmp_path: Path) -> None:
    """Here: how many threads."""
    sink = JdbcSink(f"duckdb:///{tmp_path / 'x.duckdb'}?threads=1", table="words")
    story = enrolled(sink)
    hold(sink, story.window(), ("a", 1))
    sink.close()
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        assert connection.execute("SELECT word, n FROM words").fetchall() == [("a", 1)]


def test_an_engine_for_another_database_is_refused() -> None:
    """On construction, with what works."""
    with pytest.raises(BadArgument, match=r"^database='mysql'.*duckdb:///FILE"):
        JdbcSink(sqlalchemy.create_mock_engine("mysql://", lambda *_: None), table="words")


def test_a_broken_transaction_of_ones_own_is_refused() -> None:
    """It waits for a rollback, and the message says so."""
    own = duckdb.connect()
    own.begin()
    own.execute("CREATE TABLE mine (x INTEGER PRIMARY KEY)")
    with pytest.raises(duckdb.ConstraintException):
        own.execute("INSERT INTO mine VALUES (1), (1)")
    sink = JdbcSink(own, table="words")
    with pytest.raises(TransactionOpen, match="roll it back"):
        Story(sink).open(sink)
    own.rollback()
    enrolled(sink)


def test_an_engine_with_a_host_is_no_file() -> None:
    """DuckDB has no servers: its dialect forgets the host, and writes into memory."""
    engine = sqlalchemy.create_engine("duckdb://c.duckdb")
    with pytest.raises(BadArgument, match=r"did you mean duckdb:///c\.duckdb\?"):
        JdbcSink(engine, table="words")
