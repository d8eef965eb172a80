"""Values arrive unchanged, or the frame is refused by name before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as some

from jdbc_sink import JdbcSink, accumulate
from jdbc_sink.errors import TargetUnsuitable
from tests.jdbc_sink.windows import Bench
from windowed.testing.sink_story import Story

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def naive(*numbers: int) -> datetime:
    """A moment without a zone."""
    return datetime(*numbers, tzinfo=UTC).replace(tzinfo=None)  # type: ignore[arg-type,misc]


NEVER = naive(9999, 12, 31, 23, 59, 59, 999_999)
# Arrow type -> values that a careless path would change: by float, by zone, by encoding, by range.
VALUES: list[tuple[pyarrow.DataType, list[Any]]] = [
    (pyarrow.decimal128(38, 9), [Decimal("12345678901234567890123456789.123456789"), None]),
    (pyarrow.decimal128(38, 0), [Decimal("9" * 38), Decimal("-" + "9" * 38)]),
    (pyarrow.decimal128(18, 18), [Decimal("0.000000000000000001")]),
    (pyarrow.timestamp("us"), [NEVER, naive(1, 1, 1), naive(1900, 2, 28, 1, 2, 3, 4)]),
    (pyarrow.timestamp("us", "Pacific/Apia"), [datetime(2011, 12, 30, 10, tzinfo=UTC), None]),
    (pyarrow.timestamp("s"), [naive(2001, 2, 3, 4, 5, 6)]),
    (pyarrow.date32(), [date(1, 1, 1), date(9999, 12, 31)]),
    (pyarrow.string(), ["", " ", "a\0b", "naïve ﬀ e\u0301 é", "\U0001f600", "'; --", None]),
    (pyarrow.large_string(), ["x" * 70_000]),
    (pyarrow.binary(), [b"", b"\0\xff\xfe", None]),
    (pyarrow.bool_(), [True, False, None]),
    (pyarrow.int64(), [2**63 - 1, -(2**63), None]),
    (pyarrow.uint64(), [2**64 - 1]),
    (pyarrow.float64(), [0.1, -0.0, 5e-324, float("inf"), None]),
    (pyarrow.float32(), [0.5, float("-inf")]),
    (pyarrow.list_(pyarrow.string()), [[], ["a", None], None]),
    (pyarrow.struct([("a b", pyarrow.int8()), ("c", pyarrow.string())]), [{"a b": 1, "c": "x"}]),
    (pyarrow.map_(pyarrow.string(), pyarrow.int64()), [[("a", 1), ("b", 2)]]),
    (pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), ["a", "b", "a", None]),
]


@pytest.fixture
def own() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory."""
    with duckdb.connect() as connection:
        yield connection


def held(own: duckdb.DuckDBPyConnection, rows: pyarrow.Table) -> pyarrow.Table:
    """The table after these rows were held, as DuckDB gives it back."""
    sink = JdbcSink(own, table="kept")
    story = Story(sink)
    story.open(sink)
    sink.adopt(None, story.beginning)
    sink.prepare(rows.schema)
    window = story.window()
    sink.stage(window, rows)
    sink.hold(window)
    sink.close()
    return own.execute("SELECT * FROM kept").to_arrow_table()


@pytest.mark.parametrize(("kind", "values"), VALUES, ids=lambda part: str(part)[:30])
def test_values_come_back_as_they_were(
    own: duckdb.DuckDBPyConnection, kind: pyarrow.DataType, values: list[Any]
) -> None:
    """Decimals, times, text, bytes, numbers at their ends, nested ones; each also NULL."""
    rows = pyarrow.table({"x": pyarrow.array([*values, None], kind)})
    assert held(own, rows).to_pydict() == rows.to_pydict()


def test_minus_zero_stays_minus_zero(own: duckdb.DuckDBPyConnection) -> None:
    """Which equals zero, so that the comparison above does not see it."""
    rows = pyarrow.table({"x": [-0.0, float("nan")]})
    assert str(held(own, rows).to_pydict()["x"]) == "[-0.0, nan]"


@given(some.lists(some.text(some.characters(exclude_categories=["Cs"])), max_size=20))
def test_any_text_comes_back(words: list[str]) -> None:
    """Unicode as it was, not normalised."""
    with duckdb.connect() as own:
        rows = pyarrow.table({"x": pyarrow.array(words, pyarrow.string())})
        assert held(own, rows).to_pydict() == {"x": words}


@pytest.mark.parametrize(
    ("kind", "finding"),
    [
        (pyarrow.timestamp("ns", "UTC"), "nanoseconds would be cut"),
        (pyarrow.duration("ns"), "nanoseconds would be cut"),
        (pyarrow.month_day_nano_interval(), "nanoseconds would be cut"),
        (pyarrow.list_(pyarrow.struct([("t", pyarrow.duration("ns"))])), "would be cut"),
        (pyarrow.dictionary(pyarrow.int8(), pyarrow.duration("ns")), "would be cut"),
        (pyarrow.null(), "no type of its own"),
        (pyarrow.decimal128(5, -2), "its scale is negative"),
        (pyarrow.date64(), "parts of a day"),
        (pyarrow.struct([]), "no fields"),
        (pyarrow.float16(), "Unsupported"),
        (pyarrow.decimal256(50, 2), "Unsupported"),
    ],
    ids=str,
)
def test_a_type_that_would_be_changed_is_refused_by_name(
    tmp_path: Path, kind: pyarrow.DataType, finding: str
) -> None:
    """Every such column is named, and no table is made."""
    bench = Bench(tmp_path / "x.duckdb")
    schema = pyarrow.schema([("bad", kind), ("good", pyarrow.int8()), ("worse", kind)])
    with pytest.raises(TargetUnsuitable) as refused:
        bench.sink.prepare(schema)
    for name in ("bad", "worse"):
        assert f"column {name} is {kind}: " in str(refused.value)
    assert finding in str(refused.value)
    assert "column good" not in str(refused.value)
    assert bench.ask("SHOW TABLES") == [("window_ledger",)]


NUMBERS = some.none() | some.integers(-1000, 1000)
ROWS = some.lists(some.tuples(some.sampled_from(["a", "A", "", "á"]), NUMBERS), max_size=12)


@given(some.lists(ROWS, max_size=4), some.sampled_from([1, 5, 1_000_000]))
def test_accumulate_does_what_a_dictionary_does(
    windows: list[list[tuple[str, int | None]]], rows_per_statement: int
) -> None:
    """Any rows in any windows and statements: sums, least and greatest of what is not NULL."""
    seen: dict[str, list[int]] = {}
    names = ("word", "total", "low", "high")
    types = (pyarrow.string(), *[pyarrow.int64()] * 3)
    schema = pyarrow.schema(list(zip(names, types, strict=True)))
    with duckdb.connect() as own:
        mode = accumulate(["word"], add=["total"], min=["low"], max=["high"])
        sink = JdbcSink(own, table="kept", mode=mode, rows_per_statement=rows_per_statement)
        story = Story(sink)
        story.open(sink)
        sink.adopt(None, story.beginning)
        sink.prepare(schema)
        for rows in windows:
            for word, number in rows:
                seen.setdefault(word, []).extend([] if number is None else [number])
            columns = [[word for word, _ in rows], *[[number for _, number in rows]] * 3]
            window = story.window()
            sink.stage(window, pyarrow.table(dict(zip(names, columns, strict=True)), schema))
            sink.hold(window)
        sink.close()
        found = own.execute("SELECT word, total, low, high FROM kept ORDER BY word").fetchall()
    expected = [
        (word, sum(numbers), min(numbers), max(numbers)) if numbers else (word, None, None, None)
        for word, numbers in sorted(seen.items(), key=lambda item: item[0].encode())
    ]
    assert found == expected


@pytest.mark.spark
def test_spark_values_come_back_as_they_were(tmp_path: Path, spark: SparkSession) -> None:
    """The same through a DataFrame, with Spark's own names for the types."""
    values = {
        "d": ("decimal(38,9)", Decimal("12345678901234567890123456789.123456789")),
        "t": ("timestamp", datetime(2011, 12, 30, 10, 0, 0, 7, tzinfo=UTC)),
        "n": ("timestamp_ntz", NEVER),
        "w": ("string", "naïve e\u0301 é\0"),
        "b": ("binary", b"\0\xff"),
        "y": ("date", date(9999, 12, 31)),
        "l": ("array<bigint>", [2**63 - 1, None]),
        "s": ("struct<`a b`:int>", {"a b": 1}),
    }
    schema = ", ".join(f"{name} {kind}" for name, (kind, _) in values.items())
    row = tuple(value for _, value in values.values())
    frame = spark.createDataFrame([row, (None,) * len(row)], schema)
    path = tmp_path / "x.duckdb"
    sink = JdbcSink(f"duckdb:///{path}", table="kept")
    story = Story(sink)
    story.open(sink)
    sink.adopt(None, story.beginning)
    sink.prepare(frame.limit(0).toArrow().schema)
    window = story.window()
    sink.stage(window, frame)
    sink.hold(window)
    sink.close()
    with duckdb.connect(str(path)) as connection:
        found = connection.execute("SELECT * FROM kept ORDER BY w NULLS LAST").to_arrow_table()
        zone = connection.execute("SELECT typeof(t), typeof(n) FROM kept").fetchall()[0]
    assert found.to_pylist() == [
        {name: value for name, (_, value) in values.items()},
        dict.fromkeys(values),
    ]
    assert zone == ("TIMESTAMP WITH TIME ZONE", "TIMESTAMP")
