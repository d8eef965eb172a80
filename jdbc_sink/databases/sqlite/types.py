"""SQLite's column types: a declared type is a word, of which its affinity decides what becomes of a
value."""

from __future__ import annotations

import re

import pyarrow
import pyarrow.types as arrow

from jdbc_sink.databases.parts import is_text, opaque
from jdbc_sink.databases.plain import is_bytes
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
# What a value is stored as -> affinities that leave it as it is. Text that is no number is left
# alone by NUMERIC, too.
_KEEPS = {
    "INTEGER": ("INTEGER", "NUMERIC", "BLOB"),
    "REAL": ("REAL", "BLOB"),
    "TEXT": ("TEXT", "BLOB"),
    "BLOB": ("BLOB",),
    "WORDS": ("TEXT", "NUMERIC", "BLOB"),
}
# Our words for values that have a meaning of their own -> what they are stored as.
_OURS = {
    "BOOLEAN": "INTEGER",
    "DATE": "WORDS",
    "DATETIME": "WORDS",
    "TIMESTAMP_UTC_TEXT": "WORDS",
    "INTERVAL_MICROSECONDS": "INTEGER",
    "JSON": "WORDS",
}
_DECIMAL = re.compile(r"DECIMAL_TEXT\((\d+),(-?\d+)\)")
_NANOSECONDS = "nanoseconds would be cut to microseconds, cast it"
_NO_FORM = "it has no form here"


class SqliteTypes:
    """jdbc_sink.databases.Types for SQLite.

    Decimals are text in a type whose name says so, as SQLite would make floats of them; dates and
    timestamps are ISO text, with `+00:00` for an instant; durations are numbers of microseconds;
    arrays, maps and structs are JSON text."""

    def column_types(self, schema: pyarrow.Schema) -> tuple[dict[str, str], list[str]]:
        """As SQLite stores the Arrow columns; and those that it cannot."""
        kinds: dict[str, str] = {}
        findings: list[str] = []
        for field in schema:
            why = _unstorable(field.type)
            if why:
                findings.append(f"column {field.name} is {opaque(field.type) or field.type}: {why}")
            else:
                kinds[field.name] = _declared(field.type)
        return kinds, findings

    def fits(self, source: str, target: str) -> bool:
        """Can a column of type `target` hold every value of `source` unchanged?"""
        if source == target:
            return True
        ours, theirs = _DECIMAL.fullmatch(source), _DECIMAL.fullmatch(target)
        if theirs is not None:
            same_form = ours is not None and ours[2] == theirs[2]
            return same_form and _digits(source) <= _digits(target)
        if target in _OURS:
            return False
        return affinity(target) in _KEEPS[_stored(source)]

    def has_order(self, kind: str) -> bool:
        """Do values of this type compare as they do in Spark? JSON compares as text."""
        return kind != "JSON"

    def sum_type(self, summand: str) -> str | None:
        """The type of a new column that takes sums. None for what cannot be added."""
        decimal = _DECIMAL.fullmatch(summand)
        if decimal is not None:
            return f"DECIMAL_TEXT(38,{decimal[2]})"
        return summand if summand in ("INTEGER", "REAL", "INTERVAL_MICROSECONDS") else None

    def total(self, column: str, kind: str) -> str:
        """SQL for the sum of a (quoted) column in one group. It fails where it overflows, and where
        inf meets -inf."""
        if _DECIMAL.fullmatch(kind):
            total = f"{functions.DECIMAL_TOTAL}({column})"
        elif kind == "REAL":
            total = f"sum({column})"
        else:
            return f"sum({column})"
        there = f"count({column}) > 0"
        return f"CASE WHEN {there} THEN coalesce({total}, {functions.overflow(there)}) END"

    def plus(self, old: str, new: str, kind: str) -> str:
        """SQL for the sum of two values, neither NULL. It fails where it overflows, and where inf
        meets -inf."""
        failure = functions.overflow(f"{old} IS NOT NULL")
        if _DECIMAL.fullmatch(kind):
            return f"coalesce({functions.DECIMAL_PLUS}({old}, {new}), {failure})"
        if kind == "REAL":
            return f"coalesce({old} + {new}, {failure})"
        # A sum of integers that has no room becomes a float, silently.
        total = f"{old} + {new}"
        fits = f"typeof({total}) = 'integer'"
        return f"CASE WHEN {fits} THEN {total} ELSE {failure} END"

    def ordered(self, column: str, kind: str) -> str:
        """SQL for a column in a form that compares as its values do."""
        if _DECIMAL.fullmatch(kind):
            return f"{column} COLLATE {functions.COLLATION}"
        # A collation of the table's column would count across windows, and not inside of them.
        return f"{column} COLLATE BINARY" if kind == "TEXT" else column


def affinity(declared: str) -> str:
    """What SQLite makes of values in a column of this declared type."""
    if not declared:
        return "BLOB"
    return next((found for word, found in _AFFINITIES if word in declared), "NUMERIC")


def _declared(kind: pyarrow.DataType) -> str:
    if arrow.is_dictionary(kind):
        return _declared(kind.value_type)
    if arrow.is_decimal(kind):
        return f"DECIMAL_TEXT({kind.precision},{kind.scale})"
    if arrow.is_timestamp(kind):
        return "DATETIME" if kind.tz is None else "TIMESTAMP_UTC_TEXT"
    simple = (
        (arrow.is_boolean, "BOOLEAN"),
        (arrow.is_integer, "INTEGER"),
        (arrow.is_floating, "REAL"),
        (is_text, "TEXT"),
        (is_bytes, "BLOB"),
        (arrow.is_date, "DATE"),
        (arrow.is_duration, "INTERVAL_MICROSECONDS"),
        (_is_parted, "JSON"),
    )
    return next((name for test, name in simple if test(kind)), "")


def _is_parted(kind: pyarrow.DataType) -> bool:
    lists = (
        arrow.is_list,
        arrow.is_large_list,
        arrow.is_fixed_size_list,
        arrow.is_list_view,
        arrow.is_large_list_view,
    )
    return bool(arrow.is_struct(kind) or arrow.is_map(kind)) or any(test(kind) for test in lists)


def _unstorable(kind: pyarrow.DataType) -> str:
    """Why there is no column for this type; empty if there is."""
    if opaque(kind):
        return f"SQLite has no {opaque(kind)}, cast it"
    if arrow.is_null(kind):
        return "it has no type of its own, cast it"
    if not _declared(kind):
        return _NO_FORM
    if (arrow.is_timestamp(kind) or arrow.is_duration(kind)) and kind.unit == "ns":
        return _NANOSECONDS
    if arrow.is_date64(kind):
        return "parts of a day would be cut, cast it"
    if arrow.is_dictionary(kind):
        return _unstorable(kind.value_type)
    fields = [kind.field(number) for number in range(kind.num_fields)]
    names = [field.name for field in fields]
    if len(set(names)) < len(names):
        return "two of its fields have one name"
    return next(filter(None, (_unstorable(field.type) for field in fields)), "")


def _stored(declared: str) -> str:
    if _DECIMAL.fullmatch(declared):
        return "TEXT"
    return _OURS.get(declared) or affinity(declared)


def _digits(decimal: str) -> int:
    return int(decimal.partition("(")[2].partition(",")[0])
