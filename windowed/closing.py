"""The end of a run or a look: all that was opened is released."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windowed.parts import Parts


def close(parts: Parts) -> None:
    """Close inputs (they fold), sinks, the state's store and the log, all of them, and then raise
    the first error there was."""
    first: Exception | None = None
    for action in _closings(parts):
        try:
            action()
        except Exception as error:  # noqa: BLE001 (all are closed before the first error is raised)
            first = first or error
    if first is not None:
        raise first


def close_quietly(parts: Parts) -> None:
    """Close after a failure: what is raised here must not hide it."""
    for action in _closings(parts):
        with suppress(Exception):
            action()


def _closings(parts: Parts) -> list[Callable[[], None]]:
    inputs = [source.close for source in parts.inputs.values()]
    sinks = [sink.close for sink in parts.sinks.values()]
    store = [parts.store.close] if parts.store is not None else []
    return [*inputs, *sinks, *store, parts.log.close]
