"""The target table: created with the key that the mode needs, or checked, with every finding in one
error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sql

from jdbc_sink.errors import TargetUnsuitable
from jdbc_sink.statements import RANK, Terms
from jdbc_sink.table import TableName, quote
from windowlog.access.engines import redacted

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from jdbc_sink.databases import Database
    from jdbc_sink.effects import Mode


# What becomes of columns that the frame has and an existing table lacks.
FAIL = "fail"
ADD_COLUMNS = "add_columns"
_NUMBERED = "the database would put a number of its own in its place"


@dataclass(frozen=True, slots=True)
class TargetTable:
    """A table by name, as one sink uses it."""

    name: TableName
    mode: Mode
    sink: str
    database: Database
    evolve: str = FAIL

    def exists(self, connection: Connection) -> bool:
        """Is there a table or view of this name?"""
        catalog = self.database.catalog
        return catalog.is_table(connection, self.name) or catalog.is_view(connection, self.name)

    def terms(
        self, connection: Connection, kinds: Mapping[str, str], source: str, window_id: int
    ) -> Terms:
        """What the mode's statements speak of."""
        return Terms(
            table=self.name.quoted(connection),
            source=source,
            columns=tuple(kinds),
            kinds=kinds,
            quote=lambda name: quote(connection, name),
            types=self.database.types,
            window_id=window_id,
        )

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse columns that differ in nothing but case: a database takes them for one, or renames
        one; and the name that statements need."""
        folded = [name.lower() for name in names]
        twice = sorted({name for name in folded if folded.count(name) > 1})
        findings = [f"the frame has column {name} twice" for name in twice]
        if RANK in folded:
            findings.append(f"the frame has a column {RANK}, a name that the sink uses itself")
        self.refuse(findings)

    def prepare(
        self, connection: Connection, kinds: Mapping[str, str], findings: Sequence[str] = ()
    ) -> None:
        """Create the table for columns of these types, or check it. TargetUnsuitable with all
        findings; `findings` are those that the frame's types gave already."""
        catalog = self.database.catalog
        if not self.mode.makes_table:
            found = [] if self.exists(connection) else ["it is not there: create it first"]
            self.refuse([*findings, *found])
            return
        if not kinds:
            findings = [*findings, "the frame has no columns"]
        findings = [*findings, *self.mode.findings(kinds, self.database.types)]
        if catalog.is_view(connection, self.name):
            self.refuse([*findings, "it is a view, and a view holds no rows"])
        kinds = {**kinds, **self.mode.added()}
        if catalog.is_table(connection, self.name):
            new = self._new_columns(connection, kinds)
            there = {column: kind for column, kind in kinds.items() if column not in new}
            findings += [
                *self._column_findings(connection, there),
                *self._key_findings(connection),
            ]
            self.refuse(findings)
            for column in new:
                definition = self._definition(connection, column, kinds[column])
                self._define(connection, "ALTER", f"ADD COLUMN {definition}")
            return
        if not catalog.has_schema(connection, self.name):
            findings.append(f"there is no schema {self.name.schema}: create it first")
        self.refuse(findings)
        definitions = [self._definition(connection, *column) for column in kinds.items()]
        if self.mode.key:
            keys = ", ".join(quote(connection, column) for column in self.mode.key)
            definitions.append(f"PRIMARY KEY ({keys})")
        self._define(connection, "CREATE", f"({', '.join(definitions)})")

    def _new_columns(self, connection: Connection, kinds: Mapping[str, str]) -> list[str]:
        """Columns to add to the table that is there."""
        if self.evolve != ADD_COLUMNS:
            return []
        found = self.database.catalog.columns(connection, self.name)
        return [
            column
            for column in kinds
            if column.lower() not in found and column not in self.mode.key
        ]

    def _definition(self, connection: Connection, column: str, kind: str) -> str:
        if column in self.mode.sums():
            kind = self.database.types.sum_type(kind) or kind
        return f"{quote(connection, column)} {kind}"

    def _define(self, connection: Connection, verb: str, what: str) -> None:
        try:
            connection.exec_driver_sql(f"{verb} TABLE {self.name.quoted(connection)} {what}")
        except (sql.exc.ProgrammingError, sql.exc.NotSupportedError) as error:
            # A type that cannot be a key, say. Only the database knows all its reasons.
            self.refuse([redacted(error.orig)])
        except sql.exc.OperationalError as error:
            # SQLite knows no other kind of error here; this one is of STRICT tables.
            if "unknown datatype" not in str(error.orig):
                raise
            self.refuse([f"{redacted(error.orig)}: add the column yourself"])

    def never_null(self, connection: Connection) -> dict[str, str]:
        """Lower-case names of columns in which NULL is refused, and why."""
        refused = dict.fromkeys(self.mode.key, "a key may not be NULL, which equals nothing")
        if not self.mode.makes_table:
            return refused
        columns = self.database.catalog.columns(connection, self.name).values()
        numbered = {column.name: _NUMBERED for column in columns if column.numbered}
        return {name.lower(): reason for name, reason in {**numbered, **refused}.items()}

    def _column_findings(self, connection: Connection, kinds: Mapping[str, str]) -> Iterator[str]:
        found = self.database.catalog.columns(connection, self.name)
        for column, kind in kinds.items():
            there = found.get(column.lower())
            if there is None:
                yield f"column {column} ({kind}) is missing"
            elif there.generated:
                yield f"column {column} is generated by the database, and takes no values"
            elif not self.database.types.fits(kind, there.type):
                yield f"column {column} is {there.type} and the frame's is {kind}"
        given = {column.lower() for column in kinds}
        for folded, there in found.items():
            if folded not in given and not there.optional:
                yield f"column {there.name} is NOT NULL and not in the frame"

    def _key_findings(self, connection: Connection) -> Iterator[str]:
        if not self.mode.key:
            return
        catalog = self.database.catalog
        if not catalog.has_key(connection, self.name, self.mode.key):
            keys = ", ".join(self.mode.key)
            yield f"it has no primary key or unique constraint on exactly ({keys})"
        there = catalog.columns(connection, self.name)
        keys_there = [column for column in self.mode.key if column.lower() in there]
        for column in catalog.blurred(connection, self.name, keys_there):
            yield f"the collation of column {column} makes distinct keys equal: use a binary one"

    def refuse(self, findings: Sequence[str]) -> None:
        """TargetUnsuitable, if there are findings."""
        if findings:
            raise TargetUnsuitable(
                table=str(self.name), sink=self.sink, findings="; ".join(findings)
            )
