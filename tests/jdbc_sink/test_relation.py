"""The name under which DuckDB reads a window's rows: kept while windows follow, and never older
rows than the window's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pyarrow.parquet
import pytest
import sqlalchemy

from jdbc_sink import accumulate, append
from jdbc_sink.databases.duckdb import load
from jdbc_sink.spool.files import Spool, SpoolFile
from tests.jdbc_sink.windows import Bench, ask
from windowlog.errors import NotHeld

WORDS = "SELECT word, count FROM words ORDER BY word"


def rows(*pairs: tuple[str, int]) -> pyarrow.Table:
    """Words and counts."""
    words, counts = [word for word, _ in pairs], [count for _, count in pairs]
    return pyarrow.table({"word": words, "count": pyarrow.array(counts, pyarrow.int64())})


def registered(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What DuckDB is given a name for, from now on."""
    found: list[Any] = []
    inner = load._in_place

    def counted(connection: Any, schema: pyarrow.Schema) -> Any:
        before = connection.info.get(load._IN_PLACE)
        after = inner(connection, schema)
        if after is not before:
            found.append(after)
        return after

    monkeypatch.setattr(load, "_in_place", counted)
    return found


def test_windows_that_follow_share_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with its own rows."""
    bench = Bench(tmp_path / "x.duckdb", mode=append())
    found = registered(bench, monkeypatch)
    bench.hold_all(rows(("a", 1)), rows(("b", 2)), rows(("c", 3)))
    bench.sink.close()
    assert len(found) == 1
    assert ask(bench.path, "duckdb", WORDS) == [("a", 1), ("b", 2), ("c", 3)]


def test_small_and_large_windows_take_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rows are many here."""
    monkeypatch.setattr(load, "_ROWS_IN_PLACE_MAX", 1)
    bench = Bench(tmp_path / "x.duckdb", mode=append())
    bench.hold_all(rows(("a", 1)), rows(("b", 2), ("c", 3)), rows(("d", 4)), rows(("e", 5)))
    bench.sink.close()
    assert [word for word, _ in ask(bench.path, "duckdb", WORDS)] == ["a", "b", "c", "d", "e"]


def test_a_column_that_comes_later_is_there(tmp_path: Path) -> None:
    """The name belongs to a schema."""
    bench = Bench(tmp_path / "x.duckdb", mode=append(), evolve="add_columns")
    wider = rows(("b", 2)).append_column("note", [["new"]])
    bench.hold_all(rows(("a", 1)), wider, rows(("c", 3)))
    bench.sink.close()
    found = ask(bench.path, "duckdb", "SELECT word, note FROM words ORDER BY word")
    assert found == [("a", None), ("b", "new"), ("c", None)]


def test_a_spool_in_between_takes_the_name_and_gives_it_back(tmp_path: Path) -> None:
    """Its files are read under the same name."""
    small, path = rows(("a", 1)), tmp_path / "part.parquet"
    pyarrow.parquet.write_table(rows(("b", 2)), path)
    spool = Spool((SpoolFile(path, 1),), small.schema)
    found: list[Any] = []
    with sqlalchemy.create_engine("duckdb:///:memory:").connect() as connection:
        for each in (small, spool, small, rows(("c", 3))):
            with load.DuckDbLoad().relation(connection, each) as name:
                found += connection.exec_driver_sql(f"SELECT word FROM {name}").fetchall()
    assert [word for (word,) in found] == ["a", "b", "a", "c"]


def test_columns_may_come_in_another_order(tmp_path: Path) -> None:
    """The next window's schema is its own."""
    bench = Bench(tmp_path / "x.duckdb", mode=append())
    bench.hold_all(rows(("a", 1)), rows(("b", 2)).select(["count", "word"]), rows(("c", 3)))
    bench.sink.close()
    assert ask(bench.path, "duckdb", WORDS) == [("a", 1), ("b", 2), ("c", 3)]


def test_rows_that_are_refused_leave_no_name_behind(tmp_path: Path) -> None:
    """Trial transactions are rolled back, and the name goes with them."""
    bench = Bench(tmp_path / "x.duckdb", mode=append(), dead_letters="rejects")
    bench.hold_all(rows(("a", 1)))
    bench.sink.close()
    with duckdb.connect(str(bench.path)) as connection:
        connection.execute("CREATE UNIQUE INDEX once ON words (word)")
    again = bench.make()
    bench.story.open(again)
    for frame in (rows(("b", 2), ("a", 9), ("c", 3)), rows(("d", 4), ("a", 8)), rows(("e", 5))):
        window = bench.story.window()
        again.prepare(frame.schema)
        again.stage(window, frame)
        again.hold(window)
    again.close()
    assert [word for word, _ in ask(bench.path, "duckdb", WORDS)] == ["a", "b", "c", "d", "e"]
    assert len(ask(bench.path, "duckdb", "SELECT * FROM rejects")) == 2


def test_an_empty_window_does_not_repeat_the_one_before(tmp_path: Path) -> None:
    """Nothing is added."""
    bench = Bench(tmp_path / "x.duckdb", mode=accumulate(["word"], add=["count"]))
    bench.hold_all(rows(("a", 1)), rows().cast(rows(("a", 1)).schema), rows(("a", 1)))
    bench.sink.close()
    assert ask(bench.path, "duckdb", WORDS) == [("a", 2)]


def test_a_statement_that_fails_is_given_its_rows_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a new connection, which knows no name yet."""
    bench = Bench(tmp_path / "x.duckdb", mode=append())
    bench.hold_all(rows(("a", 1)))
    window = bench.stage(rows(("b", 2)))
    with monkeypatch.context() as patch:
        patch.setattr(load, "quote", lambda connection, name: f'"no such column {name}"')
        with pytest.raises(NotHeld):
            bench.sink.hold(window)
    bench.sink.stage(window, rows(("b", 2)))
    bench.sink.hold(window)
    bench.sink.close()
    assert ask(bench.path, "duckdb", WORDS) == [("a", 1), ("b", 2)]
