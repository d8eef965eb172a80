"""How a window's staged rows take effect in one table, inside the transaction of its ledger row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jdbc_sink.effects import Mode
from jdbc_sink.errors import AmbiguousKey, BadValue, TransactionEnded
from jdbc_sink.guard import Ended
from jdbc_sink.keyed import repeated_key
from jdbc_sink.own import OwnFunction, OwnStatements
from jdbc_sink.rows import nulls, parts, whole

if TYPE_CHECKING:
    import pyarrow
    from sqlalchemy import Connection

    from jdbc_sink.rows import Rows
    from jdbc_sink.statements import Terms
    from jdbc_sink.target import TargetTable
    from windowlog.window import Window

_KEPT_FROM_IT = "tried to end its transaction, and was kept from it: nothing was written"
_ENDED = (
    "ended its transaction: what was written until then may be visible without the rest, or be"
    " gone. Look at table {table} before you start again"
)


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes into one table. `kinds` are the columns' types in the database, `never_null` those
    in which NULL is refused, by their lower-case names, and why."""

    target: TargetTable
    kinds: Mapping[str, str]
    rows_per_statement: int
    never_null: Mapping[str, str]

    def check(self, rows: Rows, window: Window, *, thorough: bool = False) -> None:
        """BadValue for NULL in a key, and for what the database would change silently; `thorough`:
        or refuse."""
        for column, value, reason in self._findings(rows, thorough=thorough)[:1]:
            raise BadValue(
                sink=self.target.sink,
                column=column,
                value=value,
                window_id=window.id,
                reason=reason,
            )

    def refusal(self, rows: Rows) -> str | None:
        """Why these rows would not be taken, in words; None if nothing is wrong with them."""
        found = self._findings(rows, thorough=True)
        return f"column {found[0][0]} holds {found[0][1]}: {found[0][2]}" if found else None

    def _findings(self, rows: Rows, *, thorough: bool) -> list[tuple[str, str, str]]:
        empty = [
            (column, "NULL", self.never_null[column.lower()])
            for column in rows.schema.names
            if column.lower() in self.never_null and nulls(rows, column)
        ]
        return empty + self.target.database.load.findings(rows, thorough=thorough)

    def write(self, connection: Connection, rows: Rows, window: Window) -> None:
        """Let the rows take effect. AmbiguousKey where the window does not say what becomes of a
        key."""
        mode = self.target.mode
        if isinstance(mode, OwnFunction):
            self._call(connection, mode, whole(rows), window)
        elif isinstance(mode, OwnStatements):
            with self.target.database.load.relation(connection, rows) as source:
                for statement in mode.statements(self._terms(connection, source, window)):
                    with self._own(connection, f"the statement {statement[:80]!r}", window):
                        connection.exec_driver_sql(statement)
        else:
            self._by_parts(connection, rows, window)

    def _by_parts(self, connection: Connection, rows: Rows, window: Window) -> None:
        load, mode = self.target.database.load, self.target.mode
        for statement in mode.beforehand(self._terms(connection, "", window)):
            connection.exec_driver_sql(statement)
        split = parts(rows, self.rows_per_statement)
        if type(mode) is Mode and split:
            # Nothing is combined, so nothing is kept in memory: one statement, which for 10
            # million rows in a spool is a sixth faster than one for each million.
            load.append(connection, rows, self.target.name.quoted(connection))
        elif len(split) == 1:
            # The question and the statements share one relation: SQLite copies the rows for it.
            with load.relation(connection, rows) as source:
                repeats = self._repeats(connection, source, window)
                self._take_effect(connection, source, window, repeats=repeats)
        elif split:
            repeats = True
            if mode.questions(self._terms(connection, "", window)):
                with load.relation(connection, rows) as source:
                    repeats = self._repeats(connection, source, window)
            for part in split:
                with load.relation(connection, part) as source:
                    self._take_effect(connection, source, window, repeats=repeats)

    def _take_effect(
        self, connection: Connection, source: str, window: Window, *, repeats: bool
    ) -> None:
        terms = replace(self._terms(connection, source, window), repeats=repeats)
        for statement in self.target.mode.statements(terms):
            connection.exec_driver_sql(statement)

    def _repeats(self, connection: Connection, source: str, window: Window) -> bool:
        """Have two of the window's rows one key? Asked where it makes a difference."""
        mode = self.target.mode
        terms = self._terms(connection, source, window)
        questions = mode.questions(terms)
        if not questions:
            return True
        if connection.exec_driver_sql(repeated_key(terms, mode.key)).first() is None:
            return False
        for question in questions:
            found = connection.exec_driver_sql(question).first()
            if found is not None:
                pairs = zip(mode.key, found, strict=True)
                key = ", ".join(f"{name}={value!r}" for name, value in pairs)
                raise AmbiguousKey(sink=self.target.sink, key=key, window_id=window.id)
        return True

    def _terms(self, connection: Connection, source: str, window: Window) -> Terms:
        return self.target.terms(connection, self.kinds, source, window.id)

    def _call(
        self, connection: Connection, mode: OwnFunction, rows: pyarrow.Table, window: Window
    ) -> None:
        assert mode.function is not None
        with self._own(connection, "the function of call()", window):
            mode.function(connection, rows, window)

    @contextmanager
    def _own(self, connection: Connection, what: str, window: Window) -> Iterator[None]:
        try:
            with self.target.database.place.enclose(connection):
                yield
        except Ended as ended:
            table = str(self.target.name)
            raise TransactionEnded(
                sink=self.target.sink,
                what=what,
                window_id=window.id,
                outcome=_KEPT_FROM_IT if ended.prevented else _ENDED.format(table=table),
            ) from ended
