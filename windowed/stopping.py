"""StopFlag: an event that a signal handler may set. How a thread is stopped at once. And what it is
when a signal that was to stop a run has ended its Spark."""

from __future__ import annotations

import _thread
import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# A statement of a database ends within this; a Spark job may not, and harms nobody at the end.
INTERRUPT_S = 2.0
# How long Spark's JVM may still answer after it was told to end: its shutdown takes a second.
GONE_S = 5.0
_LOOK_S = 0.1
# What jobs fail with while it ends.
_ENDING = ("SparkContext was shut down", "stopped SparkContext")


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


class CutShort(Exception):
    """A run was told to stop by a signal, which has ended Spark, too. `window_id` is the window
    that is logged and not held, if there is one."""

    def __init__(self, window_id: int | None) -> None:
        super().__init__(where_stopped(window_id))
        self.window_id = window_id


def where_stopped(window_id: int | None) -> str:
    """Behind "stopped": in which window that was, and what becomes of it."""
    if window_id is None:
        return ""
    return f" in window {window_id}, which is logged: the next run replays it"


def spark_is_gone(spark: Any, error: BaseException) -> bool:
    """Whether an error comes of it that Spark's JVM has ended, as it does by a signal for the whole
    process group. What jobs and sockets say then is of many kinds, so Spark is asked."""
    # A server of Spark Connect has a life of its own, and is asked again and again for minutes.
    if spark is None or type(spark).__module__.startswith("pyspark.sql.connect"):
        return False
    if any(word in str(error) for word in _ENDING):
        return True
    limit_s = time.monotonic() + GONE_S
    while time.monotonic() < limit_s:
        try:
            _ = spark.version
        except Exception:  # noqa: BLE001 (whatever it is that nobody answers with)
            return True
        time.sleep(_LOOK_S)
    return False
