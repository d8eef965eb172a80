"""Hive partition folders as Spark names them, for rows that pyarrow writes. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

NOTHING = "__HIVE_DEFAULT_PARTITION__"
# What Hive and Spark write as %XX in a folder's name.
_ESCAPED = frozenset("\"#%'*/:=?\\{[]^\x7f") | frozenset(map(chr, range(1, 32)))


def split(table: pyarrow.Table, columns: Sequence[str]) -> list[tuple[str, pyarrow.Table]]:
    """(folder, rows without these columns) for each set of values, by folder. One, with "" for the
    folder, where there are no columns."""
    if not columns:
        return [("", table)]
    rows: dict[str, list[int]] = {}
    values = zip(*(table.column(name).to_pylist() for name in columns), strict=True)
    for at, row in enumerate(values):
        rows.setdefault(folder(columns, row), []).append(at)
    data = table.drop_columns(list(columns))
    return [(name, data.take(rows[name])) for name in sorted(rows)]


def folder(columns: Sequence[str], values: Sequence[Any]) -> str:
    """`day=2024-05-01/country=de`."""
    pairs = zip(columns, values, strict=True)
    return "/".join(f"{_escape(column)}={_escape(text(value))}" for column, value in pairs)


def text(value: Any) -> str:
    """A value in a folder's name."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ")
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def _escape(name: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in _ESCAPED else c for c in name)
