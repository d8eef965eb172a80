"""What facts say of a state: from which windows a start may go on, and how far down it looks."""

from __future__ import annotations

import pytest

from tests.windowed.conditions import ACheckpoint, ALog, AnInput, ASink, AState, facts_of
from windowed.facts import Facts
from windowlog.state_store import Checkpoint


def _facts(
    *checkpoints: ACheckpoint,
    log: ALog | None = None,
    held: int = 6,
    emptied: tuple[int, ...] = (),
    handed_on: bool = False,
) -> Facts:
    """A log with windows 3 to 8, and one sink."""
    state = AState(checkpoints, emptied, handed_on)
    return facts_of(log or ALog(3, 8), [ASink(held)], [AnInput()], state)


def _restarts(facts: Facts) -> list[tuple[int, Checkpoint | None]]:
    return [(point.window_id, point.checkpoint) for point in facts.restarts()]


def test_a_pipeline_without_a_state_has_no_restarts() -> None:
    """It goes on from what all its sinks hold."""
    facts = facts_of(ALog(3, 8), [ASink(6), ASink(5)], [AnInput()])
    assert (facts.restarts(), facts.start, facts.looked_at_from, facts.needed_from) == ((), 5, 5, 5)


def test_a_start_goes_on_from_the_newest_checkpoint_that_all_sinks_reach() -> None:
    """The older ones are there in case, and the state that was empty at first; a newer one is of a
    window that some sink is yet to hold."""
    facts = _facts(ACheckpoint(4), ACheckpoint(6), ACheckpoint(8))
    assert [window for window, _ in _restarts(facts)] == [2, 4, 6]
    assert _restarts(facts)[0] == (2, None)
    assert facts.start == 6


@pytest.mark.parametrize(
    "one", [ACheckpoint(6, same_digest=False), ACheckpoint(6, whole=False), ACheckpoint(7)]
)
def test_what_cannot_be_used_is_passed_by(one: ACheckpoint) -> None:
    """Of another window of that number, damaged, or not held by all."""
    assert [window for window, _ in _restarts(_facts(ACheckpoint(4), one))] == [2, 4]


def test_of_two_records_of_a_window_the_later_one_that_is_whole_counts() -> None:
    """A start that found the first one damaged has made it anew; and the other way about."""
    whole, damaged = ACheckpoint(6), ACheckpoint(6, whole=False)
    for records, attempt in [((damaged, whole), 1), ((whole, damaged), 0), ((whole, whole), 1)]:
        (_, found) = _restarts(_facts(*records))[-1]
        assert found is not None
        assert found.attempt == attempt


def test_below_the_low_water_mark_nothing_is_believed() -> None:
    """I8: a driver that was paused may have saved it, whatever it says; not even where the oldest
    plan that is kept names that window's digest as the one before it."""
    facts = _facts(ACheckpoint(4), ACheckpoint(6), log=ALog(5, 8))
    assert facts.digests[4] == "digest 4"
    assert [window for window, _ in _restarts(facts)] == [2, 6]
    assert [window for window, _ in _restarts(_facts(ACheckpoint(4), log=ALog(5, 8)))] == [2]


def test_a_state_made_empty_counts_from_there_on() -> None:
    """Not the checkpoint of that very window, and none before; a later one does."""
    facts = _facts(ACheckpoint(4), ACheckpoint(5), ACheckpoint(6), emptied=(5,))
    assert [window for window, _ in _restarts(facts)] == [5, 6]
    assert _restarts(facts)[0] == (5, None)
    assert _restarts(_facts(ACheckpoint(6), emptied=(6,))) == [(6, None)]
    assert _restarts(_facts(emptied=(4, 5))) == [(5, None)]


def test_a_state_made_empty_after_a_window_that_some_sink_lacks_is_yet_to_come() -> None:
    """An older database was put back: what was before counts again, until then."""
    facts = _facts(ACheckpoint(4), held=5, emptied=(6,))
    assert [window for window, _ in _restarts(facts)] == [2, 4]


def test_a_state_that_was_handed_on_is_not_empty_before_the_first_window() -> None:
    """It is its checkpoint there, or it is lost."""
    assert _restarts(_facts(handed_on=True)) == []
    (window, checkpoint), *more = _restarts(_facts(ACheckpoint(2), handed_on=True))
    assert (window, more) == (2, [])
    assert checkpoint is not None


def test_a_state_is_found_before_the_first_window_though_the_mark_is_past_it() -> None:
    """Of a new log the mark is its first window: what was handed on is one before."""
    facts = _facts(ACheckpoint(2), held=2, log=ALog(3, 2), handed_on=True)
    assert facts.log.mark == 3
    assert facts.start == 2
    assert len(facts.restarts()) == 1


@pytest.mark.parametrize(
    ("checkpoints", "emptied", "looked_at", "needed"),
    [
        ((), (), 3, 3),
        ((ACheckpoint(5),), (), 5, 5),
        ((ACheckpoint(4), ACheckpoint(6)), (), 4, 6),
        ((ACheckpoint(4), ACheckpoint(6, whole=False)), (), 4, 4),
        ((ACheckpoint(5, same_digest=False),), (), 5, 3),
        ((ACheckpoint(8),), (), 3, 3),
        ((ACheckpoint(6, whole=False),), (4,), 6, 4),
    ],
)
def test_plans_are_looked_at_down_to_the_oldest_checkpoint(
    checkpoints: tuple[ACheckpoint, ...], emptied: tuple[int, ...], looked_at: int, needed: int
) -> None:
    """Only its plan's digest says whether it is this log's. Needed are those from the one on that
    is gone on from."""
    facts = _facts(*checkpoints, emptied=emptied)
    assert (facts.looked_at_from, facts.needed_from) == (looked_at, needed)
