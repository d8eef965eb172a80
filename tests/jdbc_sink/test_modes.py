"""append and accumulate, with DuckDB's own answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest

from jdbc_sink import accumulate, append
from jdbc_sink.errors import BadValue
from tests.jdbc_sink.windows import Bench
from windowlog.errors import BadArgument, NotHeld

ALL = accumulate(["word"], add=["n"], min=["low"], max=["high"])


def numbers(*rows: tuple[str | None, int | None, int | None, int | None]) -> pyarrow.Table:
    """Rows of (word, n, low, high)."""
    columns = list(zip(*rows, strict=True))
    schema = pyarrow.schema(
        [("word", pyarrow.string()), *((name, pyarrow.int64()) for name in ("n", "low", "high"))]
    )
    return pyarrow.table(dict(zip(schema.names, columns, strict=True)), schema=schema)


def held(bench: Bench, *frames: pyarrow.Table) -> list[Any]:
    """What is in the table after a window for each frame."""
    for frame in frames:
        bench.sink.hold(bench.stage(frame))
    return bench.ask("SELECT * FROM words ORDER BY word")


def test_append_keeps_duplicates_in_a_table_without_a_key(tmp_path: Path) -> None:
    """Equal rows, in one window and in two."""
    bench = Bench(tmp_path / "x.duckdb", mode=append())
    bench.hold(("a", 1), ("a", 1))
    bench.hold(("a", 1))
    assert bench.ask("SELECT word, n FROM words") == [("a", 1)] * 3


@pytest.mark.parametrize("rows_per_statement", [1, 2, 3, 100])
def test_all_statements_of_a_window_are_one_transaction(
    tmp_path: Path, rows_per_statement: int
) -> None:
    """However many rows each takes: all rows, or none when the last one fails."""
    bench = Bench(tmp_path / "x.duckdb", rows_per_statement=rows_per_statement)
    bench.hold(("a", 1), ("b", 2), ("c", 3))
    bench.ask("CREATE UNIQUE INDEX once ON words (word)")
    with pytest.raises(NotHeld):
        bench.hold(("d", 4), ("e", 5), ("a", 6))
    found = bench.ask("SELECT word, n, (SELECT window_id FROM window_ledger) FROM words ORDER BY n")
    assert found == [("a", 1, 1), ("b", 2, 1), ("c", 3, 1)]


def test_accumulate_combines_inside_a_window_and_across_windows(tmp_path: Path) -> None:
    """DuckDB keeps the first of two equal keys in one upsert: they are combined before it."""
    bench = Bench(tmp_path / "x.duckdb", mode=ALL)
    first = numbers(("a", 1, 5, 5), ("a", 2, 3, 9), ("b", 10, 1, 1))
    second = numbers(("a", 4, 4, 4), ("c", 0, 0, 0))
    assert held(bench, first, second) == [("a", 7, 3, 9), ("b", 10, 1, 1), ("c", 0, 0, 0)]


def test_null_is_no_value_in_accumulated_columns(tmp_path: Path) -> None:
    """NULL and 3 make 3, in either order; NULL and NULL stay NULL."""
    bench = Bench(tmp_path / "x.duckdb", mode=ALL)
    first = numbers(("a", None, None, 3), ("b", 3, 3, None), ("c", None, None, None))
    second = numbers(("a", 3, 3, None), ("b", None, None, 3), ("c", None, None, None))
    three = [("a", 3, 3, 3), ("b", 3, 3, 3), ("c", None, None, None)]
    assert held(bench, first, second) == three


def test_null_in_a_key_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """The column, its value, the window."""
    bench = Bench(tmp_path / "x.duckdb", mode=ALL)
    with pytest.raises(BadValue, match=r"column word holds NULL in window 1"):
        bench.stage(numbers((None, 1, 1, 1)))
    assert bench.ask("SELECT window_id FROM window_ledger") == [(0,)]
    assert bench.ask("SELECT * FROM words") == []


def test_a_sum_that_overflows_is_not_held(tmp_path: Path) -> None:
    """The window is rolled back whole; nothing is cut off."""
    bench = Bench(tmp_path / "x.duckdb", mode=accumulate(["word"], add=["n"]))
    bench.hold(("a", 2**63 - 1))
    with pytest.raises(Exception, match=r"(?i)overflow|out of range"):
        bench.hold(("b", 1), ("a", 1))
    assert bench.ask("SELECT * FROM words") == [("a", 2**63 - 1)]


def test_a_key_of_two_columns_and_names_that_are_words_of_sql(tmp_path: Path) -> None:
    """Reserved, mixed case, quoted, with a semicolon: all inert."""
    evil = 'x"; DROP TABLE words; --'
    mode = accumulate(["Select", evil], add=["group"])
    bench = Bench(tmp_path / "x.duckdb", mode=mode, table='ord"er')
    columns = {"Select": ["k", "k"], evil: ["v", "v"], "group": [1, 2]}
    bench.sink.hold(bench.stage(pyarrow.table(columns)))
    assert bench.ask('SELECT * FROM "ord""er"') == [("k", "v", 3)]


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"key": [], "add": ["n"]}, "key"),
        ({"key": "word", "add": ["n"]}, "key"),
        ({"key": ["word"]}, "add"),
        ({"key": ["word"], "add": "n"}, "add"),
        ({"key": ["word"], "min": [1]}, "min"),
        ({"key": ["word"], "max": [""]}, "max"),
        ({"key": ["n"], "add": ["N"]}, "accumulate"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], argument: str) -> None:
    """On construction."""
    with pytest.raises(BadArgument, match=f"^{argument}="):
        accumulate(**arguments)


def test_a_mode_describes_itself_for_the_ledger() -> None:
    """Independent of the order in which columns were named."""
    assert append().describe() == "append"
    assert ALL.describe() == "accumulate by word: max high, min low, sum n"
