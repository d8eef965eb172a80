"""Arrow columns as plain Python values, in one form for each type: as SQLite stores them, and as
JSON where a value has parts. Pure.

In JSON, texts, dates, timestamps and decimals are strings, bytes are hexadecimal digits as of
SQLite's hex(), durations are microseconds. A struct is an object; a map with text for keys too, any
other map an array of [key, value]. Everything stays in its order, without blanks."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from typing import Any

import pyarrow
import pyarrow.compute as compute
import pyarrow.types as arrow

from jdbc_sink.databases.parts import as_list, is_text


def values(column: pyarrow.Array) -> list[Any]:
    """A column as sqlite3 takes it."""
    kind = column.type
    if arrow.is_dictionary(kind):
        return values(column.dictionary_decode())
    if arrow.is_nested(kind):
        return [None if value is None else as_json(value) for value in parts(column, values)]
    if arrow.is_timestamp(kind):
        return _moments(column)
    if arrow.is_date(kind):
        return list(column.cast(pyarrow.string()).to_pylist())
    if arrow.is_duration(kind):
        return list(column.cast(pyarrow.duration("us")).view(pyarrow.int64()).to_pylist())
    if arrow.is_decimal(kind):
        return [None if value is None else format(value, "f") for value in column.to_pylist()]
    return list(column.to_pylist())


def _moments(column: pyarrow.Array) -> list[Any]:
    # Arrow keeps an instant in UTC, whatever its zone.
    texts = column.view(pyarrow.timestamp(column.type.unit))
    texts = texts.cast(pyarrow.timestamp("us")).cast(pyarrow.string())
    if column.type.tz is not None:
        texts = compute.binary_join_element_wise(texts, "+00:00", "")
    return list(texts.to_pylist())


def as_json(value: Any) -> str:
    """JSON, exact and short. ValueError for NaN and infinities."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def parts(column: pyarrow.Array, leaf: Callable[[pyarrow.Array], list[Any]]) -> list[Any]:
    """A column as json takes it; `leaf` makes values of an array that has no parts."""
    kind = column.type
    if arrow.is_struct(kind):
        return _objects(column, leaf)
    if arrow.is_map(kind):
        return _maps(column, leaf)
    if arrow.is_nested(kind):
        return _lists(column, leaf)
    if arrow.is_dictionary(kind):
        return parts(column.dictionary_decode(), leaf)
    if is_bytes(kind):
        return [None if value is None else value.hex().upper() for value in column.to_pylist()]
    return leaf(column)


def _objects(column: pyarrow.Array, leaf: Callable[[pyarrow.Array], list[Any]]) -> list[Any]:
    names = [field.name for field in column.type]
    if not names:
        return [{} if there else None for there in column.is_valid().to_pylist()]
    rows = zip(*(parts(part, leaf) for part in column.flatten()), strict=True)
    return [
        dict(zip(names, row, strict=True)) if there else None
        for row, there in zip(rows, column.is_valid().to_pylist(), strict=True)
    ]


def _lists(column: pyarrow.Array, leaf: Callable[[pyarrow.Array], list[Any]]) -> list[Any]:
    inner = iter(parts(column.flatten(), leaf))
    lengths = compute.list_value_length(column).to_pylist()
    return [None if length is None else list(islice(inner, length)) for length in lengths]


def _maps(column: pyarrow.Array, leaf: Callable[[pyarrow.Array], list[Any]]) -> list[Any]:
    lists = as_list(column)
    columns = lists.flatten().flatten()
    pairs = iter(zip(*(parts(each, leaf) for each in columns), strict=True))
    lengths = compute.list_value_length(lists).to_pylist()
    maps = [None if length is None else list(islice(pairs, length)) for length in lengths]
    if is_name(column.type.key_type):
        return [None if entries is None else _object(entries) for entries in maps]
    return list(maps)


def _object(entries: list[Any]) -> Any:
    # A map with a key twice is refused, and shown whole among the dead letters.
    found = dict(entries)
    return found if len(found) == len(entries) else entries


def is_bytes(kind: pyarrow.DataType) -> bool:
    """Bytes, however many."""
    tests = (
        arrow.is_binary,
        arrow.is_large_binary,
        arrow.is_binary_view,
        arrow.is_fixed_size_binary,
    )
    return any(test(kind) for test in tests)


def is_name(key: pyarrow.DataType) -> bool:
    """Can a map with such keys be an object?"""
    return is_text(key.value_type if arrow.is_dictionary(key) else key)
