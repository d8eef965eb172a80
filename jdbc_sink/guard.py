"""Keeps people's own work inside the window's transaction: what would end it is refused before it
runs, as far as it is seen, and noticed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import event

if TYPE_CHECKING:
    from sqlalchemy import Connection


_CLOSERS = ("close", "invalidate", "detach")


class Ended(Exception):
    """Own work ended the transaction; or, with `prevented`, was kept from it."""

    def __init__(self, *, prevented: bool) -> None:
        super().__init__(prevented)
        self.prevented = prevented


class Hidden(Ended):
    """Own work hid an error after which the database keeps nothing of the transaction, although it
    answers its COMMIT with a yes."""

    def __init__(self) -> None:
        super().__init__(prevented=False)


class EndRefused(Exception):
    """What own work gets that tries to end the transaction."""

    def __init__(self) -> None:
        super().__init__("this transaction is the sink's: it is not ended here")


class Guard:
    """Refuses commit, rollback and close of a SQLAlchemy connection.

    `ends`: does this SQL text end a transaction? `lasts`: is the driver's connection still in the
    same one? `aborted`: can nothing of it be kept any more?"""

    def __init__(
        self,
        connection: Connection,
        *,
        ends: Callable[[str], bool],
        lasts: Callable[[], bool],
        aborted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._connection = connection
        self._ends = ends
        self._lasts = lasts
        self._aborted = aborted
        self.tried = False

    def _refuse(self, *_: Any) -> None:
        self.tried = True
        raise EndRefused

    def _look(self, connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if self._ends(statement):
            self._refuse()

    @contextmanager
    def around(self) -> Iterator[None]:
        """Guard what is done inside. Ended if it ended the transaction or tried to; anything else
        that it raises passes."""
        listeners: tuple[tuple[str, Any], ...] = (
            ("commit", self._refuse),
            ("rollback", self._refuse),
            ("before_cursor_execute", self._look),
        )
        for name, listener in listeners:
            event.listen(self._connection, name, listener)
        for name in _CLOSERS:
            # No event comes before them.
            setattr(self._connection, name, self._refuse)
        try:
            yield
        except Exception as error:
            self._judge(error)
            raise
        finally:
            for name, listener in listeners:
                event.remove(self._connection, name, listener)
            for name in _CLOSERS:
                delattr(self._connection, name)
        self._judge(None)

    def _judge(self, error: Exception | None) -> None:
        if not self._lasts():
            raise Ended(prevented=False) from error
        if self.tried or not self._connection.in_transaction():
            raise Ended(prevented=True) from error
        if error is None and self._aborted():
            raise Hidden
