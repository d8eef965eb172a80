"""The dead-letter table: refused rows, written in the transaction of the window that they came
with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import sqlalchemy as sql

from jdbc_sink.errors import DeadLettersUnsuitable

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from jdbc_sink.databases import Catalog
    from jdbc_sink.rejects import Reject
    from jdbc_sink.table import TableName
    from windowlog.contracts import SinkContext


class DeadLetters:
    """The table `name`: pipeline, sink, window_id, target, reason, row (as JSON). Several sinks may
    share it."""

    def __init__(self, name: TableName, most: int, catalog: Catalog) -> None:
        self.most = most
        self._name = name
        self._catalog = catalog
        self._table = sql.Table(
            name.name,
            sql.MetaData(),
            sql.Column("pipeline", sql.Text, nullable=False),
            sql.Column("sink", sql.Text, nullable=False),
            sql.Column("window_id", sql.BigInteger, nullable=False),
            sql.Column("target", sql.Text, nullable=False),
            sql.Column("reason", sql.Text, nullable=False),
            sql.Column("row", sql.Text, nullable=False),
            schema=name.schema,
        )

    def prepare(self, connection: Connection, sink: str) -> None:
        """Create the table, or see that it is one. DeadLettersUnsuitable if it is not."""
        if self._catalog.is_view(connection, self._name):
            raise self._unsuitable(sink, "it is a view")
        if not self._catalog.is_table(connection, self._name):
            if not self._catalog.has_schema(connection, self._name):
                raise self._unsuitable(
                    sink, f"there is no schema {self._name.schema}: create it first"
                )
            self._table.create(connection, checkfirst=False)
            return
        found = self._catalog.columns(connection, self._name)
        lacking = [column.name for column in self._table.columns if column.name not in found]
        if lacking:
            raise self._unsuitable(sink, f"it has no column {', '.join(lacking)}")

    def _unsuitable(self, sink: str, finding: str) -> DeadLettersUnsuitable:
        return DeadLettersUnsuitable(table=str(self._name), sink=sink, finding=finding)

    def insert(
        self,
        connection: Connection,
        rejects: Sequence[Reject],
        context: SinkContext,
        window_id: int,
    ) -> None:
        """Write them."""
        if rejects:
            known = {"pipeline": context.pipeline, "sink": context.sink, "window_id": window_id}
            rows = [
                {**known, "target": reject.table, "reason": reject.reason, "row": reject.row}
                for reject in rejects
            ]
            connection.execute(sql.insert(self._table), rows)
