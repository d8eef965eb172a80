"""An error that another driver has caused is Fenced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from windowlog.errors import Fenced

if TYPE_CHECKING:
    from windowed.parts import Parts


@contextmanager
def fencing(parts: Parts, held: Mapping[str, int]) -> Iterator[None]:
    """With state, an error is Fenced where a sink does not hold the window any more that it is
    known to hold: another driver has gone on, and lets go of states older than its own, of those
    that we have staged or loaded too. Reads the sinks' memories after an error only."""
    try:
        yield
    except Fenced:
        raise
    except Exception as error:
        moved = _moved(parts, held) if parts.store is not None else None
        if moved is None:
            raise
        raise Fenced(pipeline=parts.pipeline, evidence=f"it has moved sink {moved}") from error


def _moved(parts: Parts, held: Mapping[str, int]) -> str | None:
    with suppress(Exception):  # the error that is on its way is told then
        for name, sink in parts.sinks.items():
            memory = sink.held()
            if memory is not None and memory.window_id != held[name]:
                return name
    return None
