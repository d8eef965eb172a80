"""The table of types: arrays, maps, structs, and all together."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pyarrow

from tests.jdbc_sink.typed import (
    BINARY,
    DOUBLE,
    DURATION,
    INF,
    INT32,
    INT64,
    NAIVE,
    NAN,
    PLAIN,
    STRING,
    ZONED,
    Case,
    Refused,
    instant,
    naive,
)

FLAG = pyarrow.struct([("x", pyarrow.bool_())])
PARTED = [
    Case(
        "array<string>",
        "array('a', null, '\"')",
        pyarrow.list_(STRING),
        ["a", None, '"'],
        ["a", None, '"'],
        '["a",null,"\\""]',
        told=True,
    ),
    Case("array<int>", "cast(array() as array<int>)", pyarrow.list_(INT32), [], [], "[]"),
    Case(
        "map<string,bigint>",
        "map('b', 1L, 'a', null)",
        pyarrow.map_(STRING, INT64),
        [("b", 1), ("a", None)],
        {"b": 1, "a": None},
        '{"b":1,"a":null}',
        told=True,
    ),
    Case(
        "map<int,string>",
        "map(2, 'b', 1, 'a')",
        pyarrow.map_(INT32, STRING),
        [(2, "b"), (1, "a")],
        {2: "b", 1: "a"},
        '[[2,"b"],[1,"a"]]',
        told=True,
    ),
    Case(
        "struct<a:int,`b c`:string>",
        "named_struct('a', 1, 'b c', 'x')",
        pyarrow.struct([("a", INT32), ("b c", STRING)]),
        {"a": 1, "b c": "x"},
        {"a": 1, "b c": "x"},
        '{"a":1,"b c":"x"}',
        told=True,
    ),
    Case(
        "array<decimal(5,2)>",
        "array(cast(1.5 as decimal(5,2)), cast(-1.5 as decimal(5,2)))",
        pyarrow.list_(pyarrow.decimal128(5, 2)),
        [Decimal("1.50"), Decimal("-1.50")],
        [Decimal("1.50"), Decimal("-1.50")],
        '["1.50","-1.50"]',
    ),
    Case(
        "array<double>",
        "array(0.1D, double('-0.0'), 1e300D)",
        pyarrow.list_(DOUBLE),
        [0.1, -0.0, 1e300],
        [0.1, -0.0, 1e300],
        "[0.1,-0.0,1e+300]",
    ),
    Case(
        "array<double>",
        "array(double('NaN'))",
        pyarrow.list_(DOUBLE),
        [NAN],
        [NAN],
        Refused("NaN", "JSON has no such value"),
    ),
    Case(
        "array<double>",
        "array(double('-Infinity'))",
        pyarrow.list_(DOUBLE),
        [-INF],
        [-INF],
        Refused("-inf", "JSON has no such value"),
    ),
    Case(
        "array<binary>",
        "array(X'00FF', X'')",
        pyarrow.list_(BINARY),
        [b"\0\xff", b""],
        [b"\0\xff", b""],
        '["00FF",""]',
    ),
    Case(
        "struct<d:date,t:timestamp,n:timestamp_ntz>",
        "named_struct('d', date'0001-01-01', 't', timestamp'2024-11-03 05:30:00 UTC',"
        " 'n', timestamp_ntz'2024-03-10 02:30:00')",
        pyarrow.struct([("d", pyarrow.date32()), ("t", ZONED), ("n", NAIVE)]),
        {"d": date(1, 1, 1), "t": instant(2024, 11, 3, 5, 30), "n": naive(2024, 3, 10, 2, 30)},
        "{'d': 0001-01-01, 't': '2024-11-03 05:30:00+00', 'n': '2024-03-10 02:30:00'}",
        '{"d":"0001-01-01","t":"2024-11-03 05:30:00.000000+00:00",'
        '"n":"2024-03-10 02:30:00.000000"}',
    ),
    Case(
        "array<interval day to second>",
        "array(interval '1 00:00:00' day to second, null)",
        pyarrow.list_(DURATION),
        [timedelta(days=1), None],
        [timedelta(days=1), None],
        "[86400000000,null]",
    ),
    Case(
        "array<map<string,array<struct<x:boolean>>>>",
        "array(map('k', array(named_struct('x', true), null)), null)",
        pyarrow.list_(
            pyarrow.map_(STRING, pyarrow.list_(pyarrow.struct([("x", pyarrow.bool_())])))
        ),
        [[("k", [{"x": True}, None])], None],
        [{"k": [{"x": True}, None]}, None],
        '[{"k":[{"x":true},null]},null]',
    ),
    Case(
        "array<string>",
        "array(concat('a', char(0), '\U0001f600'))",
        pyarrow.list_(STRING),
        ["a\0\U0001f600"],
        ["a\0\U0001f600"],
        '["a\\u0000\U0001f600"]',
    ),
]
CASES = [*PLAIN, *PARTED]
