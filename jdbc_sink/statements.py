"""The SQL of the modes, the same for every database that has INSERT … ON CONFLICT. Pure.

The target's rows are called `target`, the window's rows come from a relation. Names arrive
unquoted and are quoted here; table and relation arrive as SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jdbc_sink.databases import Types

# A column of our own beside the frame's; a frame that has it is refused.
RANK = "windowed_rank"


@dataclass(frozen=True, slots=True)
class Terms:
    """What a statement speaks of.

    `columns` are the frame's, with the type of each in `kinds`. `repeats`: two rows of the
    relation have one key."""

    table: str
    source: str
    columns: tuple[str, ...]
    kinds: Mapping[str, str]
    quote: Callable[[str], str]
    types: Types
    window_id: int
    repeats: bool = True

    def names(self, columns: Iterable[str]) -> str:
        """Columns, quoted, with commas."""
        return ", ".join(map(self.quote, columns))

    def ordered(self, relation: str, column: str) -> str:
        """A column in a form that compares as its values do."""
        name = self.quote(column) if not relation else f"{relation}.{self.quote(column)}"
        return self.types.ordered(name, self.kinds[column])


def insert(terms: Terms) -> str:
    """Every row becomes a row."""
    names = terms.names(terms.columns)
    return f"INSERT INTO {terms.table} ({names}) SELECT {names} FROM {terms.source}"


def delete_window(terms: Terms, column: str) -> str:
    """Take away what the window wrote before."""
    return f"DELETE FROM {terms.table} WHERE {terms.quote(column)} = {int(terms.window_id)}"


def insert_window(terms: Terms, column: str) -> str:
    """Every row becomes a row with the window's number in `column`."""
    names = terms.names(terms.columns)
    return (
        f"INSERT INTO {terms.table} ({names}, {terms.quote(column)})"
        f" SELECT {names}, {int(terms.window_id)} FROM {terms.source}"
    )
