"""The target: created with the key it needs, or checked, with all findings in one error."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from jdbc_sink import accumulate, append
from jdbc_sink.errors import TargetUnsuitable
from jdbc_sink.modes import Mode
from jdbc_sink.columns import fits
from tests.jdbc_sink.windows import Bench
from windowed.testing.sink_contract import SCHEMA

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


@pytest.mark.parametrize(
    ("source", "target", "answer"),
    [
        ("BIGINT", "BIGINT", True),
        ("INTEGER", "BIGINT", True),
        ("BIGINT", "INTEGER", False),
        ("FLOAT", "DOUBLE", True),
        ("DOUBLE", "FLOAT", False),
        ("BIGINT", "DOUBLE", False),
        ("DECIMAL(10,2)", "DECIMAL(12,2)", True),
        ("DECIMAL(10,2)", "DECIMAL(12,4)", True),
        ("DECIMAL(10,2)", "DECIMAL(10,4)", False),
        ("DECIMAL(10,2)", "DECIMAL(12,1)", False),
        ("INTEGER", "VARCHAR", False),
        ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", False),
    ],
)
def test_a_type_fits_when_no_value_changes(source: str, target: str, answer: bool) -> None:
    """Integers, floats and decimals may widen, nothing else."""
    assert fits(source, target) is answer
