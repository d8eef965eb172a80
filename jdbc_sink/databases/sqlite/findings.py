"""Values that SQLite would change, cannot take, or that its JSON has no form for. Pure."""

from __future__ import annotations

import pyarrow
import pyarrow.compute as compute
import pyarrow.types as arrow

from jdbc_sink.databases.faults import beyond, broken_text, repeated_key, shown
from jdbc_sink.databases.parts import leaves, maps, per_second
from jdbc_sink.databases.plain import is_name

_INTEGER_MAX = 2**63 - 1
# 0000-01-01 and 9999-12-31, where SQLite's own functions end; and the seconds between them.
_DAYS = (-719_528, 2_932_896)
_SECONDS = (_DAYS[0] * 86_400, (_DAYS[1] + 1) * 86_400)
_MICROSECONDS_PER_SECOND = 10**6


def finding(column: pyarrow.ChunkedArray) -> tuple[str, str] | None:
    """(value, reason) of a value that SQLite would change or not take; None if there is none."""
    for array, nested in leaves(column):
        found = _float(array, nested=nested) or _integer(array, nested=nested) or _time(array)
        found = found or broken_text(array)
        if found:
            return found
    for each in maps(column):
        value = repeated_key(each) if is_name(each.type.value_type.field(0).type) else None
        if value is not None:
            return value, "a map with this key twice would lose one of its values"
    return None


def _float(array: pyarrow.Array, *, nested: bool) -> tuple[str, str] | None:
    if not arrow.is_floating(array.type):
        return None
    if arrow.is_float16(array.type):
        array = array.cast(pyarrow.float32())  # which has the kernels
    if compute.any(compute.is_nan(array)).as_py():
        reason = "JSON has no such value" if nested else "SQLite would store NULL"
        return "NaN", reason
    if nested:
        endless = array.filter(compute.is_inf(array))
        return (shown(endless[0].as_py()), "JSON has no such value") if len(endless) else None
    zeros = array.filter(compute.equal(array, 0))
    if compute.any(compute.less(compute.divide(1.0, zeros), 0)).as_py():
        return "-0.0", "SQLite would store 0.0"
    return None


def _integer(array: pyarrow.Array, *, nested: bool) -> tuple[str, str] | None:
    if nested or not arrow.is_uint64(array.type):
        return None
    large = array.filter(compute.greater(array, pyarrow.scalar(_INTEGER_MAX, pyarrow.uint64())))
    return (str(large[0]), "an INTEGER of SQLite ends at 2^63 - 1") if len(large) else None


def _time(array: pyarrow.Array) -> tuple[str, str] | None:
    kind = array.type
    if arrow.is_date32(kind):
        value = beyond(array, *_DAYS)
    elif arrow.is_timestamp(kind):
        units = per_second(kind)
        value = beyond(array, _SECONDS[0] * units, _SECONDS[1] * units - 1)
    elif arrow.is_duration(kind):
        most = _INTEGER_MAX // (_MICROSECONDS_PER_SECOND // per_second(kind))
        value = beyond(array, -most - 1, most)
        return None if value is None else (value, "it does not fit into 64 bits of microseconds")
    else:
        return None
    return None if value is None else (value, "it is outside of the years 0 to 9999 of SQLite")
