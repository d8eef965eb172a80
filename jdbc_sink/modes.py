"""What a window's rows do to the target: `append()`, `upsert(key)`, `accumulate(key, …)`,
`replace_window()`.

Where several rows of a window have one key, they are combined first, by the same SQL on every
database: `accumulate` sums `add` and takes the least of `min` and the greatest of `max`; for
`upsert` and `last` equal rows are one, the greatest by `order_by` counts, and where that leaves
several different rows, the window is refused with the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jdbc_sink import statements
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from jdbc_sink.databases import Types
    from jdbc_sink.statements import Terms


@dataclass(frozen=True, slots=True)
class Mode:
    """How rows take effect: this one is append, and what the others differ from. Made by the
    functions below.

    `key`: columns that are never NULL in a frame, and unique in the table."""

    key: tuple[str, ...] = ()

    @property
    def makes_table(self) -> bool:
        """Is a table that is not there made, and one that is there checked?"""
        return True

    def describe(self) -> str:
        """As the ledger remembers it."""
        return "append"

    def added(self) -> dict[str, str]:
        """Columns of the table that are not the frame's: name -> SQL type."""
        return {}

    def sums(self) -> tuple[str, ...]:
        """Columns that grow, and so need room."""
        return ()

    def findings(self, kinds: Mapping[str, str], types: Types) -> Iterator[str]:
        """What is wrong with a frame of these columns."""
        yield from _missing(kinds, self.key)

    def questions(self, terms: Terms) -> list[str]:
        """Queries that answer with a key for which the window does not say what becomes of it.
        Asked where keys repeat."""
        return []

    def beforehand(self, terms: Terms) -> list[str]:
        """What comes once, before the window's rows."""
        return []

    def statements(self, terms: Terms) -> list[str]:
        """What lets the rows of the relation take effect. The relation may be a part of the
        window."""
        return [statements.insert(terms)]


@dataclass(frozen=True, slots=True)
class Upsert(Mode):
    """The newest row of each key."""

    order_by: str | None = None

    def describe(self) -> str:
        """As the ledger remembers it."""
        order = "" if self.order_by is None else f", the greatest {self.order_by}"
        return f"upsert by {', '.join(self.key)}{order}"

    def findings(self, kinds: Mapping[str, str], types: Types) -> Iterator[str]:
        """Columns that are not there."""
        yield from _missing(kinds, (*self.key, *_given(self.order_by)))
        yield from _unordered(kinds, types, _given(self.order_by))

    def questions(self, terms: Terms) -> list[str]:
        """Several different rows, none of which is the greatest."""
        return [statements.ambiguous_key(terms, self.key, self.order_by, terms.columns)]

    def statements(self, terms: Terms) -> list[str]:
        """Insert, or overwrite what is not newer."""
        return [statements.upsert(terms, self.key, self.order_by)]


@dataclass(frozen=True, slots=True)
class Accumulate(Mode):
    """One row for each key, which each window changes. `combine` gives for each other column how
    two values become one: "sum", "min", "max" or "last"."""

    combine: tuple[tuple[str, str], ...] = ()
    order_by: str | None = None

    def describe(self) -> str:
        """As the ledger remembers it."""
        columns = [f"{how} {column}" for column, how in sorted(self.combine)]
        order = "" if self.order_by is None else f", the last by {self.order_by}"
        return f"accumulate by {', '.join(self.key)}: {', '.join(columns)}{order}"

    def sums(self) -> tuple[str, ...]:
        """What is added."""
        return tuple(column for column, how in self.combine if how == "sum")

    def findings(self, kinds: Mapping[str, str], types: Types) -> Iterator[str]:
        """Columns that are not there, too many, or cannot be added."""
        wanted = (*self.key, *(column for column, _ in self.combine))
        yield from _missing(kinds, wanted)
        for column in kinds:
            if column not in wanted:
                yield f"column {column} is neither key nor accumulated"
        for column in self.sums():
            if column in kinds and types.sum_type(kinds[column]) is None:
                yield f"column {column} is {kinds[column]}, which cannot be added"
        compared = [column for column, how in self.combine if how in ("min", "max")]
        yield from _unordered(kinds, types, compared)

    def questions(self, terms: Terms) -> list[str]:
        """A key with several last values."""
        lasts = [column for column, how in self.combine if how == "last"]
        if not lasts:
            return []
        return [statements.ambiguous_key(terms, self.key, self.order_by, lasts)]

    def statements(self, terms: Terms) -> list[str]:
        """Combine the window's rows, then those with the table's."""
        return [statements.accumulate(terms, self.key, dict(self.combine), self.order_by)]


@dataclass(frozen=True, slots=True)
class ReplaceWindow(Mode):
    """Each row becomes a row that carries its window's number."""

    column: str = "window_id"

    def describe(self) -> str:
        """As the ledger remembers it."""
        return f"replace_window in {self.column}"

    def added(self) -> dict[str, str]:
        """The window's number."""
        return {self.column: "BIGINT"}

    def findings(self, kinds: Mapping[str, str], types: Types) -> Iterator[str]:
        """The column is ours."""
        for column in kinds:
            if column.lower() == self.column.lower():
                yield f"column {column} is in the frame, and is filled with the window's number"

    def beforehand(self, terms: Terms) -> list[str]:
        """Take away what the window wrote before."""
        return [statements.delete_window(terms, self.column)]

    def statements(self, terms: Terms) -> list[str]:
        """Every row becomes a row with the window's number."""
        return [statements.insert_window(terms, self.column)]


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


def _given(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def _missing(kinds: Mapping[str, str], wanted: Sequence[str]) -> Iterator[str]:
    for column in dict.fromkeys(wanted):
        if column not in kinds:
            yield f"the frame has no column {column}"


def _unordered(kinds: Mapping[str, str], types: Types, compared: Sequence[str]) -> Iterator[str]:
    for column in compared:
        if column in kinds and not types.has_order(kinds[column]):
            yield f"column {column} is {kinds[column]}, which has no least and greatest"
