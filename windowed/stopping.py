"""StopFlag: an event that a signal handler may set."""

from __future__ import annotations

import _thread
import threading


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
