"""Values that are JSON of one schema, and values that are not, each with what is to become of it:
written down by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

DDL = (
    "id bigint not null, name string, ratio double, small float, price decimal(10,2), day date,"
    " at timestamp, local timestamp_ntz, data binary, flag boolean, tiny tinyint,"
    " tags array<string>, counts map<string, int>, inner struct<x: int not null, y: string>"
)
NAMES = ["id", "name", "ratio", "small", "price", "day", "at", "local", "data", "flag", "tiny"]
NAMES += ["tags", "counts", "inner"]
SUMMER = datetime(2001, 7, 3, 4, 5, 6, tzinfo=UTC)
LOCAL = datetime(2001, 7, 3, 4, 5, 6)  # noqa: DTZ001 (what it is about)


def row(**values: Any) -> dict[str, Any]:
    """A struct with these fields, `id` 1 if it is not said, and null for the others."""
    return dict.fromkeys(NAMES) | {"id": 1} | values


def _one(name: str, text: str) -> bytes:
    return f'{{"id": 1, "{name}": {text}}}'.encode()


GOOD: list[tuple[bytes, dict[str, Any]]] = [
    (b'{"id": 1}', row()),
    (b' \t\r\n{ "id" : 1 } \n', row()),
    (b'{"name": null, "id": 1, "unknown": [{"a": 1e5}, "\\u00e9"]}', row()),
    (b'{"id": 1, "ID": 2, "Id": "x"}', row()),
    *((b'{"id": %d}' % n, row(id=n)) for n in (0, -1, 2**63 - 1, -(2**63))),
    (b'{"id": -0}', row(id=0)),
    (_one("name", '""'), row(name="")),
    (_one("name", '"na\u00efve \U0001f40d"'), row(name="na\u00efve \U0001f40d")),
    (_one("name", '"\\ud83d\\udc0d\\u0000\\n\\/"'), row(name="\U0001f40d\0\n/")),
    (_one("name", '"\\\\ud800"'), row(name="\\ud800")),
    (_one("name", '"\ufeff"'), row(name="\ufeff")),
    (_one("ratio", "0.1"), row(ratio=0.1)),
    (_one("ratio", "12"), row(ratio=12.0)),
    (_one("ratio", "-1.5E-3"), row(ratio=-0.0015)),
    (_one("ratio", "1e-400"), row(ratio=0.0)),
    (_one("ratio", "123456789012345678901234567890"), row(ratio=1.2345678901234568e29)),
    (_one("small", "0.1"), row(small=0.10000000149011612)),
    (_one("price", "1.5"), row(price=Decimal("1.50"))),
    (_one("price", "-12345678.90"), row(price=Decimal("-12345678.90"))),
    (_one("price", "99999999.99000"), row(price=Decimal("99999999.99"))),
    (_one("price", "1e3"), row(price=Decimal("1000.00"))),
    (_one("price", "0e-99"), row(price=Decimal("0.00"))),
    (_one("day", '"2001-02-03"'), row(day=date(2001, 2, 3))),
    (_one("day", '"0001-01-01"'), row(day=date(1, 1, 1))),
    (_one("day", '"9999-12-31"'), row(day=date(9999, 12, 31))),
    (_one("at", '"2001-07-03T04:05:06Z"'), row(at=SUMMER)),
    (_one("at", '"2001-07-03 06:05:06+02:00"'), row(at=SUMMER)),
    (_one("at", '"2001-07-02T22:35:06-0530"'), row(at=SUMMER)),
    (_one("at", '"2001-07-03T04:05Z"'), row(at=SUMMER.replace(second=0))),
    (_one("at", '"2001-07-03T04:05:06.5Z"'), row(at=SUMMER.replace(microsecond=500_000))),
    (
        _one("at", '"2001-07-03T04:05:06.000001000Z"'),
        row(at=SUMMER.replace(microsecond=1)),
    ),
    (_one("at", '"1066-10-14T09:00:00Z"'), row(at=datetime(1066, 10, 14, 9, tzinfo=UTC))),
    (_one("local", '"2001-07-03T04:05:06"'), row(local=LOCAL)),
    (_one("data", '"AP8="'), row(data=b"\x00\xff")),
    (_one("data", '""'), row(data=b"")),
    (_one("flag", "true"), row(flag=True)),
    (_one("flag", "false"), row(flag=False)),
    (_one("tiny", "-128"), row(tiny=-128)),
    (_one("tags", "[]"), row(tags=[])),
    (_one("tags", '["a", null, "a"]'), row(tags=["a", None, "a"])),
    (_one("counts", "{}"), row(counts=[])),
    (_one("counts", '{"a": null, "b": 2}'), row(counts=[("a", None), ("b", 2)])),
    (_one("inner", '{"x": 5}'), row(inner={"x": 5, "y": None})),
    (_one("unknown", "[" * 99 + "]" * 99), row()),
    (_one("unknown", '"' + "[" * 999 + '"'), row()),
    (_one("unknown", "1" * 5000), row()),
]

BAD: list[tuple[bytes, str]] = [
    (b"", "value is empty"),
    (b" ", "value is not JSON from character 2 on"),
    (b"{", "value is not JSON from character 2 on"),
    (b'{"id": 1', "value is not JSON from character 9 on"),
    (b'{"id": 1} x', "value is not JSON from character 11 on"),
    (b'{"id": 1}{"id": 2}', "value is not JSON from character 10 on"),
    (b'{"id": 1}\x00', "value is not JSON from character 10 on"),
    (b"{'id': 1}", "value is not JSON from character 2 on"),
    (b'{"id": 01}', "value is not JSON from character 9 on"),
    (b'{"id": +1}', "value is not JSON from character 8 on"),
    (b'{"id": 1, "name": "a\nb"}', "value is not JSON from character 21 on"),
    (b'{"id": 1, "name": "\\x"}', "value is not JSON from character 20 on"),
    (b'\xef\xbb\xbf{"id": 1}', "value is not JSON from character 1 on"),
    (b'{"id": 1, "name": "\xff"}', "value is not UTF-8"),
    (b'{"id": 1, "name": "\xed\xa0\x80"}', "value is not UTF-8"),
    (b'{"id": 1, "unknown": "\xc0\x80"}', "value is not UTF-8"),
    ('{"id": 1}'.encode("utf-16-le"), "value is not JSON from character 2 on"),
    (b'{"id": 1, "name": "\\ud800"}', "value has half of a surrogate pair"),
    (b'{"id": 1, "\\udc00": 0}', "value has half of a surrogate pair"),
    (b"[]", "value is an array, not an object"),
    (b'[{"id": 1}]', "value is an array, not an object"),
    (b"1", "value is a number, not an object"),
    (b'"a"', "value is a string, not an object"),
    (b"true", "value is a boolean, not an object"),
    (b"null", "value is null, not an object"),
    (b'{"id": 1, "id": 1}', 'value has the key "id" twice in one object'),
    (
        b'{"id": 1, "a": {"\\u00e9": 1, "\xc3\xa9": 2}}',
        'value has the key "\\u00e9" twice in one object',
    ),
    *(
        (_one("ratio", word), f"value has {word}, which is not JSON")
        for word in ("NaN", "Infinity", "-Infinity")
    ),
    (_one("unknown", "NaN"), "value has NaN, which is not JSON"),
    (_one("unknown", "[" * 100 + "]" * 100), "value is nested deeper than 100"),
    (b"[" * 100_000, "value is nested deeper than 100"),
    (b"{}", "value.id is missing"),
    (b'{"id": null}', "value.id is null, which it may not be"),
    (b'{"ID": 1}', "value.id is there in other upper and lower case"),
    (b'{"id": 1, "Name": "a"}', "value.name is there in other upper and lower case"),
    (b'{"id": "1"}', "value.id is a string, not bigint"),
    (b'{"id": true}', "value.id is a boolean, not bigint"),
    (b'{"id": 1.0}', "value.id has a fraction or an exponent, and is not bigint"),
    (b'{"id": 1e0}', "value.id has a fraction or an exponent, and is not bigint"),
    *((b'{"id": %d}' % n, "value.id is outside of bigint") for n in (2**63, -(2**63) - 1)),
    (b'{"id": %s}' % (b"1" * 5000), "value.id is outside of bigint"),
    (_one("name", "1"), "value.name is a number, not string"),
    (_one("name", "{}"), "value.name is an object, not string"),
    (_one("ratio", '"1"'), "value.ratio is a string, not double"),
    (_one("ratio", "1e999"), "value.ratio is outside of double"),
    (_one("small", "1e39"), "value.small is outside of float"),
    (_one("price", "100000000"), "value.price is outside of decimal(10,2)"),
    (_one("price", "1e999999999999999999999"), "value.price is outside of decimal(10,2)"),
    (_one("price", "0.001"), "value.price has more decimal places than decimal(10,2)"),
    (_one("price", "1.505"), "value.price has more decimal places than decimal(10,2)"),
    (_one("price", '"1.50"'), "value.price is a string, not decimal(10,2)"),
    (_one("day", '"2001-02-30"'), "value.day is not a date like 2001-02-03"),
    (_one("day", '"2001-2-3"'), "value.day is not a date like 2001-02-03"),
    (_one("day", '"20010203"'), "value.day is not a date like 2001-02-03"),
    (_one("day", "11356"), "value.day is a number, not date (a string)"),
    (
        _one("at", '"2001-07-03T04:05:06"'),
        "value.at has no time zone, which a timestamp needs (timestamp_ntz has none)",
    ),
    (_one("at", "994133106"), "value.at is a number, not timestamp (a string)"),
    *(
        (_one("at", f'"{text}"'), "value.at is not a moment like 2001-02-03T04:05:06Z")
        for text in (
            "2001-07-03",
            "2001-02-30T00:00:00Z",
            "2001-07-03T24:00:00Z",
            "2001-07-03T04:05:60Z",
            "2001-07-03T04:05:06+25:00",
            "2001-07-03T04:05:06 Europe/Berlin",
            "0000-07-03T04:05:06Z",
        )
    ),
    (_one("at", '"0001-01-01T00:00:00+01:00"'), "value.at is outside of timestamp"),
    (_one("at", '"2001-07-03T04:05:06.0000001Z"'), "value.at is more exact than microseconds"),
    (
        _one("local", '"2001-07-03T04:05:06Z"'),
        "value.local has a time zone, which timestamp_ntz cannot keep",
    ),
    (_one("data", '"A"'), "value.data is not base64"),
    (_one("data", '"AP8=\\n"'), "value.data is not base64"),
    (_one("data", '"\u00e9"'), "value.data is not base64"),
    (_one("data", "1"), "value.data is a number, not binary (a string in base64)"),
    (_one("flag", "1"), "value.flag is a number, not boolean"),
    (_one("flag", '"true"'), "value.flag is a string, not boolean"),
    (_one("tiny", "128"), "value.tiny is outside of tinyint"),
    (_one("tags", '"a"'), "value.tags is a string, not an array"),
    (_one("tags", '["a", 1]'), "value.tags[1] is a number, not string"),
    (_one("counts", "[]"), "value.counts is an array, not an object"),
    (_one("counts", '{"a": "b"}'), "value.counts[\u2026] is a string, not int"),
    (_one("inner", "{}"), "value.inner.x is missing"),
    (_one("inner", '{"x": 1, "y": []}'), "value.inner.y is an array, not string"),
]
