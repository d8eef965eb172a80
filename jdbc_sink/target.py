"""The target table: created with the key that the mode needs, or checked, with every finding in one
error."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from jdbc_sink.errors import TargetUnsuitable

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from jdbc_sink.modes import Mode

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_FLOATS = ("FLOAT", "DOUBLE")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


@dataclass(frozen=True, slots=True)
class TargetTable:
    """A table by name, as one sink uses it."""

    name: str
    schema: str | None
    mode: Mode
    sink: str

    def quoted(self, connection: Connection) -> str:
        """The name as SQL, with everything in it inert."""
        quote = connection.dialect.identifier_preparer.quote_identifier
        return ".".join(quote(part) for part in (self.schema, self.name) if part is not None)

    def exists(self, connection: Connection) -> bool:
        """Is there a table or view of this name?"""
        inspector = sql.inspect(connection)
        return inspector.has_table(self.name, schema=self.schema) or self._is_view(connection)

    def _is_view(self, connection: Connection) -> bool:
        return self.name in sql.inspect(connection).get_view_names(schema=self.schema)

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse columns that differ in nothing but case: a database takes them for one, or renames
        one."""
        folded = [name.lower() for name in names]
        twice = sorted({name for name in folded if folded.count(name) > 1})
        self._refuse([f"the frame has column {name} twice" for name in twice])

    def create(self, connection: Connection, types: Mapping[str, str]) -> None:
        """Create the table for columns of these types."""
        self._refuse(self._frame_findings(types))
        quote = connection.dialect.identifier_preparer.quote_identifier
        columns = [f"{quote(column)} {kind}" for column, kind in types.items()]
        if self.mode.key:
            columns.append(f"PRIMARY KEY ({', '.join(map(quote, self.mode.key))})")
        connection.exec_driver_sql(f"CREATE TABLE {self.quoted(connection)} ({', '.join(columns)})")

    def check(self, connection: Connection, types: Mapping[str, str]) -> None:
        """Check the existing table against columns of these types. TargetUnsuitable with all
        findings."""
        findings = self._frame_findings(types)
        if self._is_view(connection):
            self._refuse([*findings, "it is a view, and a view holds no rows"])
        found = _columns(connection, self)
        for column, kind in types.items():
            if column not in found:
                findings.append(f"column {column} ({kind}) is missing")
            elif not fits(kind, found[column]["type"]):
                there = found[column]["type"]
                findings.append(f"column {column} is {there} and the frame's is {kind}")
        for column, facts in found.items():
            needed = not facts["nullable"] and facts["default"] is None
            if needed and column not in types:
                findings.append(f"column {column} is NOT NULL and not in the frame")
        self._refuse(findings + self._key_findings(connection))

    def _frame_findings(self, types: Mapping[str, str]) -> list[str]:
        """What is wrong with the frame itself."""
        findings = [
            f"the frame has no column {column}"
            for column in self.mode.columns
            if column not in types
        ]
        if self.mode.key:
            extra = [column for column in types if column not in self.mode.columns]
            findings += [f"column {column} is neither key nor accumulated" for column in extra]
        return findings

    def _key_findings(self, connection: Connection) -> list[str]:
        if not self.mode.key:
            return []
        findings = []
        wanted = set(self.mode.key)
        if not any(set(columns) == wanted for columns in _unique_keys(connection, self)):
            keys = ", ".join(self.mode.key)
            findings.append(f"it has no primary key or unique constraint on exactly ({keys})")
        collation = _collation(connection, self)
        if collation:
            findings.append(f"{collation} makes distinct keys equal: use a binary collation")
        return findings

    def _refuse(self, findings: list[str]) -> None:
        if findings:
            raise TargetUnsuitable(table=self.name, sink=self.sink, findings="; ".join(findings))


def fits(source: str, target: str) -> bool:
    """Can a column of type `target` hold every value of `source` unchanged?"""
    if source == target:
        return True
    for ladder in (_INTEGERS, _FLOATS):
        if source in ladder and target in ladder:
            return ladder.index(source) <= ladder.index(target)
    ours, theirs = _DECIMAL.fullmatch(source), _DECIMAL.fullmatch(target)
    if ours is None or theirs is None:
        return False
    whole = int(ours[1]) - int(ours[2]), int(theirs[1]) - int(theirs[2])
    return whole[0] <= whole[1] and int(ours[2]) <= int(theirs[2])


def _columns(connection: Connection, table: TargetTable) -> dict[str, dict[str, Any]]:
    query = sql.text(
        "SELECT column_name, data_type, is_nullable, column_default FROM duckdb_columns()"
        " WHERE table_name = :name AND schema_name = coalesce(:schema, current_schema())"
        " AND database_name = current_database() ORDER BY column_index"
    )
    rows = connection.execute(query, {"name": table.name, "schema": table.schema}).all()
    return {row[0]: {"type": row[1], "nullable": row[2], "default": row[3]} for row in rows}


def _unique_keys(connection: Connection, table: TargetTable) -> list[list[str]]:
    query = sql.text(
        "SELECT constraint_column_names FROM duckdb_constraints() WHERE table_name = :name"
        " AND schema_name = coalesce(:schema, current_schema())"
        " AND database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')"
    )
    rows = connection.execute(query, {"name": table.name, "schema": table.schema})
    return [list(columns) for columns in rows.scalars()]


def _collation(connection: Connection, table: TargetTable) -> str:
    """The collation that rules the table's text, in words; empty if it is binary."""
    default = connection.execute(sql.text("SELECT current_setting('default_collation')")).scalar()
    if default:
        return f"default_collation {default}"
    query = sql.text(
        "SELECT sql FROM duckdb_tables() WHERE table_name = :name AND database_name ="
        " current_database() AND schema_name = coalesce(:schema, current_schema())"
    )
    statement = connection.execute(query, {"name": table.name, "schema": table.schema}).scalar()
    match = re.search(r"\bCOLLATE\s+(\w+)", str(statement or ""), re.IGNORECASE)
    return f"collation {match[1]}" if match and match[1].lower() != "binary" else ""
