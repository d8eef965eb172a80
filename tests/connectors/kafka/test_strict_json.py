"""JSON by a schema, without a broker: each case by itself, and what travels to tasks."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark import cloudpickle

from connectors.kafka import strict_json, strict_values
from connectors.kafka.schema import schema_of
from connectors.kafka.strict_json import JsonDecoder
from tests.connectors.kafka.json_cases import BAD, DDL, GOOD, row

DECODER = JsonDecoder(schema_of(DDL), pairs=True)


@pytest.mark.parametrize(("data", "expected"), GOOD, ids=lambda one: str(one)[:40])
def test_what_is_right_is_taken_exactly(data: bytes, expected: dict[str, Any]) -> None:
    """With its type: 1 is not true, and 1.0 not 1."""
    found, why = DECODER(data)
    assert why is None
    assert repr(found) == repr(expected)


@pytest.mark.parametrize(("data", "reason"), BAD, ids=lambda one: str(one)[:40])
def test_what_is_not_of_the_schema_is_refused_with_its_place(data: bytes, reason: str) -> None:
    """And without the value, which is not for logs."""
    found, why = DECODER(data)
    assert (found, f"value{why}") == (None, reason)


def test_a_text_that_was_cut_off_is_soon_refused() -> None:
    """Within a string with much JSON in it, as change logs have them."""
    inner = json.dumps([{"name": f"value {number}"} for number in range(20_000)])
    whole = json.dumps({"text": inner}).encode()
    started = time.monotonic()
    found, why = DECODER(whole[:-5])
    assert (found, why) == (None, " is not JSON from character 10 on")
    assert time.monotonic() - started < 5


def test_nothing_is_nothing() -> None:
    """A tombstone is no bad record."""
    assert DECODER(None) == (None, None)


def test_lists_and_maps_may_be_without_nulls() -> None:
    """As a StructType can say, and DDL cannot."""
    from pyspark.sql import types as t

    kind = t.StructType(
        [
            t.StructField("list", t.ArrayType(t.LongType(), containsNull=False)),
            t.StructField("map", t.MapType(t.StringType(), t.LongType(), valueContainsNull=False)),
        ]
    )
    decode = JsonDecoder(schema_of(kind), pairs=False)
    assert decode(b'{"list": [1], "map": {"a": 2}}') == ({"list": [1], "map": {"a": 2}}, None)
    assert decode(b'{"list": [1, null]}')[1] == ".list[1] is null, which it may not be"
    assert decode(b'{"map": {"a": null}}')[1] == ".map[\u2026] is null, which it may not be"


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_anything_at_all_has_an_answer(data: bytes) -> None:
    """A value or a reason, never an error."""
    found, why = DECODER(data)
    assert (found is None) != (why is None)


@given(st.decimals(allow_nan=False, allow_infinity=False), st.integers(1, 38), st.data())
def test_a_decimal_is_the_same_number_or_none(
    number: Decimal, digits: int, data: st.DataObject
) -> None:
    """Whatever it has in digits and exponent."""
    scale = data.draw(st.integers(0, digits))
    decode = JsonDecoder(schema_of(f"a decimal({digits},{scale})"), pairs=True)
    text = format(number, "e").replace("E", "e") if number else "0"
    found, why = decode(f'{{"a": {text}}}'.encode())
    if found is None:
        exact = number.is_zero() or (
            abs(number) < Decimal(10) ** (digits - scale)
            and int(number.as_tuple().exponent) >= -scale
        )
        assert not exact, why
    else:
        assert found["a"] == number
        assert found["a"].as_tuple().exponent == -scale
        assert len(found["a"].as_tuple().digits) <= digits


def test_a_task_needs_nothing_of_ours(tmp_path: Path) -> None:
    """It decodes in a process that cannot import this package, as it does here."""
    for module in (strict_values, strict_json):
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    try:
        sent: bytes = cloudpickle.dumps(DECODER)  # type: ignore[no-untyped-call]
    finally:
        for module in (strict_values, strict_json):
            cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]
    (tmp_path / "decoder").write_bytes(sent)
    code = (
        "import pickle, sys; sys.modules['connectors'] = None\n"
        "decoder = pickle.load(open('decoder', 'rb'))\n"
        "print([decoder(b) for b in (b'{\"id\": 7}', b'{}', b'{\"id\": 1, \"id\": 1}')])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    twice = ' has the key "id" twice in one object'
    assert done.stdout.strip() == repr([(row(id=7), None), (None, ".id is missing"), (None, twice)])
    assert pickle.loads(sent)(b'{"id": 7}') == (row(id=7), None)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=9))
def test_what_no_column_wants_is_passed_over(value: Any) -> None:
    """As long as it is JSON."""
    data = json.dumps({"unknown": value, "id": 1}).encode()
    assert DECODER(data) == (row(), None)
