"""Several tables in one transaction: all or nothing, one ledger row."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import duckdb
import pyarrow
import pytest

from jdbc_sink import JdbcSink, accumulate, append, replace_window, sql, upsert
from jdbc_sink.errors import BadValue, TargetUnsuitable
from tests.jdbc_sink.windows import DATABASES, Bench, ask
from windowed import Pipeline
from windowed.errors import TargetLost, WrongOutputs
from windowed.testing import RowsInput
from windowed.testing.sink_contract import SinkContract
from windowed.testing.sink_story import frame
from windowlog import WindowLog
from windowlog.contracts import Sink
from windowlog.errors import BadArgument, NotHeld

TABLES = {"words": accumulate(["word"], add=["n"]), "log": replace_window(column="window")}
TABLE_NAMES = {
    "duckdb": "SELECT table_name FROM information_schema.tables",
    "sqlite": "SELECT name FROM sqlite_master",
}
both = pytest.mark.parametrize("database", DATABASES)


def count_and_log(rows: pyarrow.Table) -> dict[str, dict[str, pyarrow.Table]]:
    """Frames for both tables."""
    return {"out": {"log": rows, "words": rows}}


def pipeline(path: Path, database: str, transform: Any = count_and_log, **more: Any) -> Pipeline:
    """Two windows into two tables."""
    windows = [[("a", 1), ("b", 2)], [("a", 3)]]
    return Pipeline(
        "tables",
        inputs={"rows": RowsInput(windows, schema="word string, n bigint")},
        sinks={"out": JdbcSink(f"{database}:///{path}", tables=TABLES)},
        transform=transform,
        **more,
    )


@both
def test_a_pipeline_fills_several_tables(tmp_path: Path, database: str) -> None:
    """Each in its mode; the ledger has one row, which names them."""
    path = tmp_path / "x.db"
    pipeline(path, database, log=WindowLog.in_memory()).run(None, progress=False)
    assert ask(path, database, "SELECT word, n FROM words ORDER BY word") == [("a", 4), ("b", 2)]
    logged = ask(path, database, 'SELECT "window", word, n FROM log ORDER BY 1, 2')
    assert logged == [(1, "a", 1), (1, "b", 2), (2, "a", 3)]
    assert ask(path, database, "SELECT window_id, target, mode FROM window_ledger") == [
        (
            2,
            "tables log, words",
            "log: replace_window in window; words: accumulate by word: sum n",
        )
    ]


@both
@pytest.mark.parametrize("gone", ["words", "log"])
def test_a_table_that_is_gone_is_missed_at_the_next_start(
    tmp_path: Path, database: str, gone: str
) -> None:
    """Each of them."""
    path, log = tmp_path / "x.db", WindowLog.in_memory()
    first = pipeline(path, database, log=log)
    first.run(None, progress=False)
    ask(path, database, f"DROP TABLE {gone}")
    with pytest.raises(TargetLost):
        first.run(None, progress=False)


@both
def test_when_the_second_table_fails_the_first_is_rolled_back(
    tmp_path: Path, database: str
) -> None:
    """And so is the ledger; the same window is held when it is well again."""
    bench = Bench(tmp_path / "x.db", database, tables=TABLES)
    frames = {"words": frame(("a", 1)), "log": frame(("a", 1))}
    window = bench.stage(frames)
    for table in TABLES:
        bench.ask(f"ALTER TABLE {table} RENAME TO aside")
        bench.sink.stage(window, frames)
        with pytest.raises(NotHeld):
            bench.sink.hold(window)
        bench.ask(f"ALTER TABLE aside RENAME TO {table}")
        assert bench.ask("SELECT * FROM words") == bench.ask("SELECT * FROM log") == []
        assert bench.ask("SELECT window_id FROM window_ledger") == [(0,)]
    bench.sink.stage(window, frames)
    bench.sink.hold(window)
    assert bench.ask("SELECT count(*) FROM words, log, window_ledger") == [(1,)]


@both
def test_a_value_that_one_table_refuses_stops_the_window(tmp_path: Path, database: str) -> None:
    """NULL in a key of the one; the other would take it."""
    bench = Bench(tmp_path / "x.db", database, tables=TABLES)
    null = pyarrow.table({"word": pyarrow.array([None], pyarrow.string()), "n": [1]})
    with pytest.raises(BadValue, match="column word holds NULL"):
        bench.stage({"log": null, "words": null})
    assert bench.ask("SELECT * FROM log") == []


@both
def test_what_is_wrong_with_all_tables_is_one_error(tmp_path: Path, database: str) -> None:
    """And neither is made; nor is a good one beside a bad one."""
    bench = Bench(
        tmp_path / "x.db", database, tables={**TABLES, "own": sql("SELECT * FROM {rows}")}
    )
    frames = dict.fromkeys(("log", "words", "own"), pyarrow.table({"n": [1], "window": [2]}))
    with pytest.raises(TargetUnsuitable) as refused:
        bench.prepare(frames)
    for finding in (
        "words: the frame has no column word",
        "log: column window is in the frame",
        "own: it is not there",
    ):
        assert finding in str(refused.value)
    bench.ask("CREATE TABLE log (word TEXT)")
    with pytest.raises(TargetUnsuitable, match="Table log and own cannot"):
        bench.prepare(dict.fromkeys(frames, frame()))
    assert ("words",) not in bench.ask(TABLE_NAMES[database])


@both
def test_a_refused_change_leaves_what_was_prepared_before(tmp_path: Path, database: str) -> None:
    """The old frames go on."""
    bench = Bench(tmp_path / "x.db", database, tables=TABLES)
    good = {"words": frame(("a", 1)), "log": frame(("a", 1))}
    bench.hold_all(good)
    with pytest.raises(TargetUnsuitable):
        bench.prepare({**good, "log": pyarrow.table({"other": [1]})})
    bench.hold_all(good)
    assert bench.ask("SELECT n FROM words") == [(2,)]


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (lambda rows: rows, "Table for sink out"),
        (lambda rows: {"out": rows}, "Table for sink out"),
        (lambda rows: {"words": rows, "log": rows}, "frames for"),
        (lambda rows: {"out": {"words": rows}}, r"frames of tables \['words'\]"),
        (
            lambda rows: {"out": {"words": rows, "Log": rows}},
            r"frames of tables \['Log', 'words'\]",
        ),
        (lambda rows: {"out": {"words": rows, "log": 3}}, "int for sink out"),
    ],
)
def test_a_transform_that_returns_something_else_is_told(
    tmp_path: Path, returned: Any, said: str
) -> None:
    """What it gave, and what is needed; nothing is written."""
    path = tmp_path / "x.db"
    wrong = pipeline(path, "sqlite", returned, log=WindowLog.in_memory())
    with pytest.raises(WrongOutputs, match=said):
        wrong.run(None, progress=False)
    assert ask(path, "sqlite", "SELECT window_id FROM window_ledger") in ([], [(0,)])


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"tables": {}}, "tables"),
        ({"tables": ["words"]}, "tables"),
        ({"tables": {"words": append(), "Words": append()}}, "tables"),
        ({"tables": {"a.b.c": append()}}, "tables"),
        ({"tables": {"": append()}}, "tables"),
        ({"tables": {"words": "append"}}, r"tables\['words'\]"),
        ({"tables": {"words": append}}, r"tables\['words'\]"),
        ({"tables": {"words": append()}, "table": "words"}, "table"),
        ({"tables": {"words": append()}, "mode": append()}, "mode"),
        ({"tables": {"words": append(), "Window_Ledger": append()}}, "table"),
        ({}, "table"),
        ({"table": "words", "mode": append}, "mode"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], argument: str) -> None:
    """On construction."""
    with pytest.raises(BadArgument, match=f"^{argument}="):
        JdbcSink("sqlite:///x.db", **arguments)


def test_the_order_of_tables_makes_no_other_sink() -> None:
    """The ledger compares what it is, not how it was written."""
    one = JdbcSink("sqlite:///x.db", tables={"a": append(), "b": upsert(["k"])})
    other = JdbcSink("sqlite:///x.db", tables={"b": upsert(["k"]), "a": append()})
    assert one.identity() == other.identity()


class OfOneFrame:
    """A sink of two tables, which takes one frame for both: as the contract's tests give it."""

    def __init__(self, sink: JdbcSink) -> None:
        self._sink = sink

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sink, name)

    def prepare(self, schema: Any) -> None:
        """For both tables."""
        self._sink.prepare({"words": schema, "log": schema})

    def stage(self, window: Any, rows: Any) -> None:
        """For both tables."""
        self._sink.stage(window, {"words": rows, "log": rows})


class TestSqliteTables(SinkContract):
    """Both tables always have the same rows."""

    database = "sqlite"

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """A database file that is not there yet."""
        return tmp_path / "x.db"

    def sink(self, place: Any) -> Sink:
        """Two tables."""
        sink = JdbcSink(f"{self.database}:///{place}", tables=TABLES)
        return cast(Sink, OfOneFrame(sink))

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """Of the one; the other must have them too."""
        if not place.exists():
            return []
        tables = ask(place, self.database, TABLE_NAMES[self.database])
        if ("words",) not in tables:
            return []
        words = ask(place, self.database, "SELECT word, n FROM words ORDER BY word, n")
        assert ask(place, self.database, "SELECT word, n FROM log ORDER BY word, n") == words
        return words


class TestDuckDbTables(TestSqliteTables):
    """On DuckDB."""

    database = "duckdb"


@both
@pytest.mark.parametrize("names", [("words", "main.words"), ("Main.WORDS", "words")])
def test_a_table_named_with_its_schema_and_without_is_one_table(
    tmp_path: Path, database: str, names: tuple[str, str]
) -> None:
    """Its rows would be written by two modes. Nothing is created."""
    path = tmp_path / "x.db"
    bench = Bench(path, database, tables=dict.fromkeys(names, append()))
    schema = pyarrow.schema([("word", pyarrow.string())])
    with pytest.raises(TargetUnsuitable, match=f"Table {names[1]} .*it is table {names[0]}"):
        bench.sink.prepare(dict.fromkeys(names, schema))
    assert ("words",) not in bench.ask(TABLE_NAMES[database])


def test_tables_of_one_name_in_two_schemas_are_two(tmp_path: Path) -> None:
    """Each takes its own rows."""
    path = tmp_path / "x.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA old")
    bench = Bench(path, "duckdb", tables={"words": append(), "old.words": append()})
    schema = pyarrow.schema([("word", pyarrow.string())])
    bench.sink.prepare({"words": schema, "old.words": schema})
    found = bench.ask("SELECT schema_name FROM duckdb_tables() WHERE table_name = 'words'")
    assert sorted(found) == [("main",), ("old",)]
