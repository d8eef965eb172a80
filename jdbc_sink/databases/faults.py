"""Values in Arrow columns that every database has to refuse. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute as compute
import pyarrow.types as arrow

from jdbc_sink.databases.parts import is_text
from jdbc_sink.rows import pieces

if TYPE_CHECKING:
    from jdbc_sink.rows import Rows

_SHOWN_LETTERS = 80


def by_column(
    rows: Rows,
    columns: Sequence[str],
    finding: Callable[[pyarrow.ChunkedArray], tuple[str, str] | None],
) -> list[tuple[str, str, str]]:
    """(column, value, reason) of the first finding of each of these columns that has one."""
    found: dict[str, tuple[str, str]] = {}
    for piece in pieces(rows, columns) if columns else ():
        for name in columns:
            fault = None if name in found else finding(piece.column(name))
            if fault is not None:
                found[name] = fault
    return [(name, *fault) for name, fault in found.items()]


def broken_text(array: pyarrow.Array) -> tuple[str, str] | None:
    """(value, reason) of the first text that is no UTF-8: Spark casts any bytes to a string."""
    if not is_text(array.type) or _is_utf8(array):
        return None
    row = first(array, lambda part: not _is_utf8(part))
    return shown(_binary(row)[0].as_py()), "it is no text: these bytes are not UTF-8"


def _binary(texts: pyarrow.Array) -> pyarrow.Array:
    return texts.cast(pyarrow.binary() if arrow.is_string(texts.type) else pyarrow.large_binary())


def _is_utf8(array: pyarrow.Array) -> bool:
    try:
        array.validate(full=True)
    except pyarrow.ArrowInvalid:
        return False
    return True


def beyond(array: pyarrow.Array, least: int, greatest: int) -> str | None:
    """The first date, timestamp or duration that is less than `least` or more than `greatest`, in
    its own units; None if there is none."""
    numbers = array.view(pyarrow.int32() if array.type.bit_width == 32 else pyarrow.int64())
    ends = compute.min_max(numbers).as_py()
    if ends["min"] is None or (ends["min"] >= least and ends["max"] <= greatest):
        return None
    outside = compute.or_(compute.less(numbers, least), compute.greater(numbers, greatest))
    value, number = array.filter(outside).slice(0, 1), numbers.filter(outside)[0]
    if arrow.is_duration(array.type):
        return f"{number} {array.type.unit}"
    if arrow.is_timestamp(array.type):
        value = value.view(pyarrow.timestamp(array.type.unit))
    text = str(value.cast(pyarrow.string())[0])
    # Arrow has no text for the ends of its range.
    return f"{number} units since 1970" if text.startswith("<") else text


def repeated_key(lists: pyarrow.Array) -> str | None:
    """A key that one map has twice; the maps are lists of their entries, their keys not nested."""
    keys = lists.flatten().flatten()[0]
    if arrow.is_dictionary(keys.type):
        keys = keys.dictionary_decode()
    if arrow.is_floating(keys.type):
        keys = compute.add(keys.cast(pyarrow.float64()), 0.0)  # which makes 0.0 of -0.0
    pairs = pyarrow.table({"map": compute.list_parent_indices(lists), "key": keys})
    counts = pairs.group_by(["map", "key"]).aggregate([([], "count_all")])
    twice = counts.filter(compute.greater(counts["count_all"], 1))
    return shown(twice["key"][0].as_py()) if twice.num_rows else None


def first(rows: Any, fails: Callable[[Any], bool]) -> Any:
    """Of rows of which some part fails, the first one, as a slice of one row."""
    while len(rows) > 1:
        half = len(rows) // 2
        rows = rows.slice(0, half) if fails(rows.slice(0, half)) else rows.slice(half)
    return rows


def shown(value: object) -> str:
    """A value in a message."""
    text = repr(value)
    return text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}…"
