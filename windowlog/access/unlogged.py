"""Calls to Spark's JVM that Py4J does not log: at DEBUG it shows each of them whole, with options
and with code that is sent to tasks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOGGERS = ("py4j.clientserver", "py4j.java_gateway")


@contextmanager
def unlogged() -> Iterator[None]:
    """While it lasts, what this thread says to the JVM, and hears, is in no log."""
    thread = threading.get_ident()

    def of_others(record: logging.LogRecord) -> bool:
        """What another thread says stays."""
        return record.thread != thread

    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(of_others)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(of_others)
