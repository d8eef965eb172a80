"""StopFlag: an event that a signal handler may set. And how a thread is stopped at once."""

from __future__ import annotations

import _thread
import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# A statement of a database ends within this; a Spark job may not, and harms nobody at the end.
INTERRUPT_S = 2.0


class StopFlag(threading.Event):
    """Seen as set at once; those who wait for it wake a moment later.

    A handler runs inside whatever the main thread was doing. If that was using this very event,
    the handler would wait for a lock that its own thread holds: `set` leaves that lock to another
    thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self._asked = False

    def is_set(self) -> bool:
        """Takes no lock."""
        return self._asked

    def set(self) -> None:
        """Takes no lock. May be called again, and from anywhere."""
        if not self._asked:
            self._asked = True
            _thread.start_new_thread(super().set, ())


@contextmanager
def interrupting(thread: threading.Thread, ended: threading.Event) -> Iterator[None]:
    """A KeyboardInterrupt in here is one in `thread` too, which has INTERRUPT_S to say that it has
    ended.

    An interpreter that ends under a thread inside DuckDB is aborted by it, with a core dump."""
    try:
        yield
    except KeyboardInterrupt:
        ident = ctypes.c_ulong(thread.ident or 0)
        raised = ctypes.py_object(KeyboardInterrupt)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, raised)
        ended.wait(INTERRUPT_S)
        raise
