"""The life of one window, step by step. docs/guarantees.md says what follows from it.

    0 decide      ledgers, then the log; refuse, or go on            nothing durable
    1 plan        each input says what comes next                    nothing durable
    2 log         append, then read the low-water mark               plan n fixed for ever
    3 read        exactly the plan's rows, lazily                    nothing durable
    4 transform   the user's function                                nothing durable
    5 stage       all of Spark's work                                debris at most
    6 verify      what was planned is what was read                  nothing durable
    7 hold        each sink: rows and memory in one step             sinks hold n
    8 committed   inputs fold, sinks publish, listeners hear         theirs, repeatable
    9 checkpoint  with state, now and then: saved and read back      state after n
   10 purge       the mark, then plans no recovery can need          plans gone

Invariants kept here: I4 committed(n) is told only after every sink holds n. I5 purge spares the
plan min(Hmin, the older checkpoint, what inputs have folded) itself and every later one. I6 one
window in flight. The others are kept by the log (I1, I2, I8) and by the sinks (I3, I7).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windowed import opening
from windowed.asides import counts, explained, read_all
from windowed.closing import close
from windowed.fencing import fencing
from windowed.frames import arrow_schema, schema_of, shared
from windowed.keeper import Keeper
from windowed.timing import Timing
from windowlog.errors import NotHeld, SourceChanged
from windowlog.values import Bounds, Json, Plan
from windowlog.window import Draft, Window

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowed.clock import Clock
    from windowed.facts import Facts
    from windowed.listener import Listener
    from windowed.parts import Parts
    from windowed.recovery import Decision
    from windowed.state import Made, State
    from windowlog.contracts import Frame, Sink

# A sink that surely did not hold may be tried again: a reader's lock goes by. More often, a person
# should look.
HOLD_ATTEMPTS = 3
HOLD_PAUSE_S = 0.5

# The mark and each deletion cost a sync: every window they took a third of the overhead
# (benchmarks/overhead.py).
PURGE_EVERY = 32

# A deletion takes 0.15 ms; 32 at once doubled one window in 32. Two a window keep up.
DELETIONS_AT_ONCE = 2


@dataclass
class Loop:
    """One run's way through the windows. `open`, then `next` and `work` in turn, then `close`."""

    parts: Parts
    spark: SparkSession | None
    run_id: str
    clock: Clock
    listener: Listener
    stop: threading.Event = field(default_factory=threading.Event)
    timing: Timing = field(default_factory=Timing)
    replayed: int = 0
    aside: dict[str, int] = field(default_factory=dict)
    keeper: Keeper | None = None
    _positions: dict[str, Json] = field(default_factory=dict)
    _facts: Facts = field(init=False)
    _held: dict[str, int] = field(default_factory=dict)
    _replay: Iterator[int] = field(default_factory=lambda: iter(()))
    _schemas: dict[str, object] = field(default_factory=dict)
    _told: int = 0
    _since_purge: int = 0

    def open(self) -> Decision:
        """Step 0. Raises Refused, Fenced or what the outside raises; nothing is durable until all
        is decided."""
        with self.timing.step("decide"):
            facts, decision = opening.decide_start(self.parts, self.run_id, self.spark)
            self.parts.begin()
            self._facts = facts
            self._held = facts.held_windows()
            self._replay = iter(decision.replay)
            opening.open_inputs(self.parts, self.spark)
            self.start_at(facts.positions())
            self.open_state(facts)
        self._told = min(self._held.values())
        if self._told >= facts.log.oldest:
            self._tell(self.parts.log.read(self._told))
        return decision

    def next(self, bounds: Callable[[], Mapping[str, Bounds]]) -> Window | None:
        """Steps 1 and 2, or the next window to replay. None when there is nothing new inside
        `bounds()`."""
        for window_id in self._replay:
            window = self.parts.log.read(window_id)
            self.replayed += 1
            self.listener.planned(window, replay=True)
            uneven = self._facts.uneven(window)
            if uneven:
                self.listener.uneven(window, uneven)
            return window
        with self.timing.step("plan"):
            plans = self.plan(bounds())
        # The very first window is logged even when it is empty: it pins where every input starts.
        if self.parts.log.begun and all(plan.empty for plan in plans.values()):
            return None
        with self.timing.step("log"):
            if not self.parts.log.begun:
                opening.enrol(self.parts, self._facts, self.run_id)
            window = self.parts.log.append(self.draft(plans))
        self._positions = window.positions
        self.listener.planned(window, replay=False)
        return window

    def plan(self, bounds: Mapping[str, Bounds]) -> dict[str, Plan]:
        """Step 1: what comes next. Changes nothing."""
        return {
            name: source.plan(self._positions.get(name), bounds[name])
            for name, source in self.parts.inputs.items()
        }

    def start_at(self, positions: Mapping[str, Json]) -> None:
        """Plan from these positions on."""
        self._positions = dict(positions)

    def open_state(self, facts: Facts) -> None:
        """Load the state that this start goes on from, if the pipeline has one."""
        store = self.parts.store
        if store is not None:
            with fencing(self.parts, facts.held_windows()):
                self.keeper = Keeper(self.parts, store, facts)

    @property
    def state(self) -> State | None:
        """The state before the next window; None for a pipeline without."""
        return self.keeper.state() if self.keeper is not None else None

    def draft(self, plans: Mapping[str, Plan]) -> Draft:
        """The next window, before it is logged."""
        return Draft(
            window_id=self.parts.log.newest + 1,
            planned_at=self.clock.now(),
            plans=plans,
            inputs={name: source.identity() for name, source in self.parts.inputs.items()},
            sinks={name: sink.identity() for name, sink in self.parts.sinks.items()},
            run_id=self.run_id,
        )

    def bounds(self) -> dict[str, Bounds]:
        """What exists now, for each input."""
        return {name: source.bounds() for name, source in self.parts.inputs.items()}

    def waiting(self, bounds: Mapping[str, Bounds]) -> list[str]:
        """Names of what exists and cannot be planned yet."""
        return [
            waits
            for name, source in self.parts.inputs.items()
            for waits in source.waiting(bounds[name])
        ]

    def read(self, window: Window) -> dict[str, Frame]:
        """Step 3: each input's rows of this window; none of an input that joined later. What an
        input sets aside is a frame of its own, NAME_rejects.

        SourceChanged if it has rows of an input that is gone since."""
        for name in window.plans.keys() - self.parts.inputs.keys():
            self._refuse_without(name, window)
        with self.timing.step("read"):
            return read_all(self.parts.inputs, window)

    def _refuse_without(self, name: str, window: Window) -> None:
        skipped = {skip.part for skip in window.skips if skip.input == name}
        left = [part.id for part in window.plans[name].parts if part.id not in skipped]
        if left:
            recorded = window.inputs[name]
            raise SourceChanged(
                input=name,
                part=f"part {left[0]}" if len(left) == 1 else f"{len(left)} parts",
                window_id=window.id,
                expected=f"an input of this name ({recorded.kind} {recorded.place})",
                found="a pipeline without it",
                remedy="Put the input back until every sink holds this window, or skip its parts.",
            )

    def work(self, window: Window, make: Callable[[], Made]) -> None:
        """Steps 3 to 10. `make` reads and transforms; it is called again when a sink could not
        hold."""
        for attempt in range(1, HOLD_ATTEMPTS + 1):
            try:
                with explained(self.parts.inputs), fencing(self.parts, self._held, self.keeper):
                    self._stage(window, make())
                    self._verify(window)
                self._hold(window)
                break
            except NotHeld:
                if attempt == HOLD_ATTEMPTS:
                    raise
                self._abandon(window)
                self.clock.wait(HOLD_PAUSE_S * attempt, self.stop)
        self._tell(window)
        if self.keeper is not None and self.keeper.is_due:
            self.checkpoint()
        self._since_purge += 1
        if self._since_purge >= PURGE_EVERY:
            self.purge(DELETIONS_AT_ONCE)
        else:
            with self.timing.step("purge"):
                self.parts.log.sweep(DELETIONS_AT_ONCE)

    def _lacking(self, window: Window) -> list[tuple[str, Sink]]:
        return [(n, s) for n, s in sorted(self.parts.sinks.items()) if self._held[n] < window.id]

    def _stage(self, window: Window, made: Made) -> None:
        with self.timing.step("stage"), shared(made.frames()):
            for name, sink in self._lacking(window):
                frame = made.outputs[name]
                schema = schema_of(frame)
                if self._schemas.get(name) != schema:
                    sink.prepare(arrow_schema(frame, self.parts.pipeline))
                    self._schemas[name] = schema
                sink.stage(window, frame)
            if self.keeper is not None and made.state is not None:
                self.keeper.stage(window, made.state)

    def _verify(self, window: Window) -> None:
        with self.timing.step("verify"):
            for name, source in self.parts.inputs.items():
                if name in window.plans:
                    source.verify(window.plans[name], window.skips)
        self.aside = counts(self.parts.inputs)
        if self.aside:
            self.listener.set_aside(window, self.aside)

    def _hold(self, window: Window) -> None:
        with self.timing.step("hold"):
            for name, sink in self._lacking(window):
                sink.hold(window)
                self._held[name] = window.id
                self.listener.held(window, name)
        if self.keeper is not None:
            self.keeper.held(window)

    def _abandon(self, window: Window) -> None:
        for _, sink in self._lacking(window):
            sink.abandon(window)
        if self.keeper is not None:
            self.keeper.abandon()

    def _tell(self, window: Window) -> None:
        # A window that all held before is run again for the state alone.
        if window.id >= self._told:
            self._tell_members(window)
            self._told = window.id
        self.listener.committed(window)

    def _tell_members(self, window: Window) -> None:
        with self.timing.step("committed"):
            for name, plan in window.plans.items():
                if name in self.parts.inputs:
                    self.parts.inputs[name].committed([(window.id, plan)])
            for sink in self.parts.sinks.values():
                sink.committed(window.id)

    def checkpoint(self) -> None:
        """Step 9: save the state, if there is one and it was not saved since the last window; what
        no start can need any more goes."""
        if self.keeper is not None:
            with self.timing.step("checkpoint"), fencing(self.parts, self._held, self.keeper):
                self.keeper.save()

    def purge(self, at_once: int | None = None) -> None:
        """Step 10; `at_once` as in the log. An input that has folded nothing needs every plan."""
        with self.timing.step("purge"):
            self._since_purge = 0
            folded = [source.folded() for source in self.parts.inputs.values()]
            states = [self.keeper.floor] if self.keeper is not None else []
            inputs = (f if f is not None else 0 for f in folded)
            needed = min([*self._held.values(), *states, *inputs])
            self.parts.log.purge(min(needed, self.parts.log.newest - self.parts.keep), at_once)

    def idle(self) -> None:
        """Before any wait: let go of what locks others out."""
        for sink in self.parts.sinks.values():
            release = getattr(sink, "idle", None)
            if release is not None:
                release()

    def close(self) -> None:
        """Release everything; what was durable stays so. Never hides an earlier error."""
        close(self.parts)
