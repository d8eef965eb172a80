"""DuckDB's column types: which stores which Arrow values unchanged, which holds the values of
which, and in which a sum has room."""

from __future__ import annotations

import re
from typing import Any

import pyarrow
import pyarrow.types as arrow

from jdbc_sink.databases.parts import opaque

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
# It takes 10 thousand million summands of so many digits to leave 128 bits.
_DECIMAL_DIGITS_SAFE = 28
# A name that is used for a moment in a database of its own.
_PROBE = "probe"


class DuckDbTypes:
    """jdbc_sink.databases.Types for DuckDB."""

    def column_types(self, schema: pyarrow.Schema) -> tuple[dict[str, str], list[str]]:
        """As DuckDB describes the Arrow columns; and those that it refuses, or would change."""
        import duckdb

        types: dict[str, str] = {}
        findings: list[str] = []
        # A database of its own: a column that cannot be described would end a transaction.
        with duckdb.connect() as scratch:
            for field in schema:
                why = _changed(field.type)
                try:
                    types[field.name] = "" if why else _described(scratch, field)
                except duckdb.Error as error:
                    why = str(error).partition("\n")[0]
                if why:
                    findings.append(
                        f"column {field.name} is {opaque(field.type) or field.type}: {why}"
                    )
        return types, findings

    def fits(self, source: str, target: str) -> bool:
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

    def has_order(self, kind: str) -> bool:
        """Do values of this type compare as they do in Spark? Maps do not,
        nor do they there."""
        return "MAP(" not in kind

    def sum_type(self, summand: str) -> str | None:
        """The type of a new column that takes sums, which outgrow their summands. None for what
        cannot be added."""
        decimal = _DECIMAL.fullmatch(summand)
        if decimal is not None:
            return f"DECIMAL({_DECIMAL_DIGITS_MAX},{decimal[2]})"
        if summand in _FLOATS:
            return "DOUBLE"
        if summand in _INTEGERS:
            return "BIGINT" if self.fits(summand, "BIGINT") else summand
        return summand if summand == "INTERVAL" else None

    def total(self, column: str, kind: str) -> str:
        """SQL for the sum of a (quoted) column in one group."""
        if kind == "INTERVAL":
            # Which DuckDB only adds, and does not sum. A frame's have neither days nor months.
            return f"to_microseconds(CAST(sum(epoch_us({column})) AS BIGINT))"
        decimal = _DECIMAL.fullmatch(kind)
        if decimal is not None and int(decimal[1]) > _DECIMAL_DIGITS_SAFE:
            return _checked_total(column, int(decimal[2]))
        return f"sum({column})"

    def plus(self, old: str, new: str, kind: str) -> str:
        """SQL for the sum of two values, neither NULL."""
        return f"{old} + {new}"

    def ordered(self, column: str, kind: str) -> str:
        """SQL for a column in a form that compares as its values do."""
        # A collation of the table's column would count across windows, and not inside of them.
        return f'{column} COLLATE "binary"' if kind == "VARCHAR" else column


def _checked_total(column: str, scale: int) -> str:
    """A sum of decimals that fails where it needs more than 38 digits. DuckDB adds up in 128 bits,
    looks at those only inside one thread, and not at the digits."""
    room = f"DECIMAL({_DECIMAL_DIGITS_MAX},{scale})"
    # Far from exact, but a sum that has left 128 bits is seen: no such number is a decimal.
    fits = f"CAST(sum(CAST({column} AS DOUBLE)) / 1.5 AS {room}) IS NOT NULL"
    return f"CASE WHEN {fits} THEN sum({column}) + CAST(0 AS {room}) END"


def _changed(kind: pyarrow.DataType) -> str:
    """Why DuckDB would take this type and alter its values; empty if it would not."""
    if opaque(kind):
        return f"DuckDB would store the insides of a {opaque(kind)}, cast it"
    if arrow.is_null(kind):
        return "it has no type of its own, cast it"
    if arrow.is_decimal(kind) and kind.scale < 0:
        return "its scale is negative, cast it"
    if arrow.is_date64(kind):
        return "parts of a day would be cut, cast it"
    zoned = arrow.is_timestamp(kind) and kind.tz is not None
    if arrow.is_interval(kind) or ((zoned or arrow.is_duration(kind)) and kind.unit == "ns"):
        return "nanoseconds would be cut to microseconds, cast it"
    if arrow.is_dictionary(kind):
        return _changed(kind.value_type)
    inner = (_changed(kind.field(number).type) for number in range(kind.num_fields))
    return next(filter(None, inner), "")


def _described(scratch: Any, field: pyarrow.Field) -> str:
    scratch.register(_PROBE, pyarrow.schema([field]).empty_table())
    row = scratch.execute(f"DESCRIBE SELECT * FROM {_PROBE}").fetchall()[0]
    scratch.unregister(_PROBE)
    return str(row[1])
