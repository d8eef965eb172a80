"""Column types by their SQL names: which holds the values of which, and in which a sum has room.
Pure."""

from __future__ import annotations

import re

# Type -> (bits, signed). A HUGEINT's range is a little less than 128 bits have, and is not needed.
_INTEGERS = {
    "TINYINT": (8, True),
    "SMALLINT": (16, True),
    "INTEGER": (32, True),
    "BIGINT": (64, True),
    "HUGEINT": (128, True),
    "UTINYINT": (8, False),
    "USMALLINT": (16, False),
    "UINTEGER": (32, False),
    "UBIGINT": (64, False),
    "UHUGEINT": (128, False),
}
_FLOATS = ("FLOAT", "DOUBLE")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
_DECIMAL_DIGITS_MAX = 38


def fits(source: str, target: str) -> bool:
    """Can a column of type `target` hold every value of `source` unchanged?"""
    if source == target:
        return True
    if source in _INTEGERS and target in _INTEGERS:
        bits, signed = _INTEGERS[source]
        room, minus = _INTEGERS[target]
        return room >= bits if signed == minus else minus and room > bits
    if source in _FLOATS and target in _FLOATS:
        return _FLOATS.index(source) <= _FLOATS.index(target)
    ours, theirs = _DECIMAL.fullmatch(source), _DECIMAL.fullmatch(target)
    if ours is None or theirs is None:
        return False
    whole = int(ours[1]) - int(ours[2]), int(theirs[1]) - int(theirs[2])
    return whole[0] <= whole[1] and int(ours[2]) <= int(theirs[2])


def sum_type(summand: str) -> str | None:
    """The type of a new column that takes sums, which outgrow their summands. None for what cannot
    be added."""
    decimal = _DECIMAL.fullmatch(summand)
    if decimal is not None:
        return f"DECIMAL({_DECIMAL_DIGITS_MAX},{decimal[2]})"
    if summand in _FLOATS:
        return "DOUBLE"
    if summand in _INTEGERS:
        return "BIGINT" if fits(summand, "BIGINT") else summand
    return summand if summand == "INTERVAL" else None
