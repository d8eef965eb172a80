"""Who takes part in a window: inputs and sinks as the log and the ledgers remember them. Frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from windowlog.values import Json


@dataclass(frozen=True, slots=True)
class InputIdentity:
    """What an input reads: its `kind` ("files/lines") and its `place` ("/data/in", without secrets)."""

    kind: str
    place: str


@dataclass(frozen=True, slots=True)
class SinkIdentity:
    """Where a sink writes (`target`, without secrets) and how (`mode`, with its key and columns)."""

    target: str
    mode: str


@dataclass(frozen=True, slots=True)
class Held:
    """A sink's memory: the window it holds, and everything needed to know that the window is ours.

    `digest` is that of window `window_id`'s record; for a sink that holds nothing yet `window_id` is the log's
    first - 1 and `digest` the header's. `positions` are the inputs' ends after the window, `skips` the number
    of skips the window was read with.
    """

    log_id: str
    window_id: int
    digest: str
    run_id: str
    identity: SinkIdentity
    positions: Mapping[str, Json] = field(default_factory=dict)
    skips: int = 0


@dataclass(frozen=True, slots=True)
class TargetState:
    """What stands at a sink's target: whether it exists, and which other sinks hold windows of this log in it."""

    exists: bool
    other_sinks: tuple[str, ...] = ()
