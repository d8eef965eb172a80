"""JdbcSink: rows and ledger row in one SQL transaction."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import pyarrow
import sqlalchemy as sql

from jdbc_sink import options
from jdbc_sink.connection import Connections
from jdbc_sink.doubt import Verdict, judge
from jdbc_sink.engine import engine_of, refuse_open_transaction
from jdbc_sink.errors import BadValue
from jdbc_sink.ledger import Ledger
from jdbc_sink.load import loader_for
from jdbc_sink.modes import Mode, append
from jdbc_sink.target import TargetTable
from windowlog.access.engines import redacted
from windowlog.errors import CommitUnknown, Fenced, KitError, NotHeld, PreviousFailure
from windowlog.wiring import Held, SinkIdentity, TargetState

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from windowlog.contracts import Frame, SinkContext
    from windowlog.window import Window


# Combining 5 million rows in one statement took 300 MB more than in five, and no less time.
ROWS_PER_STATEMENT = 1_000_000


class JdbcSink:
    """Writes each window's rows into a table, in one transaction with the ledger row that says so.

    Guarantee: exactly once, whatever the source and the transform do, in a pipeline with one sink.

    `database` is a URL (`duckdb:///counts.duckdb`, `jdbc:duckdb:counts.duckdb`), a SQLAlchemy
    engine, or your own open duckdb connection, which is used and never closed. `table` is `name` or
    `schema.name`, created in `prepare` if it is not there. `mode` is `append()` or `accumulate(key,
    …)`. `load` is how rows get in: "driver" fetches them as Arrow ("auto" is the same on DuckDB).
    The ledger is `ledger_table`, in the table's database. A window's rows take one statement for
    each `rows_per_statement`, all in its one transaction. The file is let go of before every wait
    and at least every `release_s` seconds; other processes' locks are waited for `lock_wait_s`
    seconds. Raises BadArgument for everything else."""

    def __init__(
        self,
        database: str | Engine | Any,
        *,
        table: str,
        mode: Mode | None = None,
        load: str = "auto",
        ledger_table: str = "window_ledger",
        rows_per_statement: int = ROWS_PER_STATEMENT,
        release_s: float = 5.0,
        lock_wait_s: float = 10.0,
    ) -> None:
        self._table = options.table_name("table", table)
        self._ledger_name = options.table_name("ledger_table", ledger_table)
        options.check_distinct(self._table, self._ledger_name)
        self._mode = options.check_mode(mode if mode is not None else append())
        options.check_load(load)
        options.check_count("rows_per_statement", rows_per_statement)
        options.check_seconds("release_s", release_s)
        options.check_seconds("lock_wait_s", lock_wait_s)
        engine, keep = engine_of(database)
        self._connections = Connections(
            engine, release_s=release_s, lock_wait_s=lock_wait_s, keep=keep
        )
        self._loader = loader_for(engine.dialect.name)
        self._rows_per_statement = rows_per_statement
        self._own = None if isinstance(database, str) else database
        self._context: SinkContext | None = None
        self._forget()

    def __repr__(self) -> str:
        return f"JdbcSink({self._connections.database!r}, table={str(self._table)!r})"

    def _forget(self) -> None:
        self._failure: str | None = None
        self._prepared: pyarrow.Schema | None = None
        self._staged: tuple[int, pyarrow.Table] | None = None

    def identity(self) -> SinkIdentity:
        """The table and the mode. Not the database's place: the ledger stands in it, and moves with
        it."""
        return SinkIdentity(f"table {self._table}", self._mode.describe())

    def open(self, context: SinkContext) -> None:
        """Begin a run. The database is reached when it is first needed."""
        refuse_open_transaction(self._own, context.sink)
        self._connections.drop()
        self._forget()
        self._context = context
        self._ledger = Ledger(self._ledger_name, context.pipeline, context.sink)
        self._target = TargetTable(self._table, self._mode, context.sink)

    def held(self) -> Held | None:
        """The ledger's row."""
        if self._connections.missing:
            return None
        with self._transaction(reads=True) as connection:
            return self._ledger.read(connection)

    def target(self) -> TargetState:
        """Whether the table exists, and which other sinks of this log fill it."""
        log_id = self._opened().log_id
        if self._connections.missing:
            return TargetState(exists=False)
        with self._transaction(reads=True) as connection:
            others = self._ledger.others_at(connection, self.identity().target, log_id)
            exists = self._target.exists(connection)
            return TargetState(exists, tuple(others), tuple(others.values()))

    def adopt(self, before: Held | None, after: Held) -> None:
        """Create the ledger if need be, and make or move this sink's row."""
        self._usable()
        evidence = f"the ledger of sink {self._opened().sink} is not at {before}"
        try:
            with self._transaction() as connection:
                self._ledger.create(connection)
            with self._transaction() as connection:
                if before is None:
                    self._ledger.insert(connection, after)
                elif self._ledger.move(connection, before, after) != 1:
                    raise self._fenced(evidence)
        except sql.exc.IntegrityError as error:
            raise self._fenced(evidence) from error

    def prepare(self, schema: pyarrow.Schema) -> None:
        """Create the table, or check it. Done once for a schema."""
        self._usable()
        if self._prepared == schema:
            return
        self._target.check_names(schema.names)
        types, findings = self._loader.column_types(schema)
        with self._transaction() as connection:
            self._target.prepare(connection, types, findings)
        self._prepared = schema

    def stage(self, window: Window, frame: Frame) -> None:
        """Fetch the rows into the driver, and look for what the table would refuse. BadValue for
        NULL in a key."""
        self._usable()
        rows = frame if isinstance(frame, pyarrow.Table) else frame.toArrow()
        for column in self._mode.key:
            if rows.column(column).null_count:
                reason = "a key may not be NULL, which equals nothing"
                sink = self._opened().sink
                raise BadValue(
                    sink=sink, column=column, value="NULL", window_id=window.id, reason=reason
                )
        self._staged = window.id, rows

    def hold(self, window: Window) -> None:
        """One transaction: the ledger's compare-and-set, then the rows."""
        self._usable()
        assert self._staged is not None, "stage() comes first"
        assert self._staged[0] == window.id, "one window in flight"
        sent = False
        try:
            connection = self._connections.get()
            transaction = connection.begin()
            try:
                moved = self._write(connection, window, self._staged[1])
                if moved:
                    sent = True
                    transaction.commit()
            finally:
                if transaction.is_active:
                    transaction.rollback()
        except Exception as error:
            self._connections.drop()
            if not sent:
                if isinstance(error, KitError) and not error.passing:
                    raise
                raise self._not_held(window, error) from error
            self._resolve(window, error)
        except BaseException:
            # Stopped from outside. I7: whether a COMMIT under way took effect, only a new start
            # finds out.
            self._connections.drop()
            if sent:
                self._failure = f"window {window.id}: it was stopped during the commit"
            raise
        else:
            if not moved:
                self._resolve(window, None)
        self._staged = None
        self._connections.release_if_due()

    def _write(self, connection: Connection, window: Window, rows: pyarrow.Table) -> bool:
        run_id = self._opened().run_id
        try:
            moved = self._ledger.advance(connection, window, self.identity(), run_id)
        except sql.exc.OperationalError as error:
            # Two drivers at one row: the slower one's compare-and-set moved nothing.
            if "onflict" in str(error.orig):
                return False
            raise
        if moved != 1:
            return False
        table = self._table.quoted(connection)
        for start in range(0, rows.num_rows, self._rows_per_statement):
            part = rows.slice(start, self._rows_per_statement)
            self._loader.load(connection, part, table, self._mode)
        return True

    def _resolve(self, window: Window, error: Exception | None) -> None:
        """The outcome is not known: read the ledger on a new connection."""
        self._connections.drop()
        context = self._opened()
        try:
            found = self.held()
        except Exception as unreadable:  # noqa: BLE001 (whatever hides the answer)
            self._failure = f"window {window.id}: {redacted(unreadable)}"
            reason = redacted(unreadable)
            raise CommitUnknown(sink=context.sink, window_id=window.id, reason=reason) from (
                error or unreadable
            )
        verdict = judge(window, context.run_id, self.identity(), found)
        if verdict is Verdict.NOT_HELD:
            raise self._not_held(window, error) from error
        if verdict is Verdict.FENCED:
            evidence = f"the ledger of sink {context.sink} is at {_position(found)}"
            raise self._fenced(f"{evidence}, not at window {window.id - 1}") from error

    def abandon(self, window: Window) -> None:
        """Forget what was staged."""
        self._staged = None

    def committed(self, window_id: int) -> None:
        """Rows are visible since the window was held."""

    def idle(self) -> None:
        """Let other processes use the database file while the run waits."""
        self._connections.release()

    def close(self) -> None:
        """Let go of the database."""
        self._staged = None
        self._connections.drop()

    def _transaction(self, *, reads: bool = False) -> AbstractContextManager[Connection]:
        return self._connections.transaction(reads=reads)

    def _usable(self) -> None:
        if self._failure is not None:
            raise PreviousFailure(what=f"Sink {self._opened().sink}", reason=self._failure)

    def _opened(self) -> SinkContext:
        assert self._context is not None, "open() comes first"
        return self._context

    def _fenced(self, evidence: str) -> Fenced:
        return Fenced(pipeline=self._opened().pipeline, evidence=evidence)

    def _not_held(self, window: Window, error: Exception | None) -> NotHeld:
        reason = redacted(getattr(error, "orig", None) or error or "the ledger did not move")
        return NotHeld(sink=self._opened().sink, window_id=window.id, reason=_one_line(reason))


def _position(found: Held | None) -> str:
    if found is None:
        return "no row"
    where = f"{found.identity.target}, {found.identity.mode}"
    return f"window {found.window_id} of run {found.run_id} ({where})"


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
