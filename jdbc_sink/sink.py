"""JdbcSink: rows and ledger row in one SQL transaction."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from os import PathLike
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from jdbc_sink import options
from jdbc_sink.connection import Connections
from jdbc_sink.databases import database_of
from jdbc_sink.dead_letters import DeadLetters
from jdbc_sink.holding import Holding
from jdbc_sink.ledger import Ledger
from jdbc_sink.loads import Loads
from jdbc_sink.rejects import Staged
from jdbc_sink.tables import Tables
from windowlog.access.webhdfs_url import HdfsPlace
from windowlog.errors import PreviousFailure
from windowlog.sink_place import SinkPlace
from windowlog.wiring import Held, SinkIdentity, TargetState

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from jdbc_sink.effects import Mode
    from windowlog.contracts import Output, Schema, SinkContext
    from windowlog.window import Window


# Combining 5 million rows in one statement took 300 MB more than in five, and no less time.
ROWS_PER_STATEMENT = 1_000_000

# Each refused row is found by some twenty trials, each as long as the window: minutes for a hundred
# of them in a large one. Who has more has another problem.
MAX_REJECTS = 100


class JdbcSink:
    """Writes each window's rows into a table, in one transaction with the ledger row that says so.

    Guarantee: exactly once, whatever the source and the transform do, in a pipeline with one sink.

    `database` is a URL (`duckdb:///counts.duckdb`, `jdbc:sqlite:counts.db`), a SQLAlchemy engine,
    or your own open duckdb connection, which is used and never closed. `table` is `name` or
    `schema.name`, created in `prepare` if it is not there; `mode` is what rows do to it:
    `append()`, `upsert(key)`, `accumulate(key, …)`, `replace_window()`, `sql(…)`, `call(…)`.
    Instead of both, `tables` is a dict of table -> mode, all filled in one transaction; the
    transform then returns a dict of table -> frame for this sink. `evolve` says what becomes of
    columns that a frame has and its table lacks: "fail", or "add_columns". `load` is how rows leave
    Spark: "driver" fetches them as Arrow; with "executors" Spark's tasks write files into the
    folder `spool`, which driver and executors share (by default `<file>.spool/` beside the database
    file, else a temporary folder) or which is on HDFS (`webhdfs://namenode:9870/spool`), and the
    driver's memory stays small; "auto" does so for windows
    whose plans are large. The ledger is `ledger_table`, in the same database. But for append, a
    window's rows take one statement for each `rows_per_statement`, all in one transaction.
    `dead_letters` is a table for rows that a check or the database refuses, at most `max_rejects` a
    window; without it a refused row stops the run. A DuckDB file is let go of before every wait and
    at least every `release_s` seconds; other processes' locks are waited for `lock_wait_s` seconds.
    Raises BadArgument for everything else."""

    _holding: Holding | None = None
    _staged: Staged | None = None

    def __init__(
        self,
        database: str | Engine | Any,
        *,
        table: str | None = None,
        mode: Mode | None = None,
        tables: Mapping[str, Mode] | None = None,
        evolve: str = "fail",
        load: str = "auto",
        spool: str | PathLike[str] | HdfsPlace | None = None,
        ledger_table: str = "window_ledger",
        rows_per_statement: int = ROWS_PER_STATEMENT,
        dead_letters: str | None = None,
        max_rejects: int = MAX_REJECTS,
        release_s: float = 5.0,
        lock_wait_s: float = 10.0,
    ) -> None:
        self._ledger_name = options.table_name("ledger_table", ledger_table)
        modes = options.table_modes(table, mode, tables, self._ledger_name)
        options.check(evolve=evolve, load=load, release_s=release_s, lock_wait_s=lock_wait_s)
        options.check(rows_per_statement=rows_per_statement, max_rejects=max_rejects)
        self._database, engine, keep = database_of(database)
        letters = options.dead_letters(dead_letters, self._ledger_name, modes)
        self._connections = Connections(
            engine,
            self._database.place,
            schemas=options.schemas(self._ledger_name, modes, letters),
            release_s=release_s,
            lock_wait_s=lock_wait_s,
            keep=keep,
        )
        self._tables = Tables(
            modes, self._database, evolve=evolve, rows_per_statement=rows_per_statement
        )
        catalog = self._database.catalog
        self._letters = None if letters is None else DeadLetters(letters, max_rejects, catalog)
        file = None if keep else engine.url.database
        self._loads = Loads(load, options.spool_place(spool, file), file)
        self._own = None if isinstance(database, str) else database

    def __repr__(self) -> str:
        word, _, names = self._tables.identity().target.partition(" ")
        return f"JdbcSink({self._connections.database!r}, {word}={names!r})"

    @property
    def tables(self) -> tuple[str, ...]:
        """The names under which frames are expected, if `tables=` was given; else empty."""
        return self._tables.names

    def files(self) -> tuple[str, ...]:
        """The database's file and one of a spool, where they are on this machine."""
        return self._loads.files()

    def identity(self) -> SinkIdentity:
        """The tables and their modes. Not the database's place: the ledger stands in it, and moves
        with it."""
        return self._tables.identity()

    def place(self) -> SinkPlace:
        """Tables and ledger, and the database that both are in."""
        database = self._connections.database
        ledger = f"the ledger table {self._ledger_name} in {database}"
        return SinkPlace(f"{self.identity().target} in {database}", ledger)

    def open(self, context: SinkContext) -> None:
        """Begin a run. The database is reached when it is first needed."""
        self._database.refuse_open_transaction(self._own, context.sink)
        self._connections.drop()
        self._staged = None
        self._sweeps = False
        self._tables.forget(context.sink)
        self._loads.open((str(self._ledger_name), context.pipeline, context.sink), context.sink)
        catalog = self._database.catalog
        self._ledger = Ledger(self._ledger_name, catalog, context.pipeline, context.sink)
        self._holding = Holding(
            context=context,
            connections=self._connections,
            place=self._database.place,
            ledger=self._ledger,
            tables=self._tables,
            letters=self._letters,
        )

    def held(self) -> Held | None:
        """The ledger's row."""
        if self._connections.missing:
            return None
        with self._transaction(reads=True) as connection:
            return self._ledger.read(connection)

    def target(self) -> TargetState:
        """Whether the tables exist, and which other sinks of this log fill it."""
        log_id = self._opened().context.log_id
        if self._connections.missing:
            return TargetState(exists=False)
        with self._transaction(reads=True) as connection:
            others = self._ledger.others_at(connection, self.identity().target, log_id)
            exists = self._tables.exist(connection)
            return TargetState(exists, tuple(others), tuple(others.values()))

    def adopt(self, before: Held | None, after: Held) -> None:
        """Create the ledger if need be, and make or move this sink's row."""
        holding = self._usable()
        evidence = f"the ledger of sink {holding.context.sink} is not at {before}"
        try:
            with self._transaction() as connection:
                self._ledger.create(connection)
            with self._transaction() as connection:
                if before is None:
                    self._ledger.insert(connection, after)
                elif self._ledger.move(connection, before, after) != 1:
                    raise holding.fenced(evidence)
        except sql.exc.IntegrityError as error:
            raise holding.fenced(evidence) from error

    def prepare(self, schema: Schema) -> None:
        """Create the tables, or check them. Done once for a schema."""
        holding = self._usable()
        if self._tables.is_prepared(schema):
            return
        with self._transaction() as connection:
            if self._letters is not None:
                self._letters.prepare(connection, holding.context.sink)
            ready = self._tables.prepare(connection, schema)
            held = self._ledger.read(connection)
        self._tables.ready = ready
        if held is not None:
            self._loads.sweep(held.log_id, held.window_id)
        self._sweeps = True

    def stage(self, window: Window, frame: Output) -> None:
        """Fetch the rows into the driver or a spool, and look for what a table would refuse.
        BadValue for NULL in a key."""
        self._usable()
        self._staged = self._tables.fetch(frame, window, self._loads, self._letters)

    def hold(self, window: Window) -> None:
        """One transaction: the ledger's compare-and-set, then the rows."""
        holding = self._usable()
        assert self._staged is not None, "stage() comes first"
        assert self._staged.window_id == window.id, "one window in flight"
        holding.hold(window, self._staged)
        self._staged = None
        if self._loads.drop():
            self._connections.settle()
        self._connections.release_if_due()

    def abandon(self, window: Window) -> None:
        """Forget what was staged."""
        self._staged = None
        self._loads.drop()

    def committed(self, window_id: int) -> None:
        """Rows are visible since the window was held. What a killed driver left of the first
        window of this run can go now."""
        if self._sweeps:
            self._sweeps = False
            self._loads.sweep(self._opened().context.log_id, window_id)

    def idle(self) -> None:
        """Let other processes use the database file while the run waits."""
        self._connections.release()

    def close(self) -> None:
        """Let go of the database."""
        self._staged = None
        self._loads.close()
        self._connections.close()

    def _transaction(self, *, reads: bool = False) -> AbstractContextManager[Connection]:
        return self._connections.transaction(reads=reads)

    def _usable(self) -> Holding:
        holding = self._opened()
        if holding.failure is not None:
            raise PreviousFailure(what=f"Sink {holding.context.sink}", reason=holding.failure)
        return holding

    def _opened(self) -> Holding:
        assert self._holding is not None, "open() comes first"
        return self._holding
