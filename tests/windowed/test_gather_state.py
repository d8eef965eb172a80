"""The facts of a state: its checkpoints, what a person said of it, and the plans that tell which of
them are this log's."""

from __future__ import annotations

import pytest

from tests.windowed.made import HeardInput
from tests.windowlog.drafts import PIPELINE, begun, opened, tear
from windowed.facts import Facts
from windowed.gather import gather
from windowed.recovery import TABLE
from windowed.testing import StorageState
from windowed.testing.list_sink import ListSink
from windowlog import codec
from windowlog.contracts import SinkContext
from windowlog.log import WindowLog
from windowlog.state_store import StateContext
from windowlog.storage.memory import MemoryStorage
from windowlog.wiring import Adoption, Held, InputIdentity

EMPTY = InputIdentity("state", "empty")


class _World:
    """A log, a state's store, and a sink that holds a window."""

    def __init__(self, windows: int, held: int) -> None:
        self.storage, self.kept, self.held = MemoryStorage(), MemoryStorage(), held
        self.log = begun(self.storage, windows)

    def digest(self, window_id: int) -> str:
        """Of the plan's record."""
        return codec.digest(self.storage.within("windows").read(f"{window_id:012d}.json"))

    def store(self) -> StorageState:
        """Open."""
        store = StorageState("n long", storage=self.kept)
        store.open(StateContext(None, PIPELINE, self.log.header.log_id, "run-a"))
        return store

    def save(self, *windows: int, digest: str = "") -> None:
        """Checkpoints of these windows."""
        store = self.store()
        for window_id in windows:
            store.save(window_id, digest or self.digest(window_id), store.load(None))

    def damage(self, window_id: int) -> None:
        """One byte of a checkpoint's record."""
        records = self.kept.within(self.log.header.log_id).within("checkpoints")
        name = f"{window_id:012d}.json"
        data = bytearray(records.read(name))
        data[len(data) // 2] ^= 1
        records.delete(name)
        records.create(name, bytes(data))

    def empty(self, window_id: int) -> None:
        """As `adopt --empty-state` says it."""
        self.log.notes.adopt(Adoption(window_id, "state", EMPTY, None, "why"))

    def facts(self) -> Facts:
        """As a start gathers them."""
        log = WindowLog(self.storage)
        header = log.open(PIPELINE, "run-b")
        sink = ListSink()
        sink.open(SinkContext(PIPELINE, "counts", header.log_id, "run-b"))
        held = Held(header.log_id, self.held, self.digest(self.held), "run-a", sink.identity())
        sink.adopt(None, held)
        return gather(log, {"lines": HeardInput([], [])}, {"counts": sink}, self.store())


def _refusing(facts: Facts) -> set[str]:
    """The rows that concern the log or the state; the wiring is not what these tests are about."""
    return {row.letter for row in TABLE if row.letter in "AZ" and row.question(facts)}


def test_digests_reach_down_to_the_oldest_checkpoint() -> None:
    """And to the window before it, which its plan names; older plans are not read."""
    world = _World(8, held=7)
    world.save(4, 6)
    tear(world.storage, "000000000002.json")
    facts = world.facts()
    assert set(facts.digests) == {0, 3, 4, 5, 6, 7, 8}
    assert facts.digests[4] == world.digest(4)
    assert (facts.start, facts.log.damaged) == (6, ())


def test_plans_are_read_further_down_where_the_checkpoints_cannot_be_used() -> None:
    """The state is then made from the first window on: all plans are asked for before anything is
    replayed, and a damaged one is named."""
    world = _World(8, held=7)
    world.save(6)
    world.damage(6)
    assert set(world.facts().digests) == set(range(9))
    tear(world.storage, "000000000003.json")
    facts = world.facts()
    assert facts.log.damaged == (3,)
    assert _refusing(facts) == {"A"}


def test_plans_are_read_further_down_where_a_checkpoint_is_of_another_window() -> None:
    """What one of that number would have been in a log that was taken back."""
    world = _World(8, held=7)
    world.save(6, digest="another")
    facts = world.facts()
    assert set(facts.digests) == set(range(9))
    assert facts.start == 0


def test_plans_are_read_down_to_the_window_after_which_the_state_is_empty() -> None:
    """Where every later checkpoint is damaged: its digest is wanted for the next one."""
    world = _World(8, held=8)
    world.empty(3)
    world.save(6)
    world.damage(6)
    facts = world.facts()
    assert (facts.start, facts.needed_from) == (3, 3)
    assert facts.digests[3] == world.digest(3)


def test_a_damaged_plan_below_the_start_is_nobodys_concern() -> None:
    """It was looked at for the older checkpoint's sake, and is not needed."""
    world = _World(8, held=7)
    world.save(4, 6)
    tear(world.storage, "000000000005.json")
    facts = world.facts()
    assert facts.log.damaged == (5,)
    assert (facts.start, _refusing(facts)) == (6, set())
    world.damage(6)
    assert _refusing(world.facts()) == {"A"}


def test_what_a_person_said_of_the_state_is_no_adoption_of_an_input() -> None:
    """It stands beside a plan as they do."""
    world = _World(5, held=5)
    world.empty(3)
    world.empty(5)
    facts = world.facts()
    assert facts.state is not None
    assert facts.state.emptied == (3, 5)
    assert (facts.adoptions, facts.resets) == ((), {})
    assert "state" not in facts.positions()
    assert "state" not in facts.recorded_inputs()


def test_what_was_said_beside_a_purged_plan_is_forgotten() -> None:
    """Two later checkpoints have taken its place by then."""
    world = _World(5, held=5)
    world.empty(3)
    opened(world.storage).purge(4)
    facts = world.facts()
    assert facts.state is not None
    assert facts.state.emptied == ()


@pytest.mark.parametrize("window_id", [3, 4, 5])
def test_a_checkpoint_below_the_mark_is_not_believed(window_id: int) -> None:
    """I8. That of window 3 would match: the oldest plan that is kept tells its digest."""
    world = _World(6, held=6)
    digests = {number: world.digest(number) for number in range(1, 7)}
    opened(world.storage).purge(4)
    world.save(window_id, digest=digests[window_id])
    facts = world.facts()
    believed = [point.window_id for point in facts.restarts() if point.checkpoint is not None]
    assert believed == ([window_id] if window_id >= 4 else [])
    assert _refusing(facts) == (set() if window_id >= 4 else {"Z"})


def test_facts_with_a_state_that_are_read_twice_are_equal() -> None:
    """And another driver's checkpoint between them is noticed."""
    world = _World(5, held=5)
    world.save(4)
    before = world.facts()
    assert before == world.facts()
    world.save(5)
    assert before != world.facts()
