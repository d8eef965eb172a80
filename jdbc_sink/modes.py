"""What a window's rows do to the target: `append()`, `upsert(key)`, `accumulate(key, …)`,
`replace_window()`.

Where several rows of a window have one key, they are combined first, by the same SQL on every
database: `accumulate` sums `add` and takes the least of `min` and the greatest of `max`; for
`upsert` and `last` equal rows are one, the greatest by `order_by` counts, and where that leaves
several different rows, the window is refused with the key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbc_sink.effects import Accumulate, Mode, ReplaceWindow, Upsert
from windowlog.errors import BadArgument


def append() -> Mode:
    """Each row of a window becomes a row of the table."""
    return Mode()


def upsert(key: Sequence[str], *, order_by: str | None = None) -> Mode:
    """One row for each key: the newest.

    With `order_by`, the row with the greatest value in that column, in its window and across
    windows, NULL being the least; equal ones count as newer when their window is. Without it, the
    row of the latest window. Two different rows that are both the newest of their key in one
    window are refused (AmbiguousKey), equal ones are one. NULL in a key is refused. BadArgument
    unless key is a list of columns."""
    keys = _keys(key)
    return Upsert(keys, _order(order_by, keys))


def accumulate(
    key: Sequence[str],
    *,
    add: Sequence[str] = (),
    min: Sequence[str] = (),  # noqa: A002 (the words of the field)
    max: Sequence[str] = (),  # noqa: A002
    last: Sequence[str] = (),
    order_by: str | None = None,
) -> Mode:
    """One row for each key: `add`ed columns grow by the window's sums, `min` and `max` keep the
    least and greatest, `last` the value of the newest row.

    Rows of one window with the same key are combined first. NULL in a key is refused; NULL in
    an added, least or greatest column counts as no value: NULL and 3 make 3, NULL and NULL stay
    NULL. What is newest says `order_by`, as for `upsert`: a column of the frame that is kept in the
    table as its greatest value. BadArgument unless key and at least one column are given."""
    keys = _keys(key)
    combine: list[tuple[str, str]] = []
    hows = (("add", add, "sum"), ("min", min, "min"), ("max", max, "max"), ("last", last, "last"))
    for argument, columns, how in hows:
        combine += [(column, how) for column in _names(argument, columns)]
    if not combine:
        raise BadArgument(argument="add", value=add, allowed="a column in add, min, max or last")
    order = _order(order_by, keys)
    if order is not None and not last:
        allowed = "None, as no column is in last"
        raise BadArgument(argument="order_by", value=order_by, allowed=allowed)
    if order is not None and order not in max:
        combine.append((order, "max"))
    named = [*keys, *(column for column, _ in combine)]
    if len({name.lower() for name in named}) < len(named):
        allowed = "columns that are named once, in key, add, min, max, last or order_by"
        raise BadArgument(argument="accumulate", value=named, allowed=allowed)
    return Accumulate(keys, tuple(combine), order)


def replace_window(*, column: str = "window_id") -> Mode:
    """Each row becomes a row, with its window's number in `column`, which the sink fills and, in a
    table that it makes, creates as BIGINT. A window that is written again replaces its own rows.
    BadArgument unless column is a name."""
    given: Any = column
    if not isinstance(given, str) or not given.strip():
        raise BadArgument(argument="column", value=column, allowed="a column name")
    return ReplaceWindow((), column)


def _keys(key: Sequence[str]) -> tuple[str, ...]:
    keys = _names("key", key)
    if not keys or len({name.lower() for name in keys}) < len(keys):
        allowed = "a list of at least one column, each named once"
        raise BadArgument(argument="key", value=key, allowed=allowed)
    return keys


def _names(argument: str, columns: Sequence[str]) -> tuple[str, ...]:
    given: Any = columns
    if isinstance(given, str) or not all(isinstance(name, str) and name for name in given):
        raise BadArgument(argument=argument, value=columns, allowed="a list of column names")
    return tuple(columns)


def _order(order_by: str | None, keys: tuple[str, ...]) -> str | None:
    if order_by is None:
        return None
    given: Any = order_by
    folded = [key.lower() for key in keys]
    if not isinstance(given, str) or not given or given.lower() in folded:
        allowed = "the name of a column that is not in the key, or None"
        raise BadArgument(argument="order_by", value=order_by, allowed=allowed)
    return order_by
