"""Sleeps of the code under test, told from those of others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest


def instead_of_sleep(monkeypatch: pytest.MonkeyPatch, do: Callable[[float], None]) -> None:
    """What this thread does where it would sleep. Threads that other tests have left behind sleep
    as ever: `time.sleep` is everybody's."""
    sleep, here = time.sleep, threading.get_ident()

    def done(seconds: float) -> None:
        (do if threading.get_ident() == here else sleep)(seconds)

    monkeypatch.setattr(time, "sleep", done)
