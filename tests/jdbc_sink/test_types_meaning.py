"""What types mean beyond storing: which existing columns take them, how they compare, add and
match, and that the documentation says so."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from jdbc_sink import accumulate, upsert
from jdbc_sink.effects import Mode
from jdbc_sink.errors import TargetUnsuitable
from tests.jdbc_sink.typed import (
    DOUBLE,
    DURATION,
    INT32,
    INT64,
    NAIVE,
    NAN,
    STRING,
    ZONED,
    Refused,
    given,
    has_instant,
    instant,
    naive,
)
from tests.jdbc_sink.typed_parts import CASES
from tests.jdbc_sink.windows import DATABASES, Bench, ask

MONEY = pyarrow.decimal128(10, 2)
LIST = pyarrow.list_(INT32)
MOMENT = naive(2024, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("kind", "value", "declared", "stored"),
    [
        (INT32, 5, "BIGINT", 5),
        (INT32, 5, "NUMERIC", 5),
        (INT32, 5, "", 5),
        (INT32, 5, "REAL", None),
        (INT32, 5, "TEXT", None),
        (INT32, 5, "BOOLEAN", None),
        (pyarrow.bool_(), True, "INTEGER", 1),
        (DOUBLE, 1.0, "FLOAT", 1.0),
        (DOUBLE, 1.0, "BLOB", 1.0),
        (DOUBLE, 1.0, "NUMERIC", None),
        (DOUBLE, 1.0, "FLOATING POINT", None),  # INT is in it, and so it would hold integers
        (MONEY, Decimal("1.50"), "TEXT", "1.50"),
        (MONEY, Decimal("1.50"), "DECIMAL_TEXT(12,2)", "1.50"),
        (MONEY, Decimal("1.50"), "DECIMAL_TEXT(12,3)", None),
        (MONEY, Decimal("1.50"), "DECIMAL_TEXT(8,2)", None),
        (MONEY, Decimal("1.50"), "DECIMAL(10,2)", None),
        (STRING, "05", "VARCHAR(1)", "05"),
        (STRING, "05", "NUMERIC", None),
        (STRING, "05", "JSON", None),
        (STRING, "05", "DECIMAL_TEXT(3,0)", None),
        (pyarrow.date32(), date(2024, 1, 2), "TEXT", "2024-01-02"),
        (pyarrow.date32(), date(2024, 1, 2), "DATETIME", None),
        (NAIVE, MOMENT, "TIMESTAMP", "2024-01-02 03:04:05.000000"),
        (NAIVE, MOMENT, "TIMESTAMP_UTC_TEXT", None),
        (ZONED, MOMENT, "TEXT", "2024-01-02 03:04:05.000000+00:00"),
        (ZONED, MOMENT, "DATETIME", None),
        (DURATION, timedelta(seconds=1), "INTEGER", 1_000_000),
        (INT64, 5, "INTERVAL_MICROSECONDS", None),
        (LIST, [5], "TEXT", "[5]"),
        (LIST, [5], "NUMERIC", "[5]"),
        (LIST, [5], "INTEGER", None),
    ],
    ids=str,
)
def test_an_existing_column_of_sqlite_takes_what_it_keeps(
    tmp_path: Path, kind: pyarrow.DataType, value: Any, declared: str, stored: Any
) -> None:
    """By its affinity, as SQLite itself then shows; and never two meanings in one column."""
    path = tmp_path / "x.db"
    ask(path, "sqlite", f"CREATE TABLE words (x {declared})")
    bench = Bench(path, "sqlite")
    rows = pyarrow.table({"x": pyarrow.array([value], kind)})
    if stored is None:
        with pytest.raises(TargetUnsuitable, match="column x is "):
            bench.stage(rows)
        return
    bench.hold_all(rows)
    assert repr(bench.ask("SELECT x FROM words")) == repr([(stored,)])


@pytest.mark.parametrize(
    ("database", "kind", "mode"),
    [
        ("sqlite", LIST, upsert(["key"], order_by="x")),
        ("sqlite", pyarrow.struct([("a", INT32)]), accumulate(["key"], max=["x"])),
        ("sqlite", LIST, accumulate(["key"], min=["x"])),
        ("duckdb", pyarrow.map_(STRING, INT32), accumulate(["key"], max=["x"])),
    ],
    ids=str,
)
def test_what_has_no_order_is_refused_where_a_mode_compares(
    tmp_path: Path, database: str, kind: pyarrow.DataType, mode: Mode
) -> None:
    """As text, [10] is less than [9]."""
    bench = Bench(tmp_path / "x.db", database, mode=mode)
    schema = pyarrow.schema([("key", INT32), ("x", kind)])
    with pytest.raises(TargetUnsuitable, match=r"column x is .*, which has no least and greatest"):
        bench.sink.prepare(schema)


@pytest.mark.parametrize("database", DATABASES)
def test_intervals_add_up_and_compare_as_numbers_do(tmp_path: Path, database: str) -> None:
    """Also those below zero, and as long as more than a day."""
    mode = accumulate(["key"], add=["total"], min=["low"], max=["high"])
    bench = Bench(tmp_path / "x.db", database, mode=mode)
    # The first two in one window.
    lengths = [timedelta(hours=-1), timedelta(days=10), timedelta(days=9, microseconds=1)]
    for part in (lengths[:2], lengths[2:]):
        column = pyarrow.array(part, DURATION)
        names = ("total", "low", "high")
        keys = {"key": [1] * len(part)}
        bench.hold_all(pyarrow.table({**keys, **dict.fromkeys(names, column)}))
    total, low, high = timedelta(days=18, hours=23, microseconds=1), lengths[0], lengths[1]
    expected = [(total, low, high)]
    if database == "sqlite":
        # 18 * 86400 + 23 * 3600 seconds.
        expected = [(1_638_000_000_001, -3_600_000_000, 864_000_000_000)]  # type: ignore[list-item]
    assert bench.ask("SELECT total, low, high FROM words") == expected


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (accumulate(["word"], min=["text"], max=["n"]), ("B", 2)),
        (accumulate(["word"], last=["n"], order_by="text"), ("a", 2)),
        (upsert(["word"], order_by="text"), ("a", 2)),
    ],
)
@pytest.mark.parametrize("windows", [["a", "B"], ["B", "a"], ["aB"]])
def test_texts_compare_as_in_spark_whatever_the_tables_collation(
    tmp_path: Path, database: str, mode: Mode, expected: Any, windows: list[str]
) -> None:
    """In one window or in two: NOCASE has B after a, Spark before it."""
    columns = "word VARCHAR PRIMARY KEY, text VARCHAR COLLATE NOCASE, n BIGINT"
    ask(tmp_path / "x.db", database, f"CREATE TABLE words ({columns})")
    bench = Bench(tmp_path / "x.db", database, mode=mode)
    numbers = {"a": 2, "B": 1}
    for texts in map(list, windows):
        rows = {"word": ["w"] * len(texts), "text": texts, "n": [numbers[each] for each in texts]}
        bench.hold_all(pyarrow.table(rows))
    assert bench.ask("SELECT text, n FROM words") == [expected]


@pytest.mark.parametrize("database", DATABASES)
def test_instants_compare_whatever_zone_they_came_in(tmp_path: Path, database: str) -> None:
    """The second half past one of that night is the later one."""
    bench = Bench(tmp_path / "x.db", database, mode=upsert(["n"], order_by="x"))
    moments = {
        "America/New_York": instant(2024, 11, 3, 6, 30),
        "Asia/Kathmandu": instant(2024, 11, 3, 5, 30),
    }
    for zone, moment in moments.items():
        kind = pyarrow.timestamp("us", zone)
        bench.hold_all(pyarrow.table({"n": [1], "x": pyarrow.array([moment], kind)}))
    expected = {"duckdb": "2024-11-03 06:30:00+00", "sqlite": "2024-11-03 06:30:00.000000+00:00"}
    assert given(bench, "x", ZONED) == [expected[database]]


def test_zeros_of_both_signs_are_one_key_of_duckdb_and_so_are_all_nans(tmp_path: Path) -> None:
    """As DuckDB compares, and shows the one that they are."""
    bench = Bench(tmp_path / "x.duckdb", mode=accumulate(["x"], add=["n"]))
    for value in (-0.0, 0.0, NAN, NAN):
        bench.hold_all(pyarrow.table({"x": [value], "n": [1]}))
    found = bench.ask("SELECT x, n FROM words ORDER BY x")
    assert repr(found) == "[(0.0, 2), (nan, 2)]"


def test_sqlite_itself_reads_the_json(tmp_path: Path) -> None:
    """Valid, as short as its own, and with each value at its path."""
    parted = [case for case in CASES if pyarrow.types.is_nested(case.kind)]
    for number, case in enumerate(parted):
        if isinstance(case.sqlite, Refused):
            continue
        bench = Bench(tmp_path / f"{number}.db", "sqlite")
        bench.hold_all(pyarrow.table({"x": pyarrow.array([case.value], case.kind)}))
        query = "SELECT json_valid(x), x = json(x) FROM words"
        assert bench.ask(query) == [(1, 1)], case.name


def test_the_documentation_shows_what_the_databases_give(tmp_path: Path) -> None:
    """Each line of the table, asked of both."""
    lines = [
        "| Spark | for example | DuckDB | gives | SQLite | gives |",
        "|---|---|---|---|---|---|",
    ]
    for number, case in enumerate(case for case in CASES if case.told):
        cells = [code(case.spark), code(case.expression)]
        rows = pyarrow.table({"n": [1], "x": pyarrow.array([case.value], case.kind)})
        for database in DATABASES:
            bench = Bench(tmp_path / f"{number}.{database}", database)
            refused = isinstance(getattr(case, database), Refused)
            bench.prepare(rows)
            kind = column_type(bench)
            if refused:
                cells += [code(kind), f"refused: {getattr(case, database).reason}"]
                continue
            bench.hold_all(rows)
            value = given(bench, "x", case.kind)[0]
            plain = database == "duckdb" and has_instant(case.kind)
            cells += [code(kind), code(value if plain else repr(value))]
        lines.append(f"| {' | '.join(cells)} |")
    text = (Path(__file__).parents[2] / "docs" / "sql.md").read_text()
    section = text.partition("\n## Types\n")[2].partition("\n## ")[0]
    assert [line for line in section.splitlines() if line.startswith("|")] == lines


def column_type(bench: Bench) -> str:
    """As the database says."""
    if bench.database == "duckdb":
        query = "SELECT data_type FROM duckdb_columns() WHERE column_name = 'x'"
    else:
        query = "SELECT type FROM pragma_table_info('words') WHERE name = 'x'"
    return str(bench.ask(query)[0][0])


def code(text: str) -> str:
    """As code inside a table."""
    return "`" + text.replace("|", "\\|").replace("`", "") + "`"
