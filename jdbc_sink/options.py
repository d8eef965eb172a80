"""JdbcSink's arguments, checked: argument, value, what is allowed."""

from __future__ import annotations

from typing import Any

from jdbc_sink.modes import Mode
from jdbc_sink.table import TableName
from windowlog.errors import BadArgument

LOADS = ("auto", "driver")


def table_name(argument: str, value: Any) -> TableName:
    """`name` or `schema.name`."""
    parts = value.split(".") if isinstance(value, str) else []
    if len(parts) not in (1, 2) or not all(part.strip() and part.isprintable() for part in parts):
        raise BadArgument(argument=argument, value=value, allowed="a name, or schema.name")
    return TableName(parts[-1], parts[0] if len(parts) == 2 else None)


def check_distinct(table: TableName, ledger: TableName) -> None:
    """Rows and ledger in one table would end both."""
    if str(table).lower() == str(ledger).lower():
        allowed = f"another table than the ledger {ledger}: see ledger_table"
        raise BadArgument(argument="table", value=str(table), allowed=allowed)


def check_mode(mode: Any) -> Mode:
    """What append() and accumulate() return."""
    if not isinstance(mode, Mode):
        raise BadArgument(
            argument="mode", value=mode, allowed="append() or accumulate(key=…, add=…)"
        )
    return mode


def check_load(load: Any) -> None:
    """How rows get in."""
    if load not in LOADS:
        raise BadArgument(argument="load", value=load, allowed=" or ".join(map(repr, LOADS)))


def check_seconds(argument: str, value: Any) -> None:
    """A time from 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise BadArgument(argument=argument, value=value, allowed="seconds from 0")


def check_count(argument: str, value: Any) -> None:
    """A whole number from 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadArgument(argument=argument, value=value, allowed="a whole number from 1")
