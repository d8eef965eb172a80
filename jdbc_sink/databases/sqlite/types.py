"""SQLite's column types: a declared type is a word, of which its affinity decides what becomes of a
value."""

from __future__ import annotations

import pyarrow
import pyarrow.types as arrow

from jdbc_sink.databases.sqlite import functions

# Affinity that a declared type has by what is in its name, in SQLite's own order.
_AFFINITIES = (
    ("INT", "INTEGER"),
    ("CHAR", "TEXT"),
    ("CLOB", "TEXT"),
    ("TEXT", "TEXT"),
    ("BLOB", "BLOB"),
    ("REAL", "REAL"),
    ("FLOA", "REAL"),
    ("DOUB", "REAL"),
)
# What a value is stored as -> affinities that leave it as it is.
_KEEPS = {
    "INTEGER": ("INTEGER", "NUMERIC", "BLOB"),
    "REAL": ("REAL", "BLOB"),
    "TEXT": ("TEXT", "BLOB"),
    "BLOB": ("BLOB",),
    "MOMENT": ("TEXT", "NUMERIC", "BLOB"),
}


class SqliteTypes:
    """jdbc_sink.databases.Types for SQLite.

    Decimals are text in a type whose name says so, as SQLite would make floats of them; dates and
    timestamps are ISO text, with `+00:00` for an instant; arrays, maps, structs and durations are
    JSON text."""

    def column_types(self, schema: pyarrow.Schema) -> tuple[dict[str, str], list[str]]:
        """As SQLite stores the Arrow columns; and those that it cannot."""
        kinds: dict[str, str] = {}
        findings: list[str] = []
        for field in schema:
            kind = _declared(field.type)
            if kind is None:
                findings.append(f"column {field.name} is {field.type}, which has no form here")
            else:
                kinds[field.name] = kind
        return kinds, findings

    def fits(self, source: str, target: str) -> bool:
        """Can a column of type `target` hold every value of `source` unchanged?"""
        if source == target:
            return True
        if source.startswith("DECIMAL_TEXT") and target.startswith("DECIMAL_TEXT"):
            return _digits(source) <= _digits(target) and _scale(source) == _scale(target)
        return affinity(target) in _KEEPS[_stored(source)]

    def sum_type(self, summand: str) -> str | None:
        """The type of a new column that takes sums. None for what cannot be added."""
        if summand.startswith("DECIMAL_TEXT"):
            return f"DECIMAL_TEXT(38,{_scale(summand)})"
        return summand if summand in ("INTEGER", "REAL") else None

    def total(self, column: str, kind: str) -> str:
        """SQL for the sum of a (quoted) column in one group."""
        if kind.startswith("DECIMAL_TEXT"):
            return f"{functions.DECIMAL_TOTAL}({column})"
        # sum() of integers fails where it overflows.
        return f"sum({column})"

    def plus(self, old: str, new: str, kind: str) -> str:
        """SQL for the sum of two values, neither NULL."""
        if kind.startswith("DECIMAL_TEXT"):
            return f"{functions.DECIMAL_PLUS}({old}, {new})"
        return f"{functions.PLUS}({old}, {new})" if kind == "INTEGER" else f"{old} + {new}"

    def ordered(self, column: str, kind: str) -> str:
        """SQL for a column in a form that compares as its values do."""
        if kind.startswith("DECIMAL_TEXT"):
            return f"{column} COLLATE {functions.COLLATION}"
        return column


def affinity(declared: str) -> str:
    """What SQLite makes of values in a column of this declared type."""
    if not declared:
        return "BLOB"
    return next((found for word, found in _AFFINITIES if word in declared), "NUMERIC")


def _declared(kind: pyarrow.DataType) -> str | None:
    simple = (
        (arrow.is_boolean, "BOOLEAN"),
        (arrow.is_integer, "INTEGER"),
        (arrow.is_floating, "REAL"),
        (arrow.is_string, "TEXT"),
        (arrow.is_large_string, "TEXT"),
        (arrow.is_binary, "BLOB"),
        (arrow.is_large_binary, "BLOB"),
        (arrow.is_date32, "DATE"),
        (arrow.is_nested, "TEXT"),
        (arrow.is_duration, "TEXT"),
    )
    if arrow.is_decimal(kind):
        return f"DECIMAL_TEXT({kind.precision},{kind.scale})"
    if arrow.is_timestamp(kind):
        return None if kind.unit == "ns" else "DATETIME"
    return next((name for test, name in simple if test(kind)), None)


def _stored(declared: str) -> str:
    if declared.startswith("DECIMAL_TEXT"):
        return "TEXT"
    stored = {"BOOLEAN": "INTEGER", "DATE": "MOMENT", "DATETIME": "MOMENT"}
    return stored.get(declared, declared)


def _digits(decimal: str) -> int:
    return int(decimal.partition("(")[2].partition(",")[0])


def _scale(decimal: str) -> int:
    return int(decimal.partition(",")[2].rstrip(")"))
