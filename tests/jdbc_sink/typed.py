"""The table of types: how Spark makes a value, how it arrives as Arrow, and what each database's
own driver must give back. Those without parts are here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow

from tests.jdbc_sink.windows import Bench


@dataclass(frozen=True, slots=True)
class Refused:
    """The value that the error shows, and words of its reason."""

    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class Case:
    """`duckdb` and `sqlite` are what comes back, written down by hand; an instant in DuckDB as its
    text in UTC. `told`: the documentation shows it."""

    spark: str
    expression: str
    kind: pyarrow.DataType
    value: Any
    duckdb: Any
    sqlite: Any
    told: bool = False

    @property
    def name(self) -> str:
        """For the test's name."""
        return f"{self.spark} {self.expression}"[:60]


def naive(*numbers: int) -> datetime:
    """A moment without a zone."""
    return datetime(*numbers, tzinfo=UTC).replace(tzinfo=None)  # type: ignore[arg-type,misc]


def instant(*numbers: int) -> datetime:
    """A moment in UTC."""
    return datetime(*numbers, tzinfo=UTC)  # type: ignore[arg-type,misc]


def same(
    spark: str, expression: str, kind: pyarrow.DataType, value: Any, told: bool = False
) -> Case:
    """What comes back from both is what was given."""
    return Case(spark, expression, kind, value, value, value, told)


INT8, INT32, INT64 = pyarrow.int8(), pyarrow.int32(), pyarrow.int64()
FLOAT, DOUBLE = pyarrow.float32(), pyarrow.float64()
STRING, BINARY = pyarrow.string(), pyarrow.binary()
ZONED = pyarrow.timestamp("us", "UTC")
NAIVE = pyarrow.timestamp("us")
DURATION = pyarrow.duration("us")
NAN, INF = float("nan"), float("inf")
NO_NAN = Refused("NaN", "SQLite would store NULL")
NO_SIGN = Refused("-0.0", "SQLite would store 0.0")
NINES = "9" * 38
MEGABYTE = "é" * 2**19

NUMBERS = [
    Case("boolean", "true", pyarrow.bool_(), True, True, 1, told=True),
    Case("boolean", "false", pyarrow.bool_(), False, False, 0),
    same("tinyint", "-128Y", INT8, -128, told=True),
    same("smallint", "-32768S", pyarrow.int16(), -32768, told=True),
    same("int", "-2147483648", INT32, -(2**31), told=True),
    same("bigint", "9223372036854775807L", INT64, 2**63 - 1, told=True),
    same("bigint", "-9223372036854775808L", INT64, -(2**63)),
    same("float", "float('0.1')", FLOAT, 0.10000000149011612, told=True),
    same("float", "float('-Infinity')", FLOAT, -INF),
    Case("float", "float('NaN')", FLOAT, NAN, NAN, NO_NAN),
    Case("float", "float('-0.0')", FLOAT, -0.0, -0.0, NO_SIGN),
    same("double", "0.1D", DOUBLE, 0.1, told=True),
    same("double", "double('4.9E-324')", DOUBLE, 5e-324),
    same("double", "double('1.7976931348623157E308')", DOUBLE, 1.7976931348623157e308),
    same("double", "double('Infinity')", DOUBLE, INF, told=True),
    Case("double", "double('NaN')", DOUBLE, NAN, NAN, NO_NAN, told=True),
    Case("double", "double('-0.0')", DOUBLE, -0.0, -0.0, NO_SIGN, told=True),
]
DECIMALS = [
    Case(f"decimal({digits},{scale})", f"{text}BD", kind, number, number, text, told)
    for digits, scale, text, told in [
        (38, 0, NINES, False),
        (38, 0, f"-{NINES}", False),
        (38, 10, "-" + NINES[:28] + "." + NINES[:10], False),
        (38, 38, "0." + NINES, False),
        (38, 38, "-0." + "0" * 37 + "1", False),
        (10, 2, "-1.50", True),
        (10, 2, "0.00", False),
        (3, 3, "0.000", False),
    ]
    for kind, number in [(pyarrow.decimal128(digits, scale), Decimal(text))]
]
TEXTS = [
    same("string", "'it''s \"it\"'", STRING, 'it\'s "it"', told=True),
    same("string", "''", STRING, "", told=True),
    same("string", "'\U0001f600 e\u0301 é ﬀ'", STRING, "\U0001f600 e\u0301 é ﬀ"),
    same("string", "concat('a', char(0), 'b')", STRING, "a\0b", told=True),
    same("string", "'; DROP TABLE words; --'", STRING, "; DROP TABLE words; --"),
    same("string", "repeat('é', 524288)", STRING, MEGABYTE),
    same("binary", "X''", BINARY, b"", told=True),
    same("binary", "X'00FF'", BINARY, b"\0\xff", told=True),
]
TIMES = [
    Case("date", "date'0001-01-01'", pyarrow.date32(), date(1, 1, 1), date(1, 1, 1), "0001-01-01"),
    Case(
        "date",
        "date'9999-12-31'",
        pyarrow.date32(),
        date(9999, 12, 31),
        date(9999, 12, 31),
        "9999-12-31",
        told=True,
    ),
    # The days that Rome left out.
    Case(
        "date",
        "date'1582-10-10'",
        pyarrow.date32(),
        date(1582, 10, 10),
        date(1582, 10, 10),
        "1582-10-10",
    ),
    *(
        Case("timestamp", f"timestamp'{text} UTC'", ZONED, moment, duckdb, sqlite, told)
        for text, moment, duckdb, sqlite, told in [
            (
                "0001-01-01 00:00:00",
                instant(1, 1, 1),
                "0001-01-01 00:00:00+00",
                "0001-01-01 00:00:00.000000+00:00",
                False,
            ),
            (
                "1582-10-10 01:02:03",
                instant(1582, 10, 10, 1, 2, 3),
                "1582-10-10 01:02:03+00",
                "1582-10-10 01:02:03.000000+00:00",
                False,
            ),
            (
                "9999-12-31 23:59:59.999999",
                instant(9999, 12, 31, 23, 59, 59, 999_999),
                "9999-12-31 23:59:59.999999+00",
                "9999-12-31 23:59:59.999999+00:00",
                False,
            ),
            (
                "2024-11-03 05:30:00.000001",
                instant(2024, 11, 3, 5, 30, 0, 1),
                "2024-11-03 05:30:00.000001+00",
                "2024-11-03 05:30:00.000001+00:00",
                True,
            ),
        ]
    ),
    *(
        Case("timestamp_ntz", f"timestamp_ntz'{text}'", NAIVE, moment, moment, sqlite, told)
        for text, moment, sqlite, told in [
            ("0001-01-01 00:00:00", naive(1, 1, 1), "0001-01-01 00:00:00.000000", False),
            # An hour that New York does not have.
            (
                "2024-03-10 02:30:00",
                naive(2024, 3, 10, 2, 30),
                "2024-03-10 02:30:00.000000",
                True,
            ),
            (
                "9999-12-31 23:59:59.999999",
                naive(9999, 12, 31, 23, 59, 59, 999_999),
                "9999-12-31 23:59:59.999999",
                False,
            ),
        ]
    ),
    *(
        Case("interval day to second", expression, DURATION, length, length, microseconds, told)
        for expression, length, microseconds, told in [
            (
                "interval '1 02:03:04.000005' day to second",
                timedelta(days=1, hours=2, minutes=3, seconds=4, microseconds=5),
                93_784_000_005,
                True,
            ),
            (
                "interval -'0 00:00:00.000001' day to second",
                timedelta(microseconds=-1),
                -1,
                False,
            ),
        ]
    ),
]
PLAIN = [*NUMBERS, *DECIMALS, *TEXTS, *TIMES]


def given(bench: Bench, column: str, kind: pyarrow.DataType) -> list[Any]:
    """What the database's own driver gives for table `words`; DuckDB's instants as text, in UTC."""
    if bench.database == "sqlite" or not has_instant(kind):
        query = f"SELECT {column} FROM words ORDER BY n"
    else:
        query = f"SET TimeZone = 'UTC'; SELECT {column}::VARCHAR FROM words ORDER BY n"
    return [row[0] for row in bench.ask(query)]


def has_instant(kind: pyarrow.DataType) -> bool:
    """Is there a timestamp with a zone in it?"""
    if pyarrow.types.is_timestamp(kind):
        return kind.tz is not None
    return any(has_instant(kind.field(number).type) for number in range(kind.num_fields))
