"""The target table: created with the key that the mode needs, or checked, with every finding in one
error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sql

from jdbc_sink.catalog import Column, TableName, quote
from jdbc_sink.columns import fits, sum_type
from jdbc_sink.errors import TargetUnsuitable
from windowlog.access.engines import redacted

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from jdbc_sink.modes import Mode


@dataclass(frozen=True, slots=True)
class TargetTable:
    """A table by name, as one sink uses it."""

    name: TableName
    mode: Mode
    sink: str

    def exists(self, connection: Connection) -> bool:
        """Is there a table or view of this name?"""
        return self.name.is_table(connection) or self.name.is_view(connection)

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse columns that differ in nothing but case: a database takes them for one, or renames
        one."""
        folded = [name.lower() for name in names]
        twice = sorted({name for name in folded if folded.count(name) > 1})
        self.refuse([f"the frame has column {name} twice" for name in twice])

    def prepare(
        self, connection: Connection, types: Mapping[str, str], findings: Sequence[str] = ()
    ) -> None:
        """Create the table for columns of these types, or check it. TargetUnsuitable with all
        findings; `findings` are those that the frame's types gave already."""
        findings = [*findings, *self._frame_findings(types)]
        if self.name.is_view(connection):
            self.refuse([*findings, "it is a view, and a view holds no rows"])
        if self.name.is_table(connection):
            findings += [
                *self._column_findings(connection, types),
                *self._key_findings(connection),
            ]
            self.refuse(findings)
            return
        if not self.name.has_schema(connection):
            findings.append(f"there is no schema {self.name.schema}: create it first")
        self.refuse(findings)
        self._create(connection, types)

    def _create(self, connection: Connection, types: Mapping[str, str]) -> None:
        sums = {column for column, how in self.mode.combine if how == "sum"}
        columns = [
            f"{quote(connection, column)} {sum_type(kind) if column in sums else kind}"
            for column, kind in types.items()
        ]
        if self.mode.key:
            keys = ", ".join(quote(connection, column) for column in self.mode.key)
            columns.append(f"PRIMARY KEY ({keys})")
        statement = f"CREATE TABLE {self.name.quoted(connection)} ({', '.join(columns)})"
        try:
            connection.exec_driver_sql(statement)
        except (sql.exc.ProgrammingError, sql.exc.NotSupportedError) as error:
            # A type that cannot be a key, say. Only the database knows all its reasons.
            self.refuse([redacted(error.orig)])

    def _frame_findings(self, types: Mapping[str, str]) -> Iterator[str]:
        """What is wrong with the frame itself."""
        for column in self.mode.columns:
            if column not in types:
                yield f"the frame has no column {column}"
        if self.mode.key:
            for column in types:
                if column not in self.mode.columns:
                    yield f"column {column} is neither key nor accumulated"
        for column, how in self.mode.combine:
            if how == "sum" and column in types and sum_type(types[column]) is None:
                yield f"column {column} is {types[column]}, which cannot be added"

    def _column_findings(self, connection: Connection, types: Mapping[str, str]) -> Iterator[str]:
        found = self.name.columns(connection)
        for column, kind in types.items():
            there = found.get(column.lower())
            if there is None:
                yield f"column {column} ({kind}) is missing"
            elif not fits(kind, there.type):
                yield f"column {column} is {there.type} and the frame's is {kind}"
        given = {column.lower() for column in types}
        for folded, there in found.items():
            if folded not in given and not there.optional:
                yield f"column {there.name} is NOT NULL and not in the frame"

    def _key_findings(self, connection: Connection) -> Iterator[str]:
        if not self.mode.key:
            return
        wanted = frozenset(column.lower() for column in self.mode.key)
        if wanted not in self.name.keys(connection):
            keys = ", ".join(self.mode.key)
            yield f"it has no primary key or unique constraint on exactly ({keys})"
        found = self.name.columns(connection)
        texts = [column for column in self.mode.key if _is_text(found, column)]
        for column in self.name.blurred(connection, texts):
            yield f"the collation of column {column} makes distinct keys equal: use a binary one"

    def refuse(self, findings: Sequence[str]) -> None:
        """TargetUnsuitable, if there are findings."""
        if findings:
            raise TargetUnsuitable(
                table=str(self.name), sink=self.sink, findings="; ".join(findings)
            )


def _is_text(found: Mapping[str, Column], column: str) -> bool:
    there = found.get(column.lower())
    return there is not None and there.type == "VARCHAR"
