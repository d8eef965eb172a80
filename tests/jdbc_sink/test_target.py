"""The target: created with the key it needs, or checked, with all findings in one error."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from jdbc_sink import JdbcSink, accumulate, append
from jdbc_sink.errors import TargetUnsuitable
from jdbc_sink.modes import Mode
from tests.jdbc_sink.windows import Bench
from windowed.testing.sink_story import SCHEMA
from windowlog.errors import BadArgument

COUNT = accumulate(["word"], add=["n"])


@pytest.mark.parametrize(
    ("statement", "mode", "findings"),
    [
        ("CREATE TABLE words (word VARCHAR)", append(), ["column n (BIGINT) is missing"]),
        (
            "CREATE TABLE words (word INTEGER, n INTEGER)",
            append(),
            ["column word is INTEGER and the frame's is VARCHAR", "column n is INTEGER"],
        ),
        (
            "CREATE TABLE words (word VARCHAR, n BIGINT, x INTEGER NOT NULL)",
            append(),
            ["column x is NOT NULL and not in the frame"],
        ),
        (
            "CREATE TABLE words (word VARCHAR, n BIGINT)",
            COUNT,
            ["no primary key or unique constraint on exactly (word)"],
        ),
        (
            "CREATE TABLE words (word VARCHAR, n BIGINT, PRIMARY KEY (word, n))",
            COUNT,
            ["no primary key or unique constraint on exactly (word)"],
        ),
        (
            "CREATE TABLE words (word VARCHAR COLLATE NOCASE PRIMARY KEY, n BIGINT)",
            COUNT,
            ["collation of column word makes distinct keys equal"],
        ),
        ("CREATE VIEW words AS SELECT 'a' AS word, 1::BIGINT AS n", append(), ["it is a view"]),
    ],
)
def test_a_table_that_cannot_take_the_rows_is_refused(
    tmp_path: Path, statement: str, mode: Mode, findings: list[str]
) -> None:
    """Every finding is said, and the table is left as it is."""
    bench = Bench(tmp_path / "x.duckdb", mode=mode)
    bench.ask(statement)
    with pytest.raises(TargetUnsuitable) as refused:
        bench.sink.prepare(SCHEMA)
    for finding in findings:
        assert finding in str(refused.value)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE words (word VARCHAR, n BIGINT)",
        "CREATE TABLE words (id INTEGER DEFAULT 7, n HUGEINT, word VARCHAR)",
    ],
)
def test_a_suitable_table_is_used_as_it_is(tmp_path: Path, statement: str) -> None:
    """Wider types, other order, columns with defaults."""
    bench = Bench(tmp_path / "x.duckdb")
    bench.ask(statement)
    bench.hold(("a", 1))
    assert bench.ask("SELECT word, n FROM words") == [("a", 1)]


def test_a_unique_constraint_serves_as_the_key(tmp_path: Path) -> None:
    """It need not be the primary key."""
    bench = Bench(tmp_path / "x.duckdb", mode=COUNT)
    bench.ask("CREATE TABLE words (n BIGINT, word VARCHAR UNIQUE)")
    bench.hold(("a", 1))
    bench.hold(("a", 2))
    assert bench.ask("SELECT word, n FROM words") == [("a", 3)]


def test_what_is_wrong_with_the_frame_is_said_before_a_table_is_made(tmp_path: Path) -> None:
    """A lacking column, and one too many; before that, one that is there twice but for case."""
    bench = Bench(tmp_path / "x.duckdb", mode=COUNT)
    cases = (
        (("word", "x"), ["no column n", "column x is neither"]),
        (("n", "N"), ["column n twice"]),
    )
    for names, findings in cases:
        with pytest.raises(TargetUnsuitable) as refused:
            bench.sink.prepare(pyarrow.schema([(name, pyarrow.int64()) for name in names]))
        for finding in findings:
            assert finding in str(refused.value)
    assert bench.ask("SHOW TABLES") == [("window_ledger",)]


def test_a_schema_is_part_of_the_name(tmp_path: Path) -> None:
    """Table and ledger may stand in another schema, which must be there."""
    bench = Bench(tmp_path / "x.duckdb", table="words")
    bench.ask("CREATE SCHEMA other")
    elsewhere = Bench(tmp_path / "x.duckdb", table="other.words", ledger_table="other.ledger")
    elsewhere.hold(("a", 1))
    assert elsewhere.ask("SELECT word, n FROM other.words") == [("a", 1)]
    assert elsewhere.ask("SELECT window_id FROM other.ledger") == [(1,)]


@pytest.mark.parametrize("name", ["WORDS", "Words"])
def test_names_are_compared_as_the_database_does(tmp_path: Path, name: str) -> None:
    """DuckDB knows no case: another spelling is the same table, and the same columns."""
    bench = Bench(tmp_path / "x.duckdb", mode=COUNT)
    bench.ask(f"CREATE TABLE {name} (Word VARCHAR PRIMARY KEY, N BIGINT)")
    bench.hold(("a", 1))
    bench.hold(("a", 2))
    assert bench.ask("SELECT word, n FROM words") == [("a", 3)]


def test_a_schema_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    """It is not made: it may be a slip of the pen."""
    bench = Bench(tmp_path / "x.duckdb", table="nope.words")
    with pytest.raises(TargetUnsuitable, match="there is no schema nope: create it first"):
        bench.sink.prepare(SCHEMA)


@pytest.mark.parametrize(
    ("statement", "column"),
    [
        ("word VARCHAR COLLATE NOCASE", "word"),
        ('"Wo""rd" VARCHAR COLLATE NOACCENT', 'Wo"rd'),
        ("word VARCHAR COLLATE NOCASE.NOACCENT", "word"),
        ("word VARCHAR COLLATE NFC", "word"),
    ],
)
def test_a_key_whose_collation_makes_distinct_keys_equal_is_refused(
    tmp_path: Path, statement: str, column: str
) -> None:
    """Whatever it is called: the database is asked whether texts that differ are equal."""
    mode = accumulate([column], add=["n"])
    bench = Bench(tmp_path / "x.duckdb", mode=mode)
    bench.ask(f"CREATE TABLE words ({statement} PRIMARY KEY, n BIGINT)")
    schema = pyarrow.schema([(column, pyarrow.string()), ("n", pyarrow.int64())])
    with pytest.raises(TargetUnsuitable, match=f"collation of column {column}"):
        bench.sink.prepare(schema)


def test_a_collation_elsewhere_does_no_harm(tmp_path: Path) -> None:
    """A column that is no key, or only called like one."""
    bench = Bench(tmp_path / "x.duckdb", mode=COUNT)
    bench.ask(
        "CREATE TABLE words (word VARCHAR PRIMARY KEY, n BIGINT,"
        " note VARCHAR COLLATE NOCASE DEFAULT 'COLLATE NOCASE')"
    )
    bench.hold(("a", 1), ("A", 2), ("á", 4))
    found = bench.ask("SELECT word, n FROM words ORDER BY n")
    assert found == [("a", 1), ("A", 2), ("á", 4)]


def test_what_cannot_be_added_is_a_finding(tmp_path: Path) -> None:
    """Text, truth; before a table is made."""
    mode = accumulate(["word"], add=["n", "m"])
    bench = Bench(tmp_path / "x.duckdb", mode=mode)
    text, truth = pyarrow.string(), pyarrow.bool_()
    schema = pyarrow.schema([("word", text), ("n", text), ("m", truth)])
    with pytest.raises(TargetUnsuitable) as refused:
        bench.sink.prepare(schema)
    for finding in ("n is VARCHAR, which cannot be added", "m is BOOLEAN, which cannot be added"):
        assert finding in str(refused.value)
    assert bench.ask("SHOW TABLES") == [("window_ledger",)]


def test_a_key_that_the_database_cannot_index_is_a_finding(tmp_path: Path) -> None:
    """In its own words."""
    bench = Bench(tmp_path / "x.duckdb", mode=COUNT)
    schema = pyarrow.schema([("word", pyarrow.list_(pyarrow.int8())), ("n", pyarrow.int64())])
    with pytest.raises(TargetUnsuitable, match=r"(?i)index"):
        bench.sink.prepare(schema)


def test_sums_have_room_in_a_new_table(tmp_path: Path) -> None:
    """They outgrow their summands."""
    bench = Bench(tmp_path / "x.duckdb", mode=accumulate(["word"], add=["n"]))
    for _ in range(2):
        rows = pyarrow.table({"word": ["a"], "n": pyarrow.array([2**31 - 1], pyarrow.int32())})
        bench.sink.hold(bench.stage(rows))
    assert bench.ask("SELECT n FROM words") == [(2**32 - 2,)]


def test_rows_and_ledger_need_a_table_each() -> None:
    """On construction, also where they differ in case only."""
    with pytest.raises(BadArgument, match=r"^table='window_ledger'"):
        JdbcSink("duckdb:///:memory:", table="window_ledger")
    for table, ledger in (("Words", "words"), ("a.b", "A.B")):
        with pytest.raises(BadArgument, match=r"^table="):
            JdbcSink("duckdb:///:memory:", table=table, ledger_table=ledger)
