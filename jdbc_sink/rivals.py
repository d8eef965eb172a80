"""Other sinks that fill a table in `replace_window` by the same column. Windows of two sinks have
the same numbers, so each would take away the other's rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from jdbc_sink.effects import Mode, ReplaceWindow

if TYPE_CHECKING:
    from jdbc_sink.table import TableName

Place = tuple[str, str, str]


def replaced(modes: Iterable[tuple[TableName, Mode]], home: str) -> Mapping[Place, TableName]:
    """What these modes replace: (schema, table, mode in words), all lower case."""
    return {
        _place(str(name), mode.describe(), home): name
        for name, mode in modes
        if isinstance(mode, ReplaceWindow)
    }


def places(target: str, mode: str, home: str) -> Iterator[Place]:
    """The same of a sink whose target and mode the ledger has in words."""
    word, _, name = target.partition(" ")
    if word == "table":
        yield _place(name, mode, home)
    else:
        for each in mode.split("; "):
            name, _, described = each.partition(": ")
            yield _place(name, described, home)


def _place(name: str, mode: str, home: str) -> Place:
    schema, _, table = name.rpartition(".")
    return ((schema or home).lower(), table.lower(), mode.lower())
