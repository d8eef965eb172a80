"""People's own statements as a mode: `sql(…)` and `call(…)`, inside the ledger's transaction."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jdbc_sink.effects import Mode
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    import pyarrow
    from sqlalchemy import Connection

    from jdbc_sink.statements import Terms
    from windowlog.window import Window

    Effect = Callable[[Connection, pyarrow.Table, Window], object]

# Calling such a function does nothing yet: the window would be held without its effect.
_PUT_OFF = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
ROWS = "{rows}"
WINDOW_ID = "{window_id}"


@dataclass(frozen=True, slots=True)
class OwnStatements(Mode):
    """SQL of the user's, for a table of the user's."""

    texts: tuple[str, ...] = ()

    @property
    def makes_table(self) -> bool:
        """What the table must be like, only the user knows."""
        return False

    def describe(self) -> str:
        """As the ledger remembers it: that it is one's own. Which one may change."""
        return "own sql"

    def statements(self, terms: Terms) -> list[str]:
        """With the relation's name and the window's number put in."""
        return [
            text.replace(ROWS, terms.source).replace(WINDOW_ID, str(int(terms.window_id)))
            for text in self.texts
        ]


@dataclass(frozen=True, slots=True)
class OwnFunction(Mode):
    """A function of the user's."""

    function: Effect | None = None

    @property
    def makes_table(self) -> bool:
        """What the table must be like, only the user knows."""
        return False

    def describe(self) -> str:
        """As the ledger remembers it: that it is one's own. Which one may change."""
        return "own function"


def sql(*statements: str) -> Mode:
    """Your own statements, for what the other modes cannot: `sql("MERGE INTO words USING {rows} AS
    new ON …")`.

    They run once a window, in order, in one transaction with the ledger. `{rows}` stands for a
    relation with the window's rows, and must be in one of them; `{window_id}` for the window's
    number. The table must be there. A statement that would end the transaction is refused
    (TransactionEnded). BadArgument for anything but text with `{rows}`."""
    for text in statements:
        given: Any = text
        if not isinstance(given, str) or not given.strip():
            raise BadArgument(argument="statements", value=text, allowed="SQL statements as text")
    if not any(ROWS in text for text in statements):
        allowed = "at least one statement with {rows}, the window's rows"
        raise BadArgument(argument="statements", value=statements, allowed=allowed)
    return OwnStatements((), tuple(statements))


def call(function: Effect) -> Mode:
    """Your own function: `function(connection, rows, window)`, called once a window inside the
    ledger's transaction.

    `connection` is a sqlalchemy.Connection that is in that transaction, `rows` a pyarrow.Table,
    `window` says which window it is. What it raises rolls everything back. To commit, roll back
    or close is refused (TransactionEnded); savepoints are allowed. It must not write anywhere else:
    a window that is replayed would do that twice. The table must be there. BadArgument unless it
    can be called, and does its work when it is: `async def` and functions with `yield` do not."""
    if not callable(function):
        raise BadArgument(argument="function", value=function, allowed="a function to call")
    if any(puts_off(function) for puts_off in _PUT_OFF):
        raise _put_off(function)
    return OwnFunction((), function)


def check_done(function: Effect, result: object) -> None:
    """BadArgument if what the function returned says that its work is still to be done."""
    if inspect.isawaitable(result) or inspect.isgenerator(result) or inspect.isasyncgen(result):
        if inspect.iscoroutine(result):
            result.close()
        raise _put_off(function)


def _put_off(function: Effect) -> BadArgument:
    allowed = "a function that does its work when it is called, without async and yield"
    return BadArgument(argument="function", value=function, allowed=allowed)
