"""Values that DuckDB would take for others, or not take at all."""

from __future__ import annotations

import pyarrow
import pyarrow.types as arrow

from jdbc_sink.databases.faults import beyond, broken_text, first, repeated_key, shown
from jdbc_sink.databases.parts import leaves, maps, per_second

# DuckDB's own ends. What lies beside them stands for its infinities.
_DAYS = (-(2**31) + 2, 2**31 - 2)
_MICROSECONDS = (-9_223_372_022_400_000_000, 2**63 - 2)
_NANOSECONDS = (-9_223_286_400_000_000_000, 2**63 - 2)
_INTERVAL = (-(2**63), 2**63 - 1)
_PER_SECOND = 10**6
# A name that is used for a moment in a database of its own.
_PROBE = "probe"


def finding(column: pyarrow.ChunkedArray) -> tuple[str, str] | None:
    """(value, reason) of a value that would not come back; None if all do."""
    for array, _ in leaves(column):
        broken = broken_text(array)
        if broken is not None:
            return broken
        value = _outside(array)
        if value is not None:
            return value, "it is outside of what DuckDB has values for"
    for each in maps(column):
        if arrow.is_nested(each.type.value_type.field(0).type):
            return _refused(column)
        value = repeated_key(each)
        if value is not None:
            return value, "a map of DuckDB has each key once"
    return None


def is_bounded(kind: pyarrow.DataType) -> bool:
    """Has DuckDB fewer values than Arrow for something in this type?"""
    if arrow.is_timestamp(kind) or arrow.is_date32(kind) or arrow.is_duration(kind):
        return True
    return any(is_bounded(kind.field(number).type) for number in range(kind.num_fields))


def _outside(array: pyarrow.Array) -> str | None:
    kind = array.type
    if arrow.is_date32(kind):
        return beyond(array, *_DAYS)
    if not (arrow.is_timestamp(kind) or arrow.is_duration(kind)):
        return None
    ends = _INTERVAL if arrow.is_duration(kind) else _MICROSECONDS
    if kind.unit == "ns":
        return beyond(array, *_NANOSECONDS)
    units = _PER_SECOND // per_second(kind)
    return beyond(array, -(-ends[0] // units), ends[1] // units)


def _refused(column: pyarrow.ChunkedArray) -> tuple[str, str] | None:
    """A map with a key twice: which of these are equal, DuckDB says."""
    reason = _said(column)
    if reason is None:
        return None
    row = first(column, lambda part: _said(part) is not None)
    return shown(row[0].as_py()), _said(row) or reason


def _said(column: pyarrow.ChunkedArray) -> str | None:
    import duckdb

    with duckdb.connect() as scratch:
        scratch.register(_PROBE, pyarrow.table({"x": column}))
        try:
            scratch.execute(f"SELECT count(x) FROM {_PROBE}")
        except duckdb.Error as error:
            return str(error).partition("\n")[0]
    return None
