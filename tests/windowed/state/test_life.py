"""A long random life of a pipeline with state, against the simplest model: the words, counted by
hand.

Whatever happens (crashes, power cuts, damaged checkpoints, older backups of the sinks), each sink
holds a beginning of what was counted; and a run that ends well has brought all of it in, and saved
the state.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.windowed.state.world import SCHEMA, World, by_hand
from windowed import loop as loop_module
from windowed.errors import PlansPurged, Refused, StateLost
from windowed.testing.crash import Crash, Fuse, fused
from windowed.testing.faulty import Fault
from windowed.testing.forgetful import ForgetfulStorage
from windowed.testing.list_sink import ListStore
from windowed.testing.storage_state import StorageState
from windowlog import naming
from windowlog.log import WindowLog

SINKS = ("one", "two")
EVERY = st.integers(1, 4)
KEEP = 2
# More moments than one run has in it: some runs come through.
MOMENTS = st.integers(1, 150)
TEXT = st.lists(st.sampled_from(["a", "b", "c", "!a", "!b"]), max_size=3).map(" ".join)


class Life(RuleBasedStateMachine):
    """What can happen to a pipeline, its log, its sinks and its state."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(loop_module, "PURGE_EVERY", 2)
        self.disks = ForgetfulStorage(), ForgetfulStorage()
        self.world = World("a b", sinks=SINKS, storage=self.disks[0], log=self.disks[1])
        # What was damaged, as it was then: a record of that name may be made anew.
        self.damaged: dict[tuple[int, int], bytes] = {}
        self.backups: list[dict[str, ListStore]] = [copy.deepcopy(self.world.stores)]

    def teardown(self) -> None:
        """As it was."""
        self.patch.undo()

    @rule(texts=st.lists(TEXT, min_size=1, max_size=4))
    def produce(self, texts: list[str]) -> None:
        """More words come in."""
        self.world.add(*texts)

    @rule(every=EVERY)
    def run(self, every: int) -> None:
        """A run from start to end brings everything in."""
        self._run_well(every)

    @rule(every=EVERY, at=MOMENTS, after=st.booleans())
    def crash(self, every: int, at: int, after: bool) -> None:
        """A driver dies before or after something it does."""
        fuse = Fuse(at, after=after)
        try:
            fused(self.world.pipeline(every, keep=KEEP), fuse).run(None, progress=False)
        except Crash:
            assert fuse.dead

    @rule(every=EVERY, at=MOMENTS, crash=st.booleans(), data=st.data())
    def fail_midway(self, every: int, at: int, crash: bool, data: st.DataObject) -> None:
        """It fails or dies inside a storage verb, and the power may go."""
        fault = Fault(at, "midway", crash=crash)
        store = StorageState(SCHEMA, key=["word"], storage=fault.over(self.disks[0]))
        with fault.suffered():
            self.world.run(every, log=WindowLog(fault.over(self.disks[1])), state=store, keep=KEEP)
        if data.draw(st.booleans()):
            self.cut_power(data)

    @rule(data=st.data())
    def cut_power(self, data: st.DataObject) -> None:
        """What was not durable may be lost, or be back."""
        for disk in self.disks:
            disk.power_loss(
                lambda path, history: data.draw(st.sampled_from(list(history)), label=path)
            )

    @rule(how=st.sampled_from(["record", "rows", "lost rows"]), every=EVERY)
    def damage(self, how: str, every: int) -> None:
        """The newest checkpoint that can be used, if there is another one to fall back to."""
        usable, world = self._usable(self._lowest()), self.world
        newest = max(usable, default=(0, 0))
        if newest == (0, 0):
            return
        folder = world.folder(*newest)
        hit = [newest]
        if not set(usable) - set(hit):
            return
        world.damage(*newest, what=how if folder else "record")
        self.damaged |= {key: data for key, data in world.records().items() if key in hit}
        self._run_well(every)

    @rule()
    def back_up(self) -> None:
        """The sinks."""
        self.backups.append(copy.deepcopy(self.world.stores))

    @rule(names=st.sets(st.sampled_from(SINKS), min_size=1), age=st.integers(1, 3), every=EVERY)
    def restore(self, names: set[str], age: int, every: int) -> None:
        """An older backup of some of them: healed by a replay; or refused, and put back."""
        now, backup = copy.deepcopy(self.world.stores), self.backups[-min(age, len(self.backups))]
        if not all(backup[name].memory for name in names):
            return
        self.world.stores |= {name: copy.deepcopy(backup[name]) for name in names}
        refusal = self._refusal()
        if refusal is None:
            self._run_well(every)
            return
        before = self.world.records()
        with pytest.raises(refusal):
            self.world.run(every, keep=KEEP)
        assert self.world.records() == before
        self.world.stores = now

    @invariant()
    def every_sink_holds_a_beginning(self) -> None:
        """Window by window, with the counts so far."""
        outputs, _ = by_hand(self.world.windows)
        for name in SINKS:
            held = self.world.held(name)
            assert held == outputs[: len(held)]

    def _run_well(self, every: int) -> None:
        self.world.run(every, keep=KEEP)
        self.world.is_right(saved=False)
        newest = max(self._usable(self._lowest()))
        assert newest[0] == len(self.world.windows)
        assert self.world.saved(*newest) == by_hand(self.world.windows)[1]

    def _lowest(self) -> int:
        memories = [store.memory.get(("counting", n)) for n, store in self.world.stores.items()]
        return min(memory.window_id if memory else 0 for memory in memories)

    def _plans(self) -> tuple[int, int]:
        """The oldest plan that counts, and the newest; (1, 0) before the first."""
        mark = max(naming.attempts(self.disks[1].within("marks").list()), default=1)
        plans = naming.attempts(self.disks[1].within("windows").list())
        return mark, max(plans, default=0)

    def _usable(self, lowest: int) -> list[tuple[int, int]]:
        """Checkpoints that nobody has damaged, of windows that all sinks hold and the log knows;
        and the empty state where all plans are kept."""
        oldest, _ = self._plans()
        records = self.world.records()
        found = [key for key in records if self.damaged.get(key) != records[key]]
        beginning = [(0, 0)] if oldest == 1 else []
        return beginning + [key for key in found if oldest <= key[0] <= lowest]

    def _refusal(self) -> type[Refused] | None:
        lowest, (oldest, _) = self._lowest(), self._plans()
        if lowest < oldest - 1:
            return PlansPurged
        return None if self._usable(lowest) else StateLost


TestLife: Any = Life.TestCase
TestLife.settings = settings(max_examples=100, stateful_step_count=30)
