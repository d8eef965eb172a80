"""JdbcSink's arguments, checked: argument, value, what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from jdbc_sink.effects import Mode
from jdbc_sink.modes import append
from jdbc_sink.spool.folders import beside
from jdbc_sink.table import TableName
from jdbc_sink.tables import ONLY
from jdbc_sink.target import ADD_COLUMNS, FAIL
from windowlog.access.places import named, refuse_bare_address, shown
from windowlog.access.webhdfs_url import HdfsPlace, parse_folder
from windowlog.errors import BadArgument

_WORDS = {"evolve": (FAIL, ADD_COLUMNS), "load": ("auto", "driver", "executors")}


def table_name(argument: str, value: Any) -> TableName:
    """`name` or `schema.name`."""
    parts = value.split(".") if isinstance(value, str) else []
    if len(parts) not in (1, 2) or not all(part.strip() and part.isprintable() for part in parts):
        raise BadArgument(argument=argument, value=value, allowed="a name, or schema.name")
    return TableName(parts[-1], parts[0] if len(parts) == 2 else None)


def table_modes(
    table: Any, mode: Any, tables: Any, ledger: TableName
) -> dict[str, tuple[TableName, Mode]]:
    """Tables and their modes, by the name that a frame comes with; ONLY for `table`."""
    found = _table_modes(table, mode, tables)
    for name, _ in found.values():
        # Rows and ledger in one table would end both.
        if str(name).lower() == str(ledger).lower():
            allowed = f"another table than the ledger {ledger}: see ledger_table"
            raise BadArgument(argument="table", value=str(name), allowed=allowed)
    return found


def _table_modes(table: Any, mode: Any, tables: Any) -> dict[str, tuple[TableName, Mode]]:
    if tables is None:
        return {
            ONLY: (table_name("table", table), _mode("mode", append() if mode is None else mode))
        }
    if table is not None or mode is not None:
        allowed = "None, as tables= is given: it names tables and modes"
        name = "table" if table is not None else "mode"
        raise BadArgument(argument=name, value=table or mode, allowed=allowed)
    if not isinstance(tables, Mapping) or not tables:
        allowed = "a dict of table name -> mode"
        raise BadArgument(argument="tables", value=tables, allowed=allowed)
    found = {
        key: (table_name("tables", key), _mode(f"tables[{key!r}]", tables[key])) for key in tables
    }
    if len({str(name).lower() for name, _ in found.values()}) < len(found):
        raise BadArgument(argument="tables", value=list(tables), allowed="each table once")
    return found


def _mode(argument: str, mode: Any) -> Mode:
    if not isinstance(mode, Mode):
        allowed = "append(), upsert(…), accumulate(…), replace_window(), sql(…) or call(…)"
        raise BadArgument(argument=argument, value=mode, allowed=allowed)
    return mode


def dead_letters(
    value: Any, ledger: TableName, modes: Mapping[str, tuple[TableName, Mode]]
) -> TableName | None:
    """The table for refused rows, if there is to be one. With people's own statements nobody knows
    what a single row does."""
    if value is None:
        return None
    name = table_name("dead_letters", value)
    others = [ledger, *(table for table, _ in modes.values())]
    if str(name).lower() in {str(other).lower() for other in others}:
        allowed = "a table that is neither the ledger nor filled by this sink"
        raise BadArgument(argument="dead_letters", value=value, allowed=allowed)
    if not all(mode.makes_table for _, mode in modes.values()):
        allowed = "None with sql(…) and call(…), which see the window as a whole"
        raise BadArgument(argument="dead_letters", value=value, allowed=allowed)
    return name


def schemas(
    ledger: TableName, modes: Mapping[str, tuple[TableName, Mode]], letters: TableName | None
) -> frozenset[str | None]:
    """Where a sink's tables are."""
    names = [ledger, *(name for name, _ in modes.values()), *([letters] if letters else [])]
    return frozenset(name.schema for name in names)


def check(**given: Any) -> None:
    """Words that are known, times from 0 (…_s), whole numbers from 1 (all others)."""
    for argument, value in given.items():
        if argument in _WORDS:
            good, allowed = value in _WORDS[argument], " or ".join(map(repr, _WORDS[argument]))
        elif argument.endswith("_s"):
            good, allowed = _is_number(value, int | float) and 0 <= value < 1e9, "seconds from 0"
        else:
            good, allowed = _is_number(value, int) and value >= 1, "a whole number from 1"
        if not good:
            raise BadArgument(argument=argument, value=value, allowed=allowed)


def _is_number(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def spool_place(spool: Any, database: str | None) -> Path | HdfsPlace | None:
    """The folder for spools, here or on HDFS; None: a temporary one."""
    allowed = "a folder that driver and executors share, webhdfs://NAMENODE:9870/FOLDER, or None"
    if spool is None:
        return beside(database)
    if isinstance(spool, str) and re.match("s?webhdfs:", spool):
        with named(url="spool"):
            return _without_ticket(parse_folder(spool, {}))
    if isinstance(spool, HdfsPlace):
        if not spool.path:
            raise BadArgument(argument="spool", value=spool.text, allowed=allowed)
        return _without_ticket(spool)
    # A folder of that name here would be a mistake.
    other = isinstance(spool, str) and re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://", spool)
    if not isinstance(spool, str | PathLike) or not str(spool).strip() or other:
        raise BadArgument(argument="spool", value=shown(spool), allowed=allowed)
    refuse_bare_address("spool", spool, "webhdfs")
    return Path(spool)


def _without_ticket(place: HdfsPlace) -> HdfsPlace:
    if place.kerberos:
        allowed = "a delegation token instead of Kerberos, whose ticket tasks do not have"
        raise BadArgument(argument="spool", value=place.text, allowed=allowed)
    return place
