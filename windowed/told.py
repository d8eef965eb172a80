"""What sinks tell a person of themselves, and what is said of those that tell nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windowlog.sink_place import SinkPlace

if TYPE_CHECKING:
    from windowed.parts import Parts


def place_of(parts: Parts, name: str) -> SinkPlace:
    """Where target and memory of sink `name` are."""
    sink = parts.sinks[name]
    tells = getattr(sink, "place", None)
    if tells is not None:
        place: SinkPlace = tells()
        return place
    return SinkPlace(sink.identity().target, f"the memory of sink {name}")


def free_from(parts: Parts, name: str) -> int:
    """The first window that an open sink may go on with; 0 if it takes any."""
    asks = getattr(parts.sinks[name], "free_from", None)
    return int(asks()) if asks is not None else 0
