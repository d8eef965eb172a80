"""What a run may be given. Each check names argument, value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from windowed.errors import RunsOnImport
from windowed.listener import Listener
from windowed.trigger import Trigger, Until
from windowlog.errors import BadArgument


def check_listeners(listeners: Any) -> tuple[Listener, ...]:
    """A list of Listener objects."""
    for listener in listeners:
        if not isinstance(listener, Listener):
            allowed = "objects of subclasses of windowed.Listener"
            raise BadArgument(argument="listeners", value=listener, allowed=allowed)
    return tuple(listeners)


def check_spark(spark: Any) -> None:
    """A session, or None for frames without Spark."""
    if spark is not None and not hasattr(spark, "createDataFrame"):
        allowed = "a SparkSession, or None: frames are pyarrow tables then"
        raise BadArgument(argument="spark", value=spark, allowed=allowed)


def check_until(until: Any) -> Until:
    """What drained(), windows(n) or forever() returned."""
    if not isinstance(until, Until):
        raise BadArgument(
            argument="until", value=until, allowed="drained(), windows(n) or forever()"
        )
    return until


def check_trigger(trigger: Any) -> Trigger:
    """What every(seconds) returned."""
    if not isinstance(trigger, Trigger):
        allowed = "every(seconds); leave it out for windows as fast as they come"
        raise BadArgument(argument="trigger", value=trigger, allowed=allowed)
    return trigger


# Not a context variable: a run may be started in any thread.
_only_looked_at = [False]


@contextmanager
def only_looked_at() -> Iterator[None]:
    """While a command imports somebody's module: no pipeline runs."""
    _only_looked_at[0] = True
    try:
        yield
    finally:
        _only_looked_at[0] = False


def check_may_run(pipeline: str) -> None:
    """RunsOnImport while a command imports the module."""
    if _only_looked_at[0]:
        raise RunsOnImport(pipeline=pipeline)
