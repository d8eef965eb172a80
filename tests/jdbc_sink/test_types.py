"""Every type on every database: the value comes back, or the window is refused with column and
value before anything is written."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given as given_any
from hypothesis import strategies as some

from jdbc_sink.databases.plain import values
from jdbc_sink.errors import BadValue
from jdbc_sink.rejects import row_json
from tests.jdbc_sink.typed import NAIVE, ZONED, Case, Refused, given, instant, naive
from tests.jdbc_sink.typed_parts import CASES
from tests.jdbc_sink.windows import DATABASES, Bench


def frame(kind: pyarrow.DataType, *values: Any) -> pyarrow.Table:
    """One column of values, numbered."""
    return pyarrow.table({"n": range(len(values)), "x": pyarrow.array([*values], kind)})


def check(tmp_path: Path, database: str, case: Case, expected: Any) -> None:
    """Hold the value between NULLs, and compare to the sign, the type and the last digit."""
    bench = Bench(tmp_path / "x.db", database)
    rows = frame(case.kind, None, case.value, None)
    if isinstance(expected, Refused):
        with pytest.raises(BadValue, match="column x holds ") as refused:
            bench.stage(rows)
        assert f"holds {expected.value} in window" in str(refused.value)
        assert expected.reason in str(refused.value)
        assert bench.ask("SELECT count(*) FROM words") == [(0,)]
        return
    bench.hold_all(rows)
    assert repr(given(bench, "x", case.kind)) == repr([None, expected, None])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_duckdb_gives_back_what_was_given(tmp_path: Path, case: Case) -> None:
    """By its own driver."""
    check(tmp_path, "duckdb", case, case.duckdb)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_sqlite_gives_back_what_was_given(tmp_path: Path, case: Case) -> None:
    """By Python's own driver: in one form for each type."""
    check(tmp_path, "sqlite", case, case.sqlite)


@pytest.mark.parametrize(
    ("database", "kind", "value", "shown"),
    [
        ("duckdb", NAIVE, 2**63 - 1, "9223372036854775807 units since 1970"),  # its infinity
        ("duckdb", ZONED, -(2**63) + 1, "-9223372036854775807 units since 1970"),
        ("duckdb", pyarrow.timestamp("s"), 2**50, "1125899906842624 units since 1970"),
        ("duckdb", pyarrow.date32(), 2**31 - 1, "2147483647 units since 1970"),
        ("duckdb", pyarrow.list_(pyarrow.date32()), [-(2**31) + 1], "-2147483647 units"),
        ("duckdb", pyarrow.duration("s"), 2**60, "1152921504606846976 s"),
        ("duckdb", pyarrow.map_(pyarrow.string(), NAIVE), [("a", 1), ("a", 2)], "'a'"),
        ("duckdb", pyarrow.map_(pyarrow.float64(), NAIVE), [(0.0, 1), (-0.0, 2)], "0.0"),
        ("sqlite", NAIVE, 253_402_300_800_000_000, "10000-01-01 00:00:00"),
        ("sqlite", ZONED, 253_402_300_800_000_000, "10000-01-01 00:00:00"),
        ("sqlite", pyarrow.date32(), -719_529, "-0001-12-31"),
        ("sqlite", pyarrow.struct([("d", pyarrow.date32())]), {"d": 2_932_897}, "10000-01-01"),
        ("sqlite", pyarrow.duration("ms"), -(2**60), "-1152921504606846976 ms"),
        ("sqlite", pyarrow.uint64(), 2**63, "9223372036854775808"),
        ("sqlite", pyarrow.map_(pyarrow.string(), NAIVE), [("a", 1), ("a", 2)], "'a'"),
        ("sqlite", pyarrow.float16(), float("nan"), "NaN"),
    ],
    ids=str,
)
def test_what_a_database_has_no_value_for_is_refused(
    tmp_path: Path, database: str, kind: pyarrow.DataType, value: Any, shown: str
) -> None:
    """At the ends of ranges, and where two become one."""
    bench = Bench(tmp_path / "x.db", database)
    with pytest.raises(BadValue) as refused:
        bench.stage(frame(kind, None, value))
    assert f"column x holds {shown}" in str(refused.value)
    assert bench.ask("SELECT count(*) FROM words") == [(0,)]


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.list_(pyarrow.string())], ids=str)
def test_bytes_that_are_no_text_are_refused(
    tmp_path: Path, database: str, kind: pyarrow.DataType
) -> None:
    """Spark casts any bytes to a string."""
    data = pyarrow.array([b"ok", b"\xff\xfe", b"\xfe"])
    texts = pyarrow.Array.from_buffers(pyarrow.string(), 3, data.buffers())
    if kind != pyarrow.string():
        texts = pyarrow.ListArray.from_arrays([0, 1, 2, 3], texts)
    bench = Bench(tmp_path / "x.db", database)
    with pytest.raises(BadValue, match=r"column x holds b'.xff.xfe' in window 1: it is no"):
        bench.stage(pyarrow.table({"x": texts}))


ZONE = "America/New_York"
# Both sides of the hour that New York had twice, and the seconds around the hour that it had not.
INSTANTS = [
    (instant(2024, 11, 3, 5, 30), "2024-11-03 05:30:00"),
    (instant(2024, 11, 3, 6, 30), "2024-11-03 06:30:00"),
    (instant(2024, 3, 10, 6, 59, 59), "2024-03-10 06:59:59"),
    (instant(2024, 3, 10, 7), "2024-03-10 07:00:00"),
    (instant(1883, 11, 18, 16, 59, 59), "1883-11-18 16:59:59"),
]
HOURS = [
    (naive(2024, 11, 3, 1, 30), "2024-11-03 01:30:00"),
    (naive(2024, 3, 10, 2, 30), "2024-03-10 02:30:00"),
]


@pytest.fixture(params=["UTC", ZONE, "Asia/Kathmandu"])
def process_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The zone of this process."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("process_zone")
@pytest.mark.parametrize("column_zone", ["UTC", ZONE, "+05:45"])
def test_an_instant_stays_the_same_in_every_zone(tmp_path: Path, column_zone: str) -> None:
    """Whatever zone the frame, the process or the database has."""
    rows = frame(pyarrow.timestamp("us", column_zone), *(moment for moment, _ in INSTANTS))
    duckdb, sqlite = Bench(tmp_path / "x.duckdb"), Bench(tmp_path / "x.db", "sqlite")
    duckdb.hold_all(rows)
    sqlite.hold_all(rows)
    texts = [text for _, text in INSTANTS]
    assert given(duckdb, "x", ZONED) == [f"{text}+00" for text in texts]
    assert given(sqlite, "x", ZONED) == [f"{text}.000000+00:00" for text in texts]


@pytest.mark.usefixtures("process_zone")
def test_a_time_without_zone_stays_the_same_in_every_zone(tmp_path: Path) -> None:
    """Also an hour that the zone does not have, or has twice."""
    rows = frame(NAIVE, *(moment for moment, _ in HOURS))
    duckdb, sqlite = Bench(tmp_path / "x.duckdb"), Bench(tmp_path / "x.db", "sqlite")
    duckdb.hold_all(rows)
    sqlite.hold_all(rows)
    assert duckdb.ask("SELECT x::VARCHAR FROM words ORDER BY n") == [(text,) for _, text in HOURS]
    assert given(sqlite, "x", NAIVE) == [f"{text}.000000" for _, text in HOURS]


def test_a_refused_row_is_written_down_whatever_it_holds() -> None:
    """Bytes that are no text, NaN, days without a name: as JSON."""
    data = pyarrow.array([b"a\xff"])
    row = pyarrow.table(
        {
            "text": pyarrow.Array.from_buffers(pyarrow.string(), 1, data.buffers()),
            "none": pyarrow.array([None], pyarrow.string()),
            "empty": [""],
            "float": [float("nan")],
            "floats": [[float("-inf"), 0.5]],
            "bytes": [b"\0\xff"],
            "day": pyarrow.array([2_932_897], pyarrow.date32()),
            "moment": pyarrow.array([2**63 - 1], pyarrow.timestamp("s")),
            "length": pyarrow.array([2**60], pyarrow.duration("s")),
            "time": pyarrow.array([1], pyarrow.time64("ns")),
            "map": pyarrow.array([[("a", 1)]], pyarrow.map_(pyarrow.string(), pyarrow.int8())),
        }
    )
    assert json.loads(row_json(row)) == {
        "text": "a\\xff",
        "none": None,
        "empty": "",
        "float": "nan",
        "floats": ["-inf", 0.5],
        "bytes": "00FF",
        "day": "10000-01-01",
        "moment": 2**63 - 1,
        "length": 2**60,
        "time": "00:00:00.000000001",
        "map": {"a": 1},
    }


INNER = some.none() | some.lists(some.none() | some.integers(0, 9), max_size=3)
PAIRS = some.dictionaries(some.text(some.characters(codec="utf-8"), max_size=2), INNER, max_size=3)
OBJECTS = some.none() | some.fixed_dictionaries({"m": some.none() | PAIRS, "l": INNER})
ROWS = some.lists(some.none() | some.lists(OBJECTS, max_size=3), max_size=6)


@given_any(ROWS, some.integers(0, 5), some.integers(0, 5))
def test_any_nesting_becomes_its_json(rows: list[Any], start: int, length: int) -> None:
    """Also in a slice, and with NULL at every depth: JSON says what Python has."""
    numbers = pyarrow.list_(pyarrow.int8())
    parts = pyarrow.struct([("m", pyarrow.map_(pyarrow.string(), numbers)), ("l", numbers)])
    column = pyarrow.array(rows, pyarrow.list_(parts)).slice(start, length)
    found = [None if text is None else json.loads(text) for text in values(column)]
    assert found == rows[start : start + length]
