"""Rows that a check or the database refuses, found one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.types as arrow

from jdbc_sink.databases.parts import is_text
from jdbc_sink.databases.plain import as_json, parts, values
from jdbc_sink.errors import TooManyRejects

if TYPE_CHECKING:
    from jdbc_sink.rows import Rows

# The reason why these rows are refused; None if they are not.
Refusal = Callable[[pyarrow.Table], str | None]


@dataclass(frozen=True, slots=True)
class Reject:
    """A row of `table` that was refused, as JSON."""

    table: str
    reason: str
    row: str


@dataclass(frozen=True, slots=True)
class Staged:
    """A window's rows by table, and those that were refused. `sifted`: the database was asked about
    each already."""

    window_id: int
    rows: Mapping[str, Rows]
    rejects: tuple[Reject, ...] = ()
    sifted: bool = False


def sift(
    rows: pyarrow.Table, refusal: Refusal, most: int
) -> tuple[pyarrow.Table, list[tuple[str, str]]]:
    """The rows that are good together, in order, and (reason, row as JSON) of each other one.

    A row is bad if it is refused beside the good ones before it. Each is found by halving: about
    log2(n) questions, and a database answers each by writing up to n rows in vain. Stops after
    `most` + 1 bad ones."""
    good, rest = rows.slice(0, 0), rows
    rejects: list[tuple[str, str]] = []
    while rest.num_rows and len(rejects) <= most:
        reason = refusal(_together(good, rest))
        if reason is None:
            return _together(good, rest), rejects
        # `low` rows are good, `high` rows are refused.
        low, high = 0, rest.num_rows
        while high - low > 1:
            middle = (low + high) // 2
            found = refusal(_together(good, rest.slice(0, middle)))
            if found is None:
                low = middle
            else:
                high, reason = middle, found
        rejects.append((reason, row_json(rest.slice(low, 1))))
        good, rest = _together(good, rest.slice(0, low)), rest.slice(high)
    return good, rejects


def _together(first: pyarrow.Table, second: pyarrow.Table) -> pyarrow.Table:
    return pyarrow.concat_tables([first, second])


def row_json(row: pyarrow.Table) -> str:
    """One row as a JSON object, in the form of jdbc_sink.databases.plain. What that cannot hold is
    text: "nan", bytes that are no UTF-8 by their codes, times out of range as numbers."""
    cells = (parts(column.combine_chunks(), _readable)[0] for column in row.columns)
    return as_json(dict(zip(row.column_names, cells, strict=True)))


def _readable(array: pyarrow.Array) -> list[Any]:
    kind = array.type
    if is_text(kind):
        found = array.cast(pyarrow.large_binary()).to_pylist()
        return [None if each is None else _decoded(each) for each in found]
    if arrow.is_floating(kind):
        found = array.to_pylist()
        return [each if each is None or isfinite(each) else str(each) for each in found]
    if arrow.is_time(kind):
        return list(array.cast(pyarrow.string()).to_pylist())
    try:
        return values(array)
    except pyarrow.ArrowInvalid:
        # More than 64 bits of microseconds, or less than one.
        return list(array.view(pyarrow.int64()).to_pylist())


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")


def check_count(rejects: list[Reject], limit: int, sink: str, window_id: int) -> None:
    """TooManyRejects above the limit."""
    if len(rejects) > limit:
        first = rejects[0]
        raise TooManyRejects(
            sink=sink,
            window_id=window_id,
            max_rejects=limit,
            reason=first.reason,
            table=first.table,
            row=first.row[:200],
        )
