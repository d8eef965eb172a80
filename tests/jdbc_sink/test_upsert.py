"""upsert: one row for each key, the newest; the same on every database.

What a key's row is, from the rows that came (ts is the order_by column):

    came in one window                  with order_by ts            without
    equal rows                          one                         one
    different, different ts             the greatest ts             refused
    different, the same greatest ts     refused                     refused
    different, all ts NULL              refused                     refused
    different, one ts NULL              the one with a ts           refused
    came in a later window              with order_by ts            without
    a greater ts, the same ts           the later one               the later one
    a smaller ts, NULL after a ts       the stored one stays        the later one
    a ts after NULL, NULL after NULL    the later one               the later one
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest

from jdbc_sink import upsert
from jdbc_sink.effects import Mode
from jdbc_sink.errors import AmbiguousKey, BadValue
from tests.jdbc_sink.windows import DATABASES, Bench

Row = tuple[str | None, int | None, int]
NEWEST = upsert(["word"], order_by="ts")
LATEST = upsert(["word"])
SCHEMA = pyarrow.schema(
    [("word", pyarrow.string()), ("ts", pyarrow.int64()), ("n", pyarrow.int64())]
)

pytestmark = pytest.mark.parametrize("database", DATABASES)


def rows(*given: Row) -> pyarrow.Table:
    """Rows of (word, ts, n)."""
    columns = [list(column) for column in zip(*given, strict=True)] or [[], [], []]
    return pyarrow.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA)


def stored(bench: Bench) -> list[Any]:
    """What is in the table."""
    return bench.ask("SELECT word, ts, n FROM words ORDER BY word")


@pytest.mark.parametrize("rows_per_statement", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("mode", "windows", "expected"),
    [
        (NEWEST, [[("a", 1, 1), ("a", 1, 1)]], [("a", 1, 1)]),
        (NEWEST, [[("a", 2, 1), ("a", 1, 2), ("b", 1, 1)]], [("a", 2, 1), ("b", 1, 1)]),
        (NEWEST, [[("a", 1, 2), ("a", 2, 1), ("a", 2, 1)]], [("a", 2, 1)]),
        (NEWEST, [[("a", None, 2), ("a", -5, 1)]], [("a", -5, 1)]),
        (NEWEST, [[("a", -5, 1), ("a", None, 2)]], [("a", -5, 1)]),
        (NEWEST, [[("a", 1, 1)], [("a", 2, 0)]], [("a", 2, 0)]),
        (NEWEST, [[("a", 1, 1)], [("a", 1, 0)]], [("a", 1, 0)]),
        (NEWEST, [[("a", 2, 1)], [("a", 1, 0)]], [("a", 2, 1)]),
        (NEWEST, [[("a", 2, 1)], [("a", None, 0)]], [("a", 2, 1)]),
        (NEWEST, [[("a", None, 1)], [("a", 1, 0)]], [("a", 1, 0)]),
        (NEWEST, [[("a", None, 1)], [("a", None, 0)]], [("a", None, 0)]),
        (NEWEST, [[], [("a", 1, 1)], []], [("a", 1, 1)]),
        (LATEST, [[("a", 1, 1), ("b", 1, 1), ("a", 1, 1)]], [("a", 1, 1), ("b", 1, 1)]),
        (LATEST, [[("a", None, 1), ("a", None, 1)]], [("a", None, 1)]),
        (LATEST, [[("a", 2, 1)], [("a", 1, 0)]], [("a", 1, 0)]),
        (LATEST, [[("a", 2, 1)], [("a", None, 0)]], [("a", None, 0)]),
    ],
)
def test_the_newest_row_of_a_key_stays(
    tmp_path: Path,
    database: str,
    rows_per_statement: int,
    mode: Mode,
    windows: list[list[Row]],
    expected: list[Row],
) -> None:
    """However few rows a statement takes."""
    bench = Bench(tmp_path / "x.db", database, mode=mode, rows_per_statement=rows_per_statement)
    bench.hold_all(*(rows(*window) for window in windows))
    assert stored(bench) == expected


@pytest.mark.parametrize("rows_per_statement", [1, 2, 100])
@pytest.mark.parametrize(
    ("mode", "window"),
    [
        (NEWEST, [("b", 1, 1), ("a", 1, 1), ("a", 1, 2)]),
        (NEWEST, [("a", 0, 1), ("a", 1, 1), ("b", 7, 7), ("a", 1, 2)]),
        (NEWEST, [("a", None, 1), ("b", 7, 7), ("a", None, 2)]),
        (LATEST, [("a", 1, 1), ("b", 7, 7), ("a", 2, 1)]),
        (LATEST, [("a", 1, 1), ("a", None, 1)]),
    ],
)
def test_different_rows_none_of_which_is_the_newest_are_refused(
    tmp_path: Path, database: str, rows_per_statement: int, mode: Mode, window: list[Row]
) -> None:
    """The key is shown, and nothing is written."""
    bench = Bench(tmp_path / "x.db", database, mode=mode, rows_per_statement=rows_per_statement)
    bench.hold_all(rows(("z", 1, 1)))
    with pytest.raises(AmbiguousKey, match=r"window 2 has several different rows.*word='a'"):
        bench.hold_all(rows(*window))
    assert stored(bench) == [("z", 1, 1)]
    assert bench.ask("SELECT window_id FROM window_ledger") == [(1,)]


def test_where_windows_end_makes_no_difference(tmp_path: Path, database: str) -> None:
    """The same rows in one window, in two and each in its own."""
    came: list[Row] = [("a", 3, 30), ("b", 1, 1), ("a", 4, 40), ("a", 2, 20), ("b", None, 0)]
    for number, ends in enumerate(([5], [2, 5], [3, 5], [1, 2, 3, 4, 5])):
        bench = Bench(tmp_path / f"{number}.db", database, mode=NEWEST)
        bench.hold_all(
            *(rows(*came[start:end]) for start, end in zip([0, *ends], ends, strict=False))
        )
        assert stored(bench) == [("a", 4, 40), ("b", 1, 1)]


def test_null_in_a_key_is_refused_before_anything_is_written(tmp_path: Path, database: str) -> None:
    """The column, its value, the window."""
    bench = Bench(tmp_path / "x.db", database, mode=LATEST)
    with pytest.raises(BadValue, match=r"column word holds NULL in window 1"):
        bench.stage(rows((None, 1, 1)))
    assert stored(bench) == []


def test_a_key_that_is_the_whole_row_keeps_each_row_once(tmp_path: Path, database: str) -> None:
    """Nothing is left to overwrite."""
    bench = Bench(tmp_path / "x.db", database, mode=upsert(["word", "ts", "n"]))
    bench.hold_all(rows(("a", 1, 1), ("a", 1, 1), ("a", 1, 2)), rows(("a", 1, 1)))
    found = bench.ask("SELECT word, ts, n FROM words ORDER BY n")
    assert found == [("a", 1, 1), ("a", 1, 2)]


def test_numbers_of_many_digits_are_ordered_as_numbers(tmp_path: Path, database: str) -> None:
    """9 before 10 before 10.00…01, which differ in no float; -2 before -1."""
    kind = pyarrow.decimal128(38, 20)

    def frame(*given: tuple[str, str, int]) -> pyarrow.Table:
        words, orders, numbers = zip(*given, strict=True)
        order = pyarrow.array(orders, pyarrow.string()).cast(kind)
        return pyarrow.table({"word": list(words), "ts": order, "n": list(numbers)})

    bench = Bench(tmp_path / "x.db", database, mode=NEWEST)
    bench.hold_all(
        frame(("a", "9", 1), ("a", "10", 2), ("b", "-1", 1), ("b", "-2", 2)),
        frame(("a", "10.00000000000000000001", 3), ("b", "-2", 3)),
        frame(("a", "9.9", 4), ("a", "10", 5)),
    )
    found = bench.ask("SELECT word, CAST(ts AS VARCHAR), n FROM words ORDER BY word")
    zeros = "0" * 20
    assert found == [("a", f"10.{zeros[:19]}1", 3), ("b", f"-1.{zeros}", 1)]
