"""The tables that one sink fills: most often one, or several in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow

from jdbc_sink.effects import ReplaceWindow
from jdbc_sink.errors import TargetUnsuitable
from jdbc_sink.rejects import Reject, Staged, check_count, sift
from jdbc_sink.rivals import places, replaced
from jdbc_sink.rows import whole
from jdbc_sink.spool.files import Spool
from jdbc_sink.target import TargetTable
from jdbc_sink.writing import Writer
from windowlog.wiring import SinkIdentity

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from jdbc_sink.databases import Database
    from jdbc_sink.dead_letters import DeadLetters
    from jdbc_sink.effects import Mode
    from jdbc_sink.ledger import Ledger
    from jdbc_sink.loads import Loads
    from jdbc_sink.rows import Rows
    from jdbc_sink.table import TableName
    from windowlog.contracts import Output, Schema
    from windowlog.window import Window

# How the one table of a sink is called, where a frame arrives without a name.
ONLY = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """The schemas that the tables are made or checked for, who writes into each, and how each was
    defined then."""

    schemas: Mapping[str, pyarrow.Schema]
    writers: dict[str, Writer]
    definitions: dict[str, str]


class Tables:
    """Tables by the name that the transform gives their frames; ONLY for a sink of one table."""

    def __init__(
        self,
        modes: Mapping[str, tuple[TableName, Mode]],
        database: Database,
        *,
        evolve: str,
        rows_per_statement: int,
    ) -> None:
        self._modes = modes
        self._database = database
        self._evolve = evolve
        self._rows_per_statement = rows_per_statement
        self._targets: dict[str, TargetTable] = {}
        self.forget("")

    def forget(self, sink: str) -> None:
        """A new run, of a sink of this name: everything is checked again."""
        self._targets = {
            key: TargetTable(name, mode, sink, self._database, self._evolve)
            for key, (name, mode) in self._modes.items()
        }
        self.ready = Ready({}, {}, {})
        self._seen: Connection | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names, if there are several tables or their frames come by name; else empty."""
        return tuple(key for key in self._modes if key != ONLY)

    def identity(self) -> SinkIdentity:
        """The tables and their modes."""
        if not self.names:
            name, mode = self._modes[ONLY]
            return SinkIdentity(f"table {name}", mode.describe())
        several = sorted((str(name), mode.describe()) for name, mode in self._modes.values())
        target = f"tables {', '.join(name for name, _ in several)}"
        return SinkIdentity(target, "; ".join(f"{name}: {mode}" for name, mode in several))

    def exist(self, connection: Connection) -> bool:
        """Are all of them there?"""
        return all(target.exists(connection) for target in self._targets.values())

    def schemas(self, schema: Schema) -> dict[str, pyarrow.Schema]:
        """By table."""
        return {ONLY: schema} if isinstance(schema, pyarrow.Schema) else dict(schema)

    def is_prepared(self, schema: Schema) -> bool:
        """Was this done already?"""
        return self.ready.schemas == self.schemas(schema)

    def prepare(self, connection: Connection, schema: Schema) -> Ready:
        """Create the tables, or check them: what is to become `ready` once that is committed.
        TargetUnsuitable with what is wrong in all of them, before anything is changed for good."""
        self._check_apart(connection)
        ready = Ready(self.schemas(schema), {}, {})
        refused: list[TargetUnsuitable] = []
        for key, columns in ready.schemas.items():
            try:
                ready.writers[key] = self._writer(connection, self._targets[key], columns)
            except TargetUnsuitable as error:
                refused.append(error)
        if len(refused) == 1:
            raise refused[0]
        if refused:
            values = [error.values for error in refused]
            raise TargetUnsuitable(
                table=" and ".join(str(each["table"]) for each in values),
                sink=values[0]["sink"],
                findings="; ".join(f"{each['table']}: {each['findings']}" for each in values),
            )
        self._define(connection, ready)
        return ready

    def _define(self, connection: Connection, ready: Ready) -> None:
        self._seen = connection
        for key in ready.schemas:
            name = self._targets[key].name
            ready.definitions[key] = self._database.catalog.definition(connection, name)

    def look_again(self, connection: Connection) -> None:
        """Check tables that somebody has altered since they were prepared. TargetUnsuitable if rows
        do not fit any more; a table that is gone shows itself."""
        catalog, ready = self._database.catalog, self.ready
        if connection is self._seen and not catalog.shared:
            return
        for key, before in ready.definitions.items():
            target, writer = self._targets[key], ready.writers[key]
            found = catalog.definition(connection, target.name)
            if found in ("", before) or not target.mode.makes_table:
                continue
            checked = self._writer(connection, target, ready.schemas[key])
            if checked.never_null != writer.never_null:
                target.refuse(["it was altered while the window was computed: start again"])
        self._define(connection, ready)

    def _check_apart(self, connection: Connection) -> None:
        """No table twice, with its schema and without: which schema that is, the database knows."""
        seen: dict[tuple[str, str], TargetTable] = {}
        for target in self._targets.values() if len(self._targets) > 1 else ():
            schema = target.name.schema or self._database.catalog.home(connection)
            other = seen.setdefault((schema.lower(), target.name.name.lower()), target)
            if other is not target:
                target.refuse([f"it is table {other.name}, which tables= fills already"])

    def _writer(
        self, connection: Connection, target: TargetTable, columns: pyarrow.Schema
    ) -> Writer:
        target.check_names(columns.names)
        kinds, findings = self._database.types.column_types(columns)
        target.prepare(connection, kinds, findings)
        never_null = target.never_null(connection)
        return Writer(target, kinds, self._rows_per_statement, never_null)

    def name(self, key: str) -> str:
        """The table's own name, by the name of its frame."""
        return str(self._targets[key].name)

    def fetch(
        self, output: Output, window: Window, loads: Loads, letters: DeadLetters | None
    ) -> Staged:
        """The rows, in the driver or in a spool, by table. BadValue for what a table would refuse
        or change, or, where there are dead letters, these rows apart."""
        frames = output if isinstance(output, Mapping) else {ONLY: output}
        staged: dict[str, Rows] = {}
        rejects: list[Reject] = []
        for key, frame in frames.items():
            writer = self.ready.writers[key]
            schema, size = self.ready.schemas[key], writer.rows_per_statement
            rows = loads.fetch(frame, schema, window, size)
            if letters is None:
                writer.check(rows, window)
            elif writer.refusal(rows) is not None:
                rows, found = sift(whole(rows), writer.refusal, letters.most - len(rejects))
                rejects += [Reject(self.name(key), reason, row) for reason, row in found]
                check_count(rejects, letters.most, writer.target.sink, window.id)
            staged[key] = rows
        return Staged(window.id, staged, tuple(rejects))

    def explain(self, staged: Mapping[str, Rows], window: Window) -> None:
        """After the database has refused rows: BadValue if a value in a spool is why. Rows in
        memory were looked through before."""
        for key, rows in staged.items():
            if isinstance(rows, Spool):
                # A spool that is gone or damaged was the reason itself.
                with suppress(OSError, pyarrow.ArrowException):
                    self.ready.writers[key].check(rows, window, thorough=True)

    def refuse_rivals(self, connection: Connection, ledger: Ledger, run_id: str) -> None:
        """TargetUnsuitable if another sink would take away this one's rows, or this one its."""
        if not any(isinstance(mode, ReplaceWindow) for _, mode in self._modes.values()):
            return
        home = self._database.catalog.home(connection)
        mine = replaced(self._modes.values(), home)
        for pipeline, sink, target, mode in ledger.others_beside(connection, run_id):
            for place in filter(mine.__contains__, places(target, mode, home)):
                findings = (
                    f"sink {sink} of pipeline {pipeline} fills it by {place[2]} as well, and each"
                    " would take away the other's rows: give one of them a column= of its own"
                )
                sink = next(iter(self._targets.values())).sink
                raise TargetUnsuitable(table=str(mine[place]), sink=sink, findings=findings)

    def write(self, connection: Connection, staged: Mapping[str, Rows], window: Window) -> None:
        """Let the rows take effect, table by table, inside the caller's transaction."""
        for key, rows in staged.items():
            self.ready.writers[key].write(connection, rows, window)
