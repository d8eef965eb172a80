"""The ledger: one row for each (pipeline, sink), which moves from window n-1 to n together with the
rows (I3).

`advance` is one UPDATE with pipeline, sink, log id, old window, old digest, target and mode in its
WHERE; a row count of 1 is the only yes. The row is made before the first window, so that every
window is an UPDATE, and is never deleted."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sql

from jdbc_sink.errors import LedgerUnsuitable
from windowlog.wiring import Held, SinkIdentity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from jdbc_sink.databases import Catalog
    from jdbc_sink.table import TableName
    from windowlog.window import Window

# What one window changes. DuckDB pays for each column that is set, also to the value it has.
_ADVANCING = ("window_id", "digest", "run_id", "positions", "skips", "updated_at")


class Ledger:
    """The ledger table `name`, seen by one (pipeline, sink). Every method works inside the caller's
    transaction; each raises LedgerUnsuitable where another table has that name.

    `updated_at` is the driver's clock in UTC, for people: nothing depends on it."""

    def __init__(self, name: TableName, catalog: Catalog, pipeline: str, sink: str) -> None:
        self._key = {"of_pipeline": pipeline, "of_sink": sink}
        self._name = name
        self._catalog = catalog
        self.table = table = sql.Table(
            name.name,
            sql.MetaData(),
            sql.Column("pipeline", sql.String(200), primary_key=True),
            sql.Column("sink", sql.String(200), primary_key=True),
            sql.Column("log_id", sql.String(36), nullable=False),
            sql.Column("window_id", sql.BigInteger, nullable=False, autoincrement=False),
            sql.Column("digest", sql.String(64), nullable=False),
            sql.Column("run_id", sql.String(36), nullable=False),
            sql.Column("target", sql.Text, nullable=False),
            sql.Column("mode", sql.Text, nullable=False),
            sql.Column("positions", sql.Text, nullable=False),
            sql.Column("skips", sql.Integer, nullable=False),
            sql.Column("updated_at", sql.DateTime, nullable=False),
            schema=name.schema,
        )
        mine = (table.c.pipeline == _value("of_pipeline")) & (table.c.sink == _value("of_sink"))
        # Built once: compiling the UPDATE anew for each window cost more than running it.
        read = [column for column in table.c if column.name != "updated_at"]
        self._select = sql.select(*read).where(mine)
        at_old = sql.update(table).where(
            mine,
            table.c.log_id == _value("old_log_id"),
            table.c.window_id == _value("old_window_id", sql.BigInteger),
            table.c.digest == _value("old_digest"),
            # Another table was decided on since (`adopt`): who writes to the old one is fenced.
            table.c.target == _value("old_target"),
            table.c.mode == _value("old_mode"),
        )
        new = {name: _value(f"new_{name}", table.c[name].type) for name in _row_columns()}
        self._move = at_old.values(new)
        self._advance = at_old.values({name: new[name] for name in _ADVANCING})

    def exists(self, connection: Connection) -> bool:
        """Is there a ledger table?"""
        if self._catalog.is_view(connection, self._name):
            raise self._unsuitable("it is a view")
        if not self._catalog.is_table(connection, self._name):
            return False
        found = self._catalog.columns(connection, self._name)
        lacking = [column.name for column in self.table.columns if column.name not in found]
        if lacking:
            raise self._unsuitable(f"it has no column {', '.join(lacking)}")
        return True

    def _unsuitable(self, finding: str) -> LedgerUnsuitable:
        return LedgerUnsuitable(table=str(self._name), sink=self._key["of_sink"], finding=finding)

    def create(self, connection: Connection) -> None:
        """Create the table, unless it is there."""
        if not self.exists(connection):
            if not self._catalog.has_schema(connection, self._name):
                raise self._unsuitable(f"there is no schema {self._name.schema}: create it first")
            self.table.create(connection, checkfirst=False)

    def read(self, connection: Connection) -> Held | None:
        """The row of this (pipeline, sink), None if there is no row or no table."""
        # A killed predecessor's commit may still be under way. DuckDB's file is held by its process
        # until that is over, and opening it waits; a server's row would have to be locked here.
        if not self.exists(connection):
            return None
        rows = connection.execute(self._select, self._key).mappings().all()
        if len(rows) > 1:
            finding = f"it has {len(rows)} rows of this sink: leave the one of the newest window"
            raise self._unsuitable(finding)
        try:
            return _held(rows[0]) if rows else None
        except ValueError as error:
            finding = f"the row of this sink is not what a ledger writes ({error}): restore it"
            raise self._unsuitable(finding) from error

    def others_beside(self, connection: Connection, run_id: str) -> list[tuple[str, str, str, str]]:
        """(pipeline, sink, target, mode) of sinks that work beside this one: of other pipelines,
        and those of its own that held something in the run `run_id`."""
        table = self.table
        mine, ours = self._key["of_sink"], table.c.pipeline == self._key["of_pipeline"]
        query = sql.select(table.c.pipeline, table.c.sink, table.c.target, table.c.mode).where(
            ~ours | (table.c.sink != mine) & (table.c.run_id == run_id)
        )
        return [tuple(row) for row in connection.execute(query)]

    def others_at(self, connection: Connection, target: str, log_id: str) -> dict[str, int]:
        """Sinks of the same log, other than this one, whose row names `target`, with their
        window."""
        if not self.exists(connection):
            return {}
        table = self.table
        query = sql.select(table.c.sink, table.c.window_id).where(
            table.c.pipeline == self._key["of_pipeline"],
            table.c.sink != self._key["of_sink"],
            table.c.target == target,
            table.c.log_id == log_id,
        )
        return {row.sink: row.window_id for row in connection.execute(query.order_by(table.c.sink))}

    def insert(self, connection: Connection, held: Held) -> None:
        """The first row. The database's own error if there is one already."""
        key = {"pipeline": self._key["of_pipeline"], "sink": self._key["of_sink"]}
        connection.execute(sql.insert(self.table), {**key, **_row(held)})

    def move(self, connection: Connection, before: Held, after: Held) -> int:
        """From `before` to `after`, as decided by a person: how many rows moved."""
        return self._update(connection, self._move, before, _row(after))

    def advance(
        self, connection: Connection, window: Window, identity: SinkIdentity, run_id: str
    ) -> int:
        """From window n-1 to n of the same log: how many rows moved. Anything but 1 is a no."""
        after = Held(
            window.log_id,
            window.id,
            window.digest,
            run_id,
            identity,
            window.positions,
            len(window.skips),
        )
        before = replace(after, window_id=window.id - 1, digest=window.previous)
        row = _row(after)
        new = {column: row[column] for column in _ADVANCING}
        return self._update(connection, self._advance, before, new)

    def _update(
        self, connection: Connection, statement: sql.Update, before: Held, new: Mapping[str, Any]
    ) -> int:
        values = {
            "old_log_id": before.log_id,
            "old_window_id": before.window_id,
            "old_digest": before.digest,
            "old_target": before.identity.target,
            "old_mode": before.identity.mode,
        }
        values |= {f"new_{column}": value for column, value in new.items()}
        return connection.execute(statement, {**self._key, **values}).rowcount


def _value(name: str, kind: Any = sql.String) -> sql.BindParameter[Any]:
    # Written into the statement by SQLAlchemy. DuckDB looks for pandas at each value that is bound,
    # and where there is none these were half of a small window's time.
    return sql.bindparam(name, type_=kind, literal_execute=True)


def _row_columns() -> tuple[str, ...]:
    held = ("log_id", "window_id", "digest", "run_id", "target", "mode", "positions", "skips")
    return (*held, "updated_at")


def _row(held: Held) -> dict[str, Any]:
    positions = json.dumps(dict(held.positions), sort_keys=True)
    identity = held.identity
    values = (held.log_id, held.window_id, held.digest, held.run_id, identity.target, identity.mode)
    now = datetime.now(UTC).replace(tzinfo=None)
    return dict(zip(_row_columns(), (*values, positions, held.skips, now), strict=True))


def _held(row: Any) -> Held:
    """ValueError for a row that a hand has changed into none."""
    positions = json.loads(row["positions"])
    numbers = isinstance(row["window_id"], int) and isinstance(row["skips"], int)
    if not (numbers and isinstance(positions, dict)):
        raise ValueError("window_id and skips are numbers, positions an object")
    return Held(
        log_id=row["log_id"],
        window_id=row["window_id"],
        digest=row["digest"],
        run_id=row["run_id"],
        identity=SinkIdentity(row["target"], row["mode"]),
        positions=positions,
        skips=row["skips"],
    )
