"""A long random life of one pipeline, against the simplest model: the numbers that were produced.

Whatever happens (crashes, power cuts, a second driver, paused ones, backups, renamed sinks, dropped
targets), each sink holds a beginning of the numbers, each once; and a run that ends well has
brought all of them in.
"""

from __future__ import annotations

import copy
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.windowed.made import Ear
from tests.windowed.search.numbers import Numbers
from windowed import loop as loop_module
from windowed.errors import LedgerLost, LogMismatch, PlansPurged, Refused, TargetLost
from windowed.own import OpenWindow, OwnRun
from windowed.pipeline import Pipeline
from windowed.testing.clock import ManualClock
from windowed.testing.crash import Crash, Fuse, fused
from windowed.testing.faulty import Fault
from windowed.testing.forgetful import ForgetfulStorage
from windowed.testing.list_sink import ListSink, ListStore
from windowlog import naming
from windowlog.contracts import Storage
from windowlog.errors import Fenced
from windowlog.log import WindowLog
from windowlog.wiring import TargetState

SINKS = ("one", "two")
TAKES = st.integers(1, 4)
# More moments than one run has in it: some runs come through.
MOMENTS = st.integers(1, 120)


class _Target(ListSink):
    """A list whose table can be dropped."""

    def __init__(self, store: ListStore, machine: Life, name: str) -> None:
        super().__init__(store)
        self._machine = machine
        self._name = name

    def target(self) -> TargetState:
        """Gone while it is dropped."""
        return TargetState(self._name not in self._machine.dropped)


@dataclass
class _Paused:
    """A driver that has a window in hand and does not move."""

    stack: ExitStack
    run: OwnRun
    window: OpenWindow


class Life(RuleBasedStateMachine):
    """What can happen to a pipeline, its log and its sinks."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(loop_module, "PURGE_EVERY", 2)
        self.storage = ForgetfulStorage()
        self.stores = {name: ListStore() for name in SINKS}
        self.produced = 0
        self.dropped: set[str] = set()
        self.paused: list[_Paused] = []
        self.clock = ManualClock()
        self.backup = self._copy()

    def teardown(self) -> None:
        """Let go of drivers that never came back."""
        self._kill_paused()
        self.patch.undo()

    @initialize(count=st.integers(0, 5))
    def begin(self, count: int) -> None:
        """Some numbers are there."""
        self.produced = count

    @rule(count=st.integers(1, 6))
    def produce(self, count: int) -> None:
        """More come in."""
        self.produced += count
        self.clock.advance(1)

    @rule(take=TAKES)
    def run(self, take: int) -> None:
        """A run from start to end brings everything in."""
        self._run_well(take)

    @rule(take=TAKES, at=MOMENTS, after=st.booleans())
    def crash(self, take: int, at: int, after: bool) -> None:
        """A driver dies before or after something it does."""
        fuse = Fuse(at, after=after)
        try:
            fused(self._pipeline(take), fuse).run(None, progress=False, clock=self.clock)
        except Crash:
            assert fuse.dead

    @rule(take=TAKES, at=MOMENTS)
    def crash_midway(self, take: int, at: int) -> None:
        """It dies inside a storage verb: what it did can be seen and is not durable."""
        fault = Fault(at, "midway", crash=True)
        with fault.suffered():
            self._pipeline(take, fault.over(self.storage)).run(
                None, progress=False, clock=self.clock
            )

    @rule(data=st.data())
    def cut_power(self, data: st.DataObject) -> None:
        """Every driver dies, and what was not durable may be lost."""
        self._kill_paused()
        self.storage.power_loss(
            lambda path, history: data.draw(st.sampled_from(list(history)), label=path)
        )

    @rule(take=TAKES)
    def pause(self, take: int) -> None:
        """A driver takes a window, and stops moving."""
        stack = ExitStack()
        run = stack.enter_context(self._pipeline(take).open(None, clock=self.clock))
        window = run.next()
        if window is None:
            stack.close()
        else:
            self.paused.append(_Paused(stack, run, window))

    @precondition(lambda self: self.paused)
    @rule(data=st.data(), windows=st.integers(1, 3))
    def resume(self, data: st.DataObject, windows: int) -> None:
        """It goes on as if nothing had happened: it holds its window, or is fenced."""
        paused = self.paused.pop(data.draw(st.integers(0, len(self.paused) - 1)))
        try:
            for _ in range(windows):
                paused.run.hold(paused.window, paused.window.frames["numbers"])
                window = paused.run.next()
                if window is None:
                    break
                paused.window = window
        except Fenced:
            paused.stack.pop_all()
        else:
            self._leave(paused)

    @rule()
    def back_up(self) -> None:
        """Log and databases at one moment."""
        self.backup = self._copy()

    @rule(names=st.sets(st.sampled_from(SINKS), min_size=1), take=TAKES)
    def restore_databases(self, names: set[str], take: int) -> None:
        """Rows and ledger together: healed by a replay, or refused when the plans are gone."""
        now = self._copy()
        self.stores |= {name: copy.deepcopy(self.backup[1][name]) for name in names}
        refusal = self._refusal_of_databases()
        if refusal is None:
            self._run_well(take)
        else:
            self._refused(refusal, take)
            self.stores = now[1]

    @rule(take=TAKES)
    def restore_log(self, take: int) -> None:
        """An older log than the sinks: refused, until the newest backup is put back."""
        self._kill_paused()
        now = self._copy()
        self.storage = copy.deepcopy(self.backup[0])
        _, newest = self._plans()
        if max(self._held(name) for name in SINKS) > newest:
            self._refused(LogMismatch, take)
            self.storage = now[0]
        elif self._header(self.storage) != self._header(now[0]):
            self.storage = now[0]
        else:
            self._run_well(take)

    @precondition(lambda self: self._plans()[1] > 0)
    @rule(take=TAKES)
    def rename_a_sink(self, take: int) -> None:
        """A new name is a new sink: refused, and nothing is changed."""
        self._refused(Refused, take, names=("one", "renamed"))

    @rule(name=st.sampled_from(SINKS), take=TAKES)
    def drop_a_target(self, name: str, take: int) -> None:
        """Its ledger still says that it holds rows: refused, until it is back."""
        if self._held(name) >= 1:
            self.dropped.add(name)
            self._refused(TargetLost, take)
            self.dropped.clear()

    @invariant()
    def every_sink_holds_a_beginning(self) -> None:
        """Each number once, in order, none left out; and the ledger knows how many."""
        for name, store in self.stores.items():
            numbers = [row["number"] for n in sorted(store.windows) for row in store.windows[n]]
            assert numbers == list(range(len(numbers)))
            memory = store.memory.get(("life", name))
            assert len(numbers) == (memory.positions.get("numbers", 0) if memory else 0)

    def _pipeline(
        self, take: int, storage: Storage | None = None, names: tuple[str, ...] = SINKS
    ) -> Pipeline:
        sinks = {n: _Target(self.stores.get(n, ListStore()), self, n) for n in names}
        return Pipeline(
            "life",
            inputs={"numbers": Numbers(self.produced, take)},
            sinks=sinks,
            transform=lambda numbers: numbers,
            log=WindowLog(storage if storage is not None else self.storage),
            keep=2,
        )

    def _run_well(self, take: int) -> None:
        ear = Ear()
        made = self._pipeline(take)
        made.run(None, progress=False, clock=self.clock, listeners=[ear])
        assert ear.heard[-1] == "ended"
        for store in self.stores.values():
            assert sum(len(rows) for rows in store.windows.values()) == self.produced

    def _refused(self, kind: type[Refused], take: int, names: tuple[str, ...] = SINKS) -> None:
        before = self._copy()
        with pytest.raises(kind):
            self._pipeline(take, names=names).run(None, progress=False, clock=self.clock)
        assert self._seen(self.storage) == self._seen(before[0])
        assert self.stores == before[1]

    def _copy(self) -> tuple[ForgetfulStorage, dict[str, ListStore]]:
        return copy.deepcopy(self.storage), copy.deepcopy(self.stores)

    def _refusal_of_databases(self) -> type[Refused] | None:
        kept, newest = self._plans()
        if newest > 0 and not all(store.memory for store in self.stores.values()):
            return LedgerLost
        lowest = min(self._held(name) for name in SINKS)
        return PlansPurged if lowest < newest and lowest + 1 < kept else None

    def _held(self, name: str) -> int:
        memory = self.stores[name].memory.get(("life", name))
        return memory.window_id if memory is not None else 0

    def _plans(self) -> tuple[int, int]:
        """The oldest plan at or above the mark, and the newest; (1, 0) before the first."""
        mark = max(naming.attempts(self.storage.within("marks").list()), default=1)
        plans = naming.attempts(self.storage.within("windows").list())
        kept = [window_id for window_id in plans if window_id >= mark]
        return min(kept, default=1), max(kept, default=0)

    @staticmethod
    def _header(storage: ForgetfulStorage) -> list[bytes]:
        headers = storage.within("headers")
        return [headers.read(name) for name in headers.list()]

    @staticmethod
    def _seen(storage: ForgetfulStorage) -> dict[str, dict[str, bytes]]:
        places = {at: storage.within(at) for at in ("headers", "windows", "marks")}
        return {at: {n: place.read(n) for n in place.list()} for at, place in places.items()}

    def _leave(self, paused: _Paused) -> None:
        """A driver that ends while others may be further: well, or fenced."""
        try:
            paused.stack.close()
        except Fenced:
            return

    def _kill_paused(self) -> None:
        for paused in self.paused:
            paused.stack.pop_all()
        self.paused.clear()


TestLife: Any = Life.TestCase
