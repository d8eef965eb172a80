"""evolve: what becomes of columns that the frame has and the table lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest

from jdbc_sink import JdbcSink, accumulate, append, replace_window, sql, upsert
from jdbc_sink.effects import Mode
from jdbc_sink.errors import DatabaseFailed, TargetUnsuitable
from tests.jdbc_sink.windows import DATABASES, Bench
from windowlog.errors import BadArgument

FRAME = pyarrow.table({"word": ["a"], "n": [1], "new": [2], 'la"ter': [3]})
both = pytest.mark.parametrize("database", DATABASES)


@both
@pytest.mark.parametrize(
    ("mode", "columns", "expected"),
    [
        (append(), "word TEXT, n BIGINT", [("z", 9, None, None), ("a", 1, 2, 3)]),
        (
            upsert(["word"], order_by="new"),
            "word TEXT PRIMARY KEY, n BIGINT",
            [("z", 9, None, None), ("a", 1, 2, 3)],
        ),
        (
            accumulate(["word"], add=["n", "new"], max=['la"ter']),
            "WORD TEXT PRIMARY KEY, N BIGINT",
            [("z", 9, None, None), ("a", 1, 2, 3)],
        ),
    ],
)
def test_columns_are_added_and_are_null_in_older_rows(
    tmp_path: Path, database: str, mode: Mode, columns: str, expected: list[Any]
) -> None:
    """For each mode; and the same row again, by another process."""
    arguments = {"mode": mode, "evolve": "add_columns"}
    bench = Bench(tmp_path / "x.db", database, **arguments)
    bench.ask(f"CREATE TABLE words ({columns})")
    bench.ask("INSERT INTO words VALUES ('z', 9)")
    bench.hold_all(FRAME)
    found = bench.ask('SELECT word, n, new, "la""ter" FROM words ORDER BY word DESC')
    assert found == expected
    bench.sink = bench.make()
    bench.story.open(bench.sink)
    bench.prepare(FRAME)


@both
def test_a_frame_that_grows_while_the_run_goes_on_grows_its_table(
    tmp_path: Path, database: str
) -> None:
    """And one that shrinks again leaves NULL."""
    bench = Bench(tmp_path / "x.db", database, evolve="add_columns", mode=replace_window())
    bench.hold(("a", 1))
    bench.hold_all(FRAME)
    bench.hold(("c", 3))
    found = bench.ask("SELECT window_id, word, n, new FROM words ORDER BY window_id")
    assert found == [(1, "a", 1, None), (2, "a", 1, 2), (3, "c", 3, None)]


@both
def test_the_windows_number_is_a_column_that_can_be_added(tmp_path: Path, database: str) -> None:
    """replace_window on a table that was not made for it."""
    bench = Bench(tmp_path / "x.db", database, evolve="add_columns", mode=replace_window())
    bench.ask("CREATE TABLE words (word TEXT, n BIGINT)")
    bench.ask("INSERT INTO words VALUES ('old', 0)")
    bench.hold(("a", 1))
    found = bench.ask("SELECT word, window_id FROM words ORDER BY n")
    assert found == [("old", None), ("a", 1)]


@both
@pytest.mark.parametrize("evolve", ["fail", "add_columns"])
def test_everything_wrong_is_one_error_and_nothing_is_added_then(
    tmp_path: Path, database: str, evolve: str
) -> None:
    """A column of another type, one that must be there, a key that is not one or not there."""
    mode = upsert(["word", "new"])
    bench = Bench(tmp_path / "x.db", database, mode=mode, evolve=evolve)
    bench.ask("CREATE TABLE words (word TEXT, n BLOB, must TEXT NOT NULL)")
    with pytest.raises(TargetUnsuitable) as refused:
        bench.prepare(FRAME.set_column(1, "n", pyarrow.array(["text"])))
    findings = [
        "column new (",
        "column n is BLOB",
        "column must is NOT NULL and not in the frame",
        "no primary key or unique constraint on exactly (word, new)",
    ]
    if database == "sqlite":
        findings.remove("column n is BLOB")  # where BLOB means: as it comes
    added = 'column la"ter ('
    assert (added in str(refused.value)) == (evolve == "fail")
    for finding in findings:
        assert finding in str(refused.value)
    assert len(bench.ask("SELECT * FROM pragma_table_info('words')")) == 3


def test_a_strict_table_takes_no_type_of_ours(tmp_path: Path) -> None:
    """SQLite says so; the column is the user's to add."""
    bench = Bench(tmp_path / "x.db", "sqlite", evolve="add_columns")
    bench.ask("CREATE TABLE words (word TEXT) STRICT")
    frame = pyarrow.table({"word": ["a"], "yes": [True]})
    with pytest.raises(TargetUnsuitable, match=r"unknown datatype .*: add the column yourself"):
        bench.prepare(frame)
    bench.ask("ALTER TABLE words ADD COLUMN yes INTEGER")
    bench.hold_all(frame)
    assert bench.ask("SELECT word, yes FROM words") == [("a", 1)]


@both
def test_ones_own_statements_evolve_nothing(tmp_path: Path, database: str) -> None:
    """Only the user knows which columns they fill."""
    mode = sql("INSERT INTO words SELECT word FROM {rows}")
    bench = Bench(tmp_path / "x.db", database, mode=mode, evolve="add_columns")
    bench.ask("CREATE TABLE words (word TEXT)")
    bench.hold_all(FRAME)
    assert bench.ask("SELECT * FROM words") == [("a",)]


@both
def test_a_preparation_whose_commit_failed_is_done_again(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not remembered as done: the table would be missing for good."""
    bench = Bench(tmp_path / "x.db", database)

    def fails(*_: Any) -> None:
        raise RuntimeError("injected")

    with monkeypatch.context() as patched:
        patched.setattr(bench.sink._connections._engine.dialect, "do_commit", fails)
        with pytest.raises((RuntimeError, DatabaseFailed)):
            bench.prepare(FRAME)
    bench.hold_all(FRAME)
    assert bench.ask("SELECT n FROM words") == [(1,)]


@pytest.mark.parametrize("evolve", ["", "add", None, True])
def test_wrong_arguments_are_named(evolve: Any) -> None:
    """On construction."""
    with pytest.raises(BadArgument, match=r"^evolve="):
        JdbcSink("sqlite:///x.db", table="words", evolve=evolve)
