"""How the rows of a window take effect: what each mode needs of a frame, asks, and states. Made by
the functions of modes.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jdbc_sink import keyed, statements

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
        return [keyed.ambiguous_key(terms, self.key, self.order_by, terms.columns)]

    def statements(self, terms: Terms) -> list[str]:
        """Insert, or overwrite what is not newer."""
        return [keyed.upsert(terms, self.key, self.order_by)]


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
        return [keyed.ambiguous_key(terms, self.key, self.order_by, lasts)]

    def statements(self, terms: Terms) -> list[str]:
        """Combine the window's rows, then those with the table's."""
        return [keyed.accumulate(terms, self.key, dict(self.combine), self.order_by)]


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
