"""An error that another driver has caused is Fenced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from windowlog.errors import Fenced

if TYPE_CHECKING:
    from windowed.keeper import Keeper
    from windowed.parts import Parts


@contextmanager
def fencing(parts: Parts, held: Mapping[str, int], keeper: Keeper | None = None) -> Iterator[None]:
    """With state, an error is Fenced where another driver has gone on: it lets go of states older
    than its own, of those that we have staged or loaded too. It has if a sink does not hold the
    window any more that it is known to hold; or, as of two drivers that replay for the state none
    moves a sink, if it has saved a later state than ours. Looks after an error only."""
    try:
        yield
    except Fenced:
        raise
    except Exception as error:
        evidence = _evidence(parts, held, keeper) if parts.store is not None else None
        if evidence is None:
            raise
        raise Fenced(pipeline=parts.pipeline, evidence=evidence) from error


def _evidence(parts: Parts, held: Mapping[str, int], keeper: Keeper | None) -> str | None:
    with suppress(Exception):  # the error that is on its way is told then
        for name, sink in parts.sinks.items():
            memory = sink.held()
            if memory is not None and memory.window_id != held[name]:
                return f"it has moved sink {name}"
    with suppress(Exception):
        saved = keeper.others() if keeper is not None else None
        if saved is not None:
            return f"it has saved the state after window {saved}"
    return None
