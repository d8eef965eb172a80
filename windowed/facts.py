"""What is known when a run starts. Frozen values: `gather` reads them, `decide` answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from windowed.state_facts import Restart, StateFacts
from windowlog import codec
from windowlog.state import LogState
from windowlog.state_store import STATE
from windowlog.values import Json
from windowlog.window import Window
from windowlog.wiring import Adoption, Header, Held, InputIdentity, SinkIdentity, TargetState


@dataclass(frozen=True, slots=True)
class InputFacts:
    """An input as the pipeline names it. `memory` is the window of its newest memory, None if there
    is none; `torn` names it, and all damaged ones below, if it is damaged, and `intact` is then the
    window of the newest that is not."""

    name: str
    identity: InputIdentity
    remembers: bool
    memory: int | None
    torn: tuple[str, ...] = ()
    intact: int | None = None


@dataclass(frozen=True, slots=True)
class SinkFacts:
    """A sink as the pipeline names it, what its ledger says of it, and what stands at its
    target."""

    name: str
    identity: SinkIdentity
    held: Held | None
    target: TargetState


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that `decide` looks at.

    `digests` are those of all windows that could be known: the header's at first - 1, the kept
    plans' that were read, and the one that the oldest of them names as its previous. `adoptions`
    stand beside plan L. `resets` are the newest kept windows beside which a person said where an
    input goes on; `unheld` the oldest windows with rows of an input that some sink lacks. `state`
    is None for a pipeline without one.
    """

    header: Header
    log: LogState
    digests: Mapping[int, str]
    adoptions: tuple[Adoption, ...]
    inputs: tuple[InputFacts, ...]
    sinks: tuple[SinkFacts, ...]
    resets: Mapping[str, int] = field(default_factory=dict)
    unheld: Mapping[str, int] = field(default_factory=dict)
    state: StateFacts | None = None

    @property
    def held_min(self) -> int:
        """Hmin over the sinks that have a ledger row; first - 1 if none has."""
        return min((s.held.window_id for s in self.sinks if s.held), default=self.header.first - 1)

    @property
    def held_max(self) -> int:
        """Hmax over the sinks that have a ledger row; first - 1 if none has."""
        return max((s.held.window_id for s in self.sinks if s.held), default=self.header.first - 1)

    @property
    def needed_from(self) -> int:
        """The oldest plan that this start may want to read: max(F, min(start, what inputs have
        folded))."""
        return max(self.log.oldest, min([self.start, *self._folded()]))

    @property
    def looked_at_from(self) -> int:
        """The oldest plan that is to be read before it is known which checkpoint belongs to this
        log's windows: that of the oldest one that might."""
        checkpoints = self.state.checkpoints if self.state is not None else ()
        held = [one.window_id for one in checkpoints if one.window_id <= self.held_min]
        windows = [window_id for window_id in held if window_id >= self.log.mark]
        if self.state is not None and not windows:
            windows = [self.header.first - 1]
        return max(self.log.oldest, min([self.held_min, *windows, *self._folded()]))

    @property
    def start(self) -> int:
        """The window after which the state is known, and all sinks hold everything: the next one is
        to be run again, or is new. Hmin without state; first - 1 where nothing is known of it."""
        if self.state is None:
            return self.held_min
        points = self.restarts()
        return points[-1].window_id if points else self.header.first - 1

    @property
    def oldest_begin(self) -> int:
        """The oldest window that a sink may begin with: all plans from it on are kept, and with
        state that is known before it. The oldest plan's where the state is known nowhere."""
        oldest, newest = self.log.oldest, self.log.newest
        for first in range(oldest, newest + 2) if self.state is not None else ():
            if any(point.window_id >= oldest - 1 for point in self.restarts(first - 1)):
                return first
        return oldest

    def restarts(self, reach: int | None = None) -> tuple[Restart, ...]:
        """Where a pipeline with state may go on from, ascending: its empty state, where that is the
        state, and its checkpoints that can be used, up to `reach` (none: Hmin).

        One below the low-water mark is nobody's any more (I8); one whose window has another digest
        is another log's, or of a window that never came to be."""
        if self.state is None:
            return ()
        reach = self.held_min if reach is None else reach
        found: dict[int, Restart] = {}
        emptied = max([w for w in self.state.emptied if w <= reach], default=None)
        if emptied is not None:
            found[emptied] = Restart(emptied, None)
        elif STATE not in self.header.positions:
            found[self.header.first - 1] = Restart(self.header.first - 1, None)
        for one in self.state.checkpoints:
            if one.problem or self.digests.get(one.window_id) != one.digest:
                continue
            believed = self.log.mark <= one.window_id or one.window_id == self.header.first - 1
            later = emptied is None or one.window_id > emptied
            if believed and later and one.window_id <= reach:
                found[one.window_id] = Restart(one.window_id, one)
        return tuple(found[window_id] for window_id in sorted(found))

    def _folded(self) -> list[int]:
        return [i.memory if i.memory is not None else 0 for i in self.inputs if i.remembers]

    def held_windows(self) -> dict[str, int]:
        """Sink -> the window it holds, first - 1 for one that holds nothing yet."""
        nothing = self.header.first - 1
        return {s.name: s.held.window_id if s.held else nothing for s in self.sinks}

    def positions(self) -> dict[str, Json]:
        """Input -> where its next plan starts: its end in plan L, or what was adopted beside it."""
        found = dict(self.header.positions)
        if self.log.window is not None:
            found = self.log.window.positions
        for adoption in self.adoptions:
            found[adoption.input] = adoption.end
        return found

    def uneven(self, window: Window) -> list[str]:
        """Sinks that hold this window, and may have what is skipped in it now.

        A ledger says of its newest window only with how many skips that was read. Of an older one,
        which another sink lacks since a backup was put back, nobody knows: it is named."""

        def may_have(held: Held) -> bool:
            older = held.window_id > window.id and bool(window.skips)
            return older or (held.window_id == window.id and held.skips < len(window.skips))

        return [sink.name for sink in self.sinks if sink.held and may_have(sink.held)]

    def gone_at(self, sink: SinkFacts) -> tuple[str, ...]:
        """Sinks that have filled the target of `sink`, and are not in the pipeline any more."""
        configured = {other.name for other in self.sinks}
        return tuple(name for name in sink.target.other_sinks if name not in configured)

    def heirs(self, sink: SinkFacts) -> tuple[str, ...]:
        """Those of `gone_at` that hold the newest window: all that did before were renamed since.
        All of them where the sink does not tell their windows."""
        gone = self.gone_at(sink)
        windows = self._windows_at(sink)
        newest = max((windows.get(name, 0) for name in gone), default=0)
        return tuple(name for name in gone if windows.get(name, 0) == newest)

    def overtaken(self, sink: SinkFacts) -> bool:
        """Is the sink's row one that another name has left behind? Its own window is purged, and
        another sink went on from there at the same target."""
        held, windows = sink.held, self._windows_at(sink)
        if held is None or held.log_id != self.header.log_id:
            return False
        newer = any(windows.get(name, 0) > held.window_id for name in self.gone_at(sink))
        return newer and held.window_id < self.log.oldest - 1

    def _windows_at(self, sink: SinkFacts) -> dict[str, int]:
        # Not strict: they may be untold.
        return dict(zip(sink.target.other_sinks, sink.target.other_windows, strict=False))

    def renamed_to(self, sink: SinkFacts, other: str) -> bool:
        """Was `sink` renamed to `other`? Its row was then moved out of the way."""
        held = sink.held
        known = self.digests.get(held.window_id) if held is not None else None
        return held is not None and known is not None and held.digest == retired(known, other)

    def recorded_inputs(self) -> dict[str, InputIdentity]:
        """The inputs of the newest window, as changed by the adoptions beside it."""
        window = self.log.window
        recorded = dict(window.inputs) if window is not None else {}
        for adoption in self.adoptions:
            if adoption.identity is None:
                recorded.pop(adoption.input, None)
            else:
                recorded[adoption.input] = adoption.identity
        return recorded


def furthest(held: Mapping[str, Held | None]) -> tuple[Mapping[str, Json], tuple[str, ...]]:
    """The inputs' positions after the newest window that a sink holds; and the sinks that stand
    elsewhere: they lack rows, or have what others lack."""
    found = [memory for memory in held.values() if memory is not None]
    newest = max(found, key=lambda memory: memory.window_id, default=None)
    positions = newest.positions if newest is not None else {}
    elsewhere = [n for n, h in held.items() if (h.positions if h is not None else {}) != positions]
    return positions, tuple(elsewhere)


def untold(held: Held | None, target_exists: bool) -> bool:
    """Does this memory keep to itself where inputs stand, though its target may have rows? Only one
    that was adopted behind plans which are purged does."""
    return held is not None and held.window_id > 0 and not held.positions and target_exists


def retired(digest: str, name: str) -> str:
    """The digest of a ledger row whose sink was renamed to `name`: no window has it, so a driver
    under the old name is fenced."""
    return codec.digest(f"renamed to {name}: {digest}".encode())
