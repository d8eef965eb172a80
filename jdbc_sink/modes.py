"""What a window's rows do to the target: `append()` and `accumulate(key, …)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from windowlog.errors import BadArgument

Quote = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Mode:
    """How rows take effect. Made by `append` and `accumulate`; `key` is empty for append.

    `combine` gives for each other column how two values become one: "sum", "min" or "max"."""

    key: tuple[str, ...] = ()
    combine: tuple[tuple[str, str], ...] = ()

    def describe(self) -> str:
        """As the ledger remembers it."""
        if not self.key:
            return "append"
        columns = [f"{how} {column}" for column, how in sorted(self.combine)]
        return f"accumulate by {', '.join(self.key)}: {', '.join(columns)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that must be in every frame; none for append, which takes what comes."""
        return (*self.key, *(column for column, _ in self.combine))


def append() -> Mode:
    """Each row of a window becomes a row of the table."""
    return Mode()


def accumulate(
    key: Sequence[str],
    *,
    add: Sequence[str] = (),
    min: Sequence[str] = (),  # noqa: A002 (the words of the field)
    max: Sequence[str] = (),  # noqa: A002
) -> Mode:
    """One row for each key: `add`ed columns grow by the window's sums, `min` and `max` keep the
    least and greatest.

    Rows of one window with the same key are combined first. NULL in a key is refused; NULL in
    another column counts as no value: NULL and 3 make 3, NULL and NULL stay NULL. BadArgument
    unless key and at least one column are given."""
    keys = _names("key", key)
    combine: list[tuple[str, str]] = []
    for argument, columns, how in (("add", add, "sum"), ("min", min, "min"), ("max", max, "max")):
        combine += [(column, how) for column in _names(argument, columns)]
    if not keys:
        raise BadArgument(argument="key", value=key, allowed="a list of at least one column")
    if not combine:
        raise BadArgument(argument="add", value=add, allowed="a column in add, min or max")
    names = [*keys, *(column for column, _ in combine)]
    if len({name.lower() for name in names}) < len(names):
        allowed = "columns that are named once, in key, add, min or max"
        raise BadArgument(argument="accumulate", value=names, allowed=allowed)
    return Mode(keys, tuple(combine))


def _names(argument: str, columns: Sequence[str]) -> tuple[str, ...]:
    given: Any = columns
    if isinstance(given, str) or not all(isinstance(name, str) and name for name in given):
        raise BadArgument(argument=argument, value=columns, allowed="a list of column names")
    return tuple(columns)


def insert_statement(
    mode: Mode, table: str, columns: Sequence[str], source: str, quote: Quote
) -> str:
    """The one statement that lets the rows of relation `source` take effect in `table` (both quoted
    already)."""
    names = ", ".join(map(quote, columns))
    if not mode.key:
        return f"INSERT INTO {table} ({names}) SELECT {names} FROM {source}"
    hows = dict(mode.combine)
    selected = ", ".join(
        f"{hows[c].upper()}({quote(c)}) AS {quote(c)}" if c in hows else quote(c) for c in columns
    )
    keys = ", ".join(map(quote, mode.key))
    updates = ", ".join(f"{quote(c)} = {_merged(how, quote(c))}" for c, how in mode.combine)
    return (
        f"INSERT INTO {table} AS target ({names}) SELECT {selected} FROM {source}"
        f" GROUP BY {keys} ON CONFLICT ({keys}) DO UPDATE SET {updates}"
    )


def _merged(how: str, column: str) -> str:
    old, new = f"target.{column}", f"excluded.{column}"
    value = {
        "sum": f"{old} + {new}",
        "min": f"least({old}, {new})",
        "max": f"greatest({old}, {new})",
    }
    return f"CASE WHEN {old} IS NULL THEN {new} WHEN {new} IS NULL THEN {old} ELSE {value[how]} END"
