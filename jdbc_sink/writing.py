"""How a window's staged rows take effect in one table, inside the transaction of its ledger row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow

from jdbc_sink.errors import AmbiguousKey, BadValue
from jdbc_sink.modes import Mode
from jdbc_sink.statements import repeated_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from jdbc_sink.target import TargetTable


def check_values(target: TargetTable, rows: pyarrow.Table, window_id: int) -> None:
    """BadValue for NULL in a key, and for what the database would change silently."""
    for column in target.mode.key:
        if rows.column(column).null_count:
            raise BadValue(
                sink=target.sink,
                column=column,
                value="NULL",
                window_id=window_id,
                reason="a key may not be NULL, which equals nothing",
            )
    for column, value, reason in target.database.load.findings(rows):
        raise BadValue(
            sink=target.sink, column=column, value=value, window_id=window_id, reason=reason
        )


def write(
    target: TargetTable,
    connection: Connection,
    rows: pyarrow.Table,
    kinds: Mapping[str, str],
    window_id: int,
    rows_per_statement: int,
) -> None:
    """Let the rows take effect, `rows_per_statement` at a time. AmbiguousKey where the window does
    not say what becomes of a key."""
    load, mode = target.database.load, target.mode
    table = target.name.quoted(connection)
    parts = [
        rows.slice(start, rows_per_statement)
        for start in range(0, rows.num_rows, rows_per_statement)
    ]
    if type(mode) is Mode:
        for part in parts:
            load.append(connection, part, table)
        return
    repeats = bool(mode.key) and _repeats(target, connection, rows, kinds, window_id)
    for statement in mode.beforehand(target.terms(connection, kinds, "", window_id)):
        connection.exec_driver_sql(statement)
    for part in parts:
        with load.relation(connection, part) as source:
            terms = replace(target.terms(connection, kinds, source, window_id), repeats=repeats)
            for statement in mode.statements(terms):
                connection.exec_driver_sql(statement)


def _repeats(
    target: TargetTable,
    connection: Connection,
    rows: pyarrow.Table,
    kinds: Mapping[str, str],
    window_id: int,
) -> bool:
    """Have two of the window's rows one key? Asked where it makes a difference."""
    with target.database.load.relation(connection, rows) as source:
        terms = target.terms(connection, kinds, source, window_id)
        questions = target.mode.questions(terms)
        if not questions:
            return True
        if connection.exec_driver_sql(repeated_key(terms, target.mode.key)).first() is None:
            return False
        for question in questions:
            found = connection.exec_driver_sql(question).first()
            if found is not None:
                pairs = zip(target.mode.key, found, strict=True)
                key = ", ".join(f"{name}={value!r}" for name, value in pairs)
                raise AmbiguousKey(sink=target.sink, key=key, window_id=window_id)
    return True
