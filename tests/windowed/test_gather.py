"""The facts of a start: in which order they are read, and what the chain of digests says."""

from __future__ import annotations

import pytest

from tests.windowed.made import HeardInput, HeardSink
from tests.windowlog.drafts import PIPELINE, begun, draft, opened, tear
from windowed.facts import Facts
from windowed.gather import gather
from windowed.testing.list_sink import ListSink
from windowlog import codec
from windowlog.contracts import SinkContext
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.window import to_json
from windowlog.wiring import Adoption, Held, InputIdentity

HERE = InputIdentity("rows", "word, count")


@pytest.fixture
def storage() -> MemoryStorage:
    """An empty place."""
    return MemoryStorage()


class _Remembering(HeardInput):
    """An input whose position is more than its plan's end."""

    remembers = True


def _facts(
    storage: MemoryStorage, held: int | None = 0, *, remembers: bool = False, log_id: str = ""
) -> Facts:
    """The facts when a sink holds this window of the log (None: it has no row)."""
    log = WindowLog(storage)
    header = log.open(PIPELINE, "run-b")
    sink = ListSink()
    sink.open(SinkContext(PIPELINE, "counts", header.log_id, "run-b"))
    if held is not None:
        row = Held(log_id or header.log_id, held, "digest", "run-a", sink.identity())
        sink.adopt(None, row)
    source = _Remembering([], []) if remembers else HeardInput([], [])
    return gather(log, {"lines": source}, {"counts": sink})


def _digest(storage: MemoryStorage, window_id: int) -> str:
    return codec.digest(storage.within("windows").read(f"{window_id:012d}.json"))


def _replace(storage: MemoryStorage, window_id: int, previous: str) -> None:
    """An intact record of the right window and log, with another one before it."""
    log_id = opened(storage).header.log_id
    wanted = draft(window_id)
    body = to_json(wanted, log_id=log_id, previous=previous, planned_at=wanted.planned_at)
    place, name = storage.within("windows"), f"{window_id:012d}.json"
    place.delete(name)
    place.create(name, codec.encode("window", window_id, body))


def test_ledgers_are_read_before_the_log(storage: MemoryStorage) -> None:
    """A driver that is still alive can then only make the log newer than the ledgers we saw."""
    log = begun(storage, 1)

    class Late(HeardSink):
        def held(self) -> Held | None:
            found = super().held()
            begun(storage, 2)
            return found

    sink = Late("s", [])
    sink.open(SinkContext(PIPELINE, "s", log.header.log_id, "run-b"))
    reader = opened(storage)
    assert gather(reader, {}, {"s": sink}).log.newest == 2


def test_a_log_that_is_not_there_has_the_digest_of_its_header_alone(storage: MemoryStorage) -> None:
    """At first - 1, where a sink that holds nothing stands."""
    facts = _facts(storage, None)
    assert facts.digests == {0: facts.header.digest}
    assert (facts.header.exists, facts.log.newest, facts.log.damaged) == (False, 0, ())


def test_digests_reach_down_to_what_is_held_and_to_the_one_before_it(
    storage: MemoryStorage,
) -> None:
    """A sink at 3 of 5: what it needs is read, older plans are not."""
    begun(storage, 5)
    facts = _facts(storage, 3)
    assert facts.digests == {
        0: facts.header.digest,
        2: _digest(storage, 2),
        3: _digest(storage, 3),
        4: _digest(storage, 4),
        5: _digest(storage, 5),
    }


def test_purged_plans_are_known_by_the_oldest_kept_one(storage: MemoryStorage) -> None:
    """Which names the digest of the window before it."""
    begun(storage, 5)
    digest = _digest(storage, 3)
    opened(storage).purge(4)
    facts = _facts(storage, 3)
    assert facts.digests[3] == digest
    assert set(facts.digests) == {0, 3, 4, 5}


def test_an_input_that_remembers_needs_every_plan_it_has_not_folded(
    storage: MemoryStorage,
) -> None:
    """All of them before it has folded any."""
    log = begun(storage, 5)
    assert set(_facts(storage, 5, remembers=True).digests) == {0, 1, 2, 3, 4, 5}
    log.memory("lines").save(4, b"folded")
    facts = _facts(storage, 5, remembers=True)
    assert set(facts.digests) == {0, 3, 4, 5}
    assert facts.inputs[0].memory == 4
    assert _facts(storage, 5).inputs[0].memory is None


@pytest.mark.parametrize("how", ["torn", "missing"])
def test_a_needed_plan_that_cannot_be_read_is_damaged(storage: MemoryStorage, how: str) -> None:
    """Those around it are known."""
    begun(storage, 5)
    if how == "torn":
        tear(storage, "000000000003.json")
    else:
        storage.within("windows").delete("000000000003.json")
    facts = _facts(storage, 1)
    assert facts.log.damaged == (3,)
    assert set(facts.digests) == {0, 1, 2, 4, 5}


def test_a_torn_plan_that_nobody_needs_is_not_looked_at(storage: MemoryStorage) -> None:
    """A start reads only what it wants to use."""
    begun(storage, 5)
    tear(storage, "000000000002.json")
    assert _facts(storage, 4).log.damaged == ()


def test_a_plan_that_the_next_one_does_not_name_is_damaged(storage: MemoryStorage) -> None:
    """Somebody has put another record in its place: intact, of this log, and not the one."""
    begun(storage, 4)
    _replace(storage, 2, previous="something else")
    assert _facts(storage, 1).log.damaged == (2,)


def test_a_first_plan_that_does_not_name_the_header_is_damaged(storage: MemoryStorage) -> None:
    """The chain begins with the header."""
    begun(storage, 1)
    _replace(storage, 1, previous="another header")
    assert _facts(storage, 0).log.damaged == (1,)


def test_adoptions_beside_the_newest_plan_are_facts(storage: MemoryStorage) -> None:
    """Older ones are only known as the newest reset of their input."""
    log = begun(storage, 3)
    for window_id, end in ((1, 5), (2, 6), (3, 7)):
        log.notes.adopt(Adoption(window_id, "lines", HERE, end, "reset"))
    log.notes.adopt(Adoption(3, "gone", None, None, "gone"))
    facts = _facts(storage, 3)
    assert [(a.input, a.end) for a in facts.adoptions] == [("lines", 7), ("gone", None)]
    assert facts.resets == {"lines": 3}


def test_windows_that_some_sink_lacks_are_facts(storage: MemoryStorage) -> None:
    """The oldest one with rows, for each input."""
    begun(storage, 5)
    assert _facts(storage, 2).unheld == {"lines": 3}
    assert _facts(storage, 5).unheld == {}


def test_facts_read_twice_are_equal(storage: MemoryStorage) -> None:
    """Which is how a change between two readings is noticed."""
    begun(storage, 3)
    tear(storage, "000000000003.json")
    assert _facts(storage, 1) == _facts(storage, 1)
    assert _facts(storage, 1) != _facts(storage, 2)
