"""One window's transaction: the ledger's compare-and-set, the rows, and what is known after a
failure."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import sqlalchemy as sql

from jdbc_sink.doubt import Verdict, judge
from jdbc_sink.rejects import Reject, Staged, check_count, sift
from jdbc_sink.rows import whole
from windowlog.access.engines import redacted
from windowlog.errors import CommitUnknown, Fenced, KitError, NotHeld

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow
    from sqlalchemy import Connection

    from jdbc_sink.connection import Connections
    from jdbc_sink.databases import Place
    from jdbc_sink.dead_letters import DeadLetters
    from jdbc_sink.ledger import Ledger
    from jdbc_sink.rows import Rows
    from jdbc_sink.tables import Tables
    from windowlog.contracts import SinkContext
    from windowlog.window import Window
    from windowlog.wiring import Held


@dataclass
class Holding:
    """What one run of a sink needs to hold windows. After `failure` is set it refuses work (I7)."""

    context: SinkContext
    connections: Connections
    place: Place
    ledger: Ledger
    tables: Tables
    letters: DeadLetters | None
    failure: str | None = field(default=None)

    def hold(self, window: Window, staged: Staged) -> None:
        """One transaction: the ledger's compare-and-set, then the rows. NotHeld, Fenced,
        CommitUnknown, or the kit's own error about the rows."""
        sent = False
        try:
            connection, transaction = self.connections.begin()
            try:
                moved = self._write(connection, window, staged)
                if moved:
                    sent = True
                    transaction.commit()
            finally:
                if transaction.is_active:
                    # Where that fails, the connection is dropped, which does the same.
                    with suppress(Exception):
                        transaction.rollback()
        except Exception as error:  # noqa: BLE001 (both ways raise, or hold)
            self.connections.drop()
            if sent:
                self._resolve(window, error)
            else:
                self._again_or_not(window, staged, error)
        except BaseException:
            # Stopped from outside. I7: whether a COMMIT under way took effect, only a new start
            # finds out.
            self.connections.drop()
            if sent:
                self.failure = f"window {window.id}: it was stopped during the commit"
            raise
        else:
            if not moved:
                self._resolve(window, None)

    def _write(self, connection: Connection, window: Window, staged: Staged) -> bool:
        identity, run_id = self.tables.identity(), self.context.run_id
        try:
            moved = self.ledger.advance(connection, window, identity, run_id)
        except sql.exc.OperationalError as error:
            # Two drivers at one row: the slower one's compare-and-set moved nothing.
            if self.place.lost_race(error):
                return False
            raise
        if moved != 1:
            return False
        self.tables.write(connection, staged.rows, window)
        if self.letters is not None:
            self.letters.insert(connection, staged.rejects, self.context, window.id)
        return True

    def _again_or_not(self, window: Window, staged: Staged, error: Exception) -> None:
        """After a failure before the commit: hold what the database takes, or say why not."""
        if self._sifts(error, staged):
            self.hold(window, self._sifted(window, staged))
            return
        if isinstance(error, KitError) and not error.passing:
            raise error
        if isinstance(error, sql.exc.DBAPIError):
            self.tables.explain(staged.rows, window)
        raise self._not_held(window, error) from error

    def _sifts(self, error: Exception, staged: Staged) -> bool:
        """Is it worth finding the rows that the database refuses?"""
        refused = isinstance(error, sql.exc.DBAPIError) and self.place.refuses_values(error)
        return refused and self.letters is not None and not staged.sifted

    def _sifted(self, window: Window, staged: Staged) -> Staged:
        """The rows that the database takes, found in transactions that are rolled back."""
        assert self.letters is not None
        good: dict[str, Rows] = {}
        rejects = list(staged.rejects)
        for key, rows in staged.rows.items():

            def refusal(candidate: pyarrow.Table, key: str = key) -> str | None:
                return self._trial(window, {**good, key: candidate})

            good[key], found = sift(whole(rows), refusal, self.letters.most - len(rejects))
            name = self.tables.name(key)
            rejects += [Reject(name, reason, row) for reason, row in found]
            check_count(rejects, self.letters.most, self.context.sink, window.id)
        return replace(staged, rows=good, rejects=tuple(rejects), sifted=True)

    def _trial(self, window: Window, rows: Mapping[str, Rows]) -> str | None:
        connection, transaction = self.connections.begin()
        try:
            self.tables.write(connection, rows, window)
        except sql.exc.DBAPIError as error:
            if self.place.refuses_values(error):
                return one_line(redacted(error.orig))
            raise
        finally:
            transaction.rollback()
        return None

    def _resolve(self, window: Window, error: Exception | None) -> None:
        """The outcome is not known: read the ledger on a new connection."""
        self.connections.drop()
        sink = self.context.sink
        try:
            with self.connections.transaction(reads=True) as connection:
                found = self.ledger.read(connection)
        except Exception as unreadable:  # noqa: BLE001 (whatever hides the answer)
            reason = redacted(unreadable)
            self.failure = f"window {window.id}: {reason}"
            raise CommitUnknown(sink=sink, window_id=window.id, reason=reason) from (
                error or unreadable
            )
        verdict = judge(window, self.context.run_id, self.tables.identity(), found)
        if verdict is Verdict.NOT_HELD:
            raise self._not_held(window, error) from error
        if verdict is Verdict.FENCED:
            evidence = f"the ledger of sink {sink} is at {_position(found)}"
            raise self.fenced(f"{evidence}, not at window {window.id - 1}") from error

    def fenced(self, evidence: str) -> Fenced:
        """Another driver works on this pipeline."""
        return Fenced(pipeline=self.context.pipeline, evidence=evidence)

    def _not_held(self, window: Window, error: Exception | None) -> NotHeld:
        reason = redacted(getattr(error, "orig", None) or error or "the ledger did not move")
        return NotHeld(sink=self.context.sink, window_id=window.id, reason=one_line(reason))


def _position(found: Held | None) -> str:
    if found is None:
        return "no row"
    where = f"{found.identity.target}, {found.identity.mode}"
    return f"window {found.window_id} of run {found.run_id} ({where})"


def one_line(text: str) -> str:
    """Without line ends and double blanks."""
    return re.sub(r"\s+", " ", text).strip()
