"""Who takes part in a window: inputs and sinks as the log and the ledgers remember them. Frozen
values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from windowlog.values import Json


@dataclass(frozen=True, slots=True)
class InputIdentity:
    """What an input reads: its `kind` ("files/lines") and its `place` ("/data/in", without
    secrets)."""

    kind: str
    place: str


@dataclass(frozen=True, slots=True)
class SinkIdentity:
    """Where a sink writes (`target`, without secrets) and how (`mode`, with its key and
    columns)."""

    target: str
    mode: str


@dataclass(frozen=True, slots=True)
class Held:
    """A sink's memory: the window it holds, and everything needed to know that the window is ours.

    `digest` is that of window `window_id`'s record; for a sink that holds nothing yet `window_id`
    is the log's first - 1 and `digest` the header's. `positions` are the inputs' ends after the
    window, `skips` the number of skips the window was read with.
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
    """What stands at a sink's target: whether it exists, and which other sinks hold windows of this
    log in it. `other_windows` are those windows, in the same order; empty where they are not
    told."""

    exists: bool
    other_sinks: tuple[str, ...] = ()
    other_windows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Adoption:
    """A decision recorded beside plan `window_id`: from the next window on `input` reads `identity`
    from `end`.

    `identity` None: the input is gone from the next window on. `end` becomes the end of an empty
    plan. `number` counts a window's adoptions from 1 (0: not recorded yet); the last one for an
    input counts.
    """

    window_id: int
    input: str
    identity: InputIdentity | None
    end: Json
    reason: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Header:
    """The birth certificate of a log. `first` is its first window; `positions` where inputs start
    (empty: at their own start). `digest` is what the first window's `previous` will be. `exists` is
    False while it is only in memory.
    """

    log_id: str
    pipeline: str
    first: int
    positions: Mapping[str, Json]
    digest: str
    exists: bool
