"""Who may use the database when: locks, releases, one's own connection, and files that are no
databases."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy

from jdbc_sink import JdbcSink
from jdbc_sink.errors import DatabaseLocked, DatabaseUnusable, TransactionOpen
from tests.jdbc_sink.processes import another_process
from tests.jdbc_sink.windows import Bench
from tests.sleeps import instead_of_sleep
from windowed.testing.sink_story import Story, hold
from windowlog.errors import BadArgument


def opened(path: Path) -> str:
    """A program that opens the database."""
    return f"import duckdb; c = duckdb.connect({str(path)!r})"


def test_a_lock_error_says_who_holds_the_file(tmp_path: Path) -> None:
    """The process, its command, how long was waited; and it passes when that process ends."""
    bench = Bench(tmp_path / "x.duckdb", lock_wait_s=0.1)
    bench.sink.close()
    with another_process(opened(bench.path)) as pid, pytest.raises(DatabaseLocked) as locked:
        bench.sink.held()
    for said in (f"process {pid}", "import duckdb", "within 0.1 s", str(bench.path)):
        assert said in str(locked.value)
    assert locked.value.passing
    assert bench.sink.held() is not None


def test_the_commit_of_a_predecessor_is_waited_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told to die and is still committing: the ledger is read when it is over."""
    bench = Bench(tmp_path / "x.duckdb", lock_wait_s=60)
    bench.sink.close()
    advance = "\nc.begin(); c.execute('UPDATE window_ledger SET window_id = 1')"
    looked: list[float] = []
    with ExitStack() as predecessor:
        predecessor.enter_context(another_process(opened(bench.path) + advance, "c.commit()"))

        def wait(seconds: float) -> None:
            looked.append(seconds)
            predecessor.close()

        instead_of_sleep(monkeypatch, wait)
        held = bench.sink.held()
    assert looked
    assert held is not None
    assert held.window_id == 1


def test_an_idle_sink_lets_other_processes_in(tmp_path: Path) -> None:
    """Before every wait, and once release_s has passed; not between two windows at once."""
    bench = Bench(tmp_path / "x.duckdb", lock_wait_s=0, release_s=3600)
    bench.hold(("a", 1))
    assert _locked_out(bench.path)
    bench.sink.idle()
    assert not _locked_out(bench.path)
    eager = Bench(tmp_path / "y.duckdb", release_s=0)
    eager.hold(("a", 1))
    assert not _locked_out(eager.path)


def _locked_out(path: Path) -> bool:
    program = f"import duckdb; duckdb.connect({str(path)!r}, read_only=True)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    return done.returncode != 0


def test_ones_own_connection_is_used_and_never_closed() -> None:
    """The user sees what was written, and goes on using it."""
    own = duckdb.connect()
    sink = JdbcSink(own, table="words")
    story = Story(sink)
    story.open(sink)
    sink.adopt(None, story.beginning)
    hold(sink, story.window(), ("a", 1))
    sink.close()
    assert own.execute("SELECT * FROM words").fetchall() == [("a", 1)]


def test_a_transaction_of_ones_own_is_refused_and_left_alone() -> None:
    """Rows and ledger need one of their own."""
    own = duckdb.connect()
    own.execute("CREATE TABLE mine (x INTEGER)")
    sink = JdbcSink(own, table="words")
    own.begin()
    own.execute("INSERT INTO mine VALUES (1)")
    with pytest.raises(TransactionOpen):
        Story(sink).open(sink)
    own.commit()
    assert own.execute("SELECT * FROM mine").fetchall() == [(1,)]
    Story(sink).open(sink)
    assert sink.held() is None


def test_a_connection_that_the_user_closed_is_named() -> None:
    """With what to do."""
    own = duckdb.connect()
    sink = JdbcSink(own, table="words")
    Story(sink).open(sink)
    own.close()
    with pytest.raises(DatabaseUnusable, match="stays open"):
        sink.held()


def test_a_database_in_memory_lasts_as_long_as_the_sink() -> None:
    """By URL: for trying out."""
    sink = JdbcSink("duckdb:///:memory:", table="words")
    story = Story(sink)
    story.open(sink)
    sink.adopt(None, story.beginning)
    hold(sink, story.window(), ("a", 1))
    sink.close()
    story.open(sink)
    held = sink.held()
    assert held is not None
    assert held.window_id == 1


@pytest.mark.parametrize(
    "prepare",
    [
        lambda path: path.write_text("this is a diary"),
        lambda path: path.mkdir(),
        lambda path: path.symlink_to("nowhere/at/all"),
    ],
    ids=["a text file", "a folder", "no such folder"],
)
def test_what_is_no_database_is_said_and_left_alone(tmp_path: Path, prepare: Any) -> None:
    """One error that names the path."""
    path = tmp_path / "x.duckdb"
    prepare(path)
    sink = JdbcSink(f"duckdb:///{path}", table="words", lock_wait_s=0.1)
    story = Story(sink)
    story.open(sink)
    with pytest.raises(DatabaseUnusable, match=r"x\.duckdb"):
        sink.adopt(None, story.beginning)
    if path.is_file():
        assert path.read_text() == "this is a diary"


def test_an_engine_that_commits_by_itself_is_refused(tmp_path: Path) -> None:
    """However it was told to."""
    url = f"duckdb:///{tmp_path / 'x.duckdb'}"
    for engine in (
        sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT"),
        sqlalchemy.create_engine(url).execution_options(isolation_level="AUTOCOMMIT"),
    ):
        with pytest.raises(BadArgument, match="AUTOCOMMIT"):
            JdbcSink(engine, table="words")


@pytest.mark.parametrize(
    ("database", "arguments", "argument"),
    [
        ("mysql://root:hunter2@localhost/x", {}, "database"),
        ("", {}, "database"),
        (7, {}, "database"),
        ("duckdb:///x.duckdb", {"table": ""}, "table"),
        ("duckdb:///x.duckdb", {"table": "a.b.c"}, "table"),
        ("duckdb:///x.duckdb", {"table": None}, "table"),
        ("duckdb:///x.duckdb", {"ledger_table": "a\nb"}, "ledger_table"),
        ("duckdb:///x.duckdb", {"mode": "append"}, "mode"),
        ("duckdb:///x.duckdb", {"load": "fast"}, "load"),
        ("duckdb:///x.duckdb", {"rows_per_statement": 0}, "rows_per_statement"),
        ("duckdb:///x.duckdb", {"rows_per_statement": True}, "rows_per_statement"),
        ("duckdb:///x.duckdb", {"rows_per_statement": 1e6}, "rows_per_statement"),
        ("duckdb:///x.duckdb", {"release_s": -1}, "release_s"),
        ("duckdb:///x.duckdb", {"lock_wait_s": "1"}, "lock_wait_s"),
    ],
)
def test_wrong_arguments_are_named_without_passwords(
    database: Any, arguments: dict[str, Any], argument: str
) -> None:
    """On construction; nothing is touched."""
    with pytest.raises(BadArgument) as refused:
        JdbcSink(database, **{"table": "words", **arguments})
    assert str(refused.value).startswith(f"{argument}=")
    assert "hunter2" not in str(refused.value)


def test_a_sink_shows_no_password() -> None:
    """In its repr."""
    shown = repr(JdbcSink("duckdb:////tmp/x.duckdb", table="a.b"))
    assert shown == "JdbcSink('/tmp/x.duckdb', table='a.b')"


def test_a_database_that_cannot_be_opened_is_one_short_traceback(tmp_path: Path) -> None:
    """The message has the driver's own words, without its `!`; they are not shown twice."""
    path = tmp_path / "x.duckdb"
    path.write_text("no database\n" * 999)
    sink = JdbcSink(f"duckdb:///{path}", table="words")
    Story(sink).open(sink)
    with pytest.raises(DatabaseUnusable, match=r"valid DuckDB database file\. Nothing") as refused:
        sink.held()
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


def test_an_error_that_is_not_the_databases_own_keeps_its_cause(tmp_path: Path) -> None:
    """Whoever wrote it needs to see where."""
    path = tmp_path / "x.duckdb"
    path.touch()

    def broken() -> None:
        raise ValueError("a bad creator")

    engine = sqlalchemy.create_engine(f"duckdb:///{path}", creator=broken)
    sink = JdbcSink(engine, table="words", lock_wait_s=0)
    Story(sink).open(sink)
    with pytest.raises(DatabaseUnusable, match="a bad creator") as refused:
        sink.held()
    assert isinstance(refused.value.__cause__, ValueError)
