"""The search with a state, which says how many numbers there were before: in every world that can
be reached each window was made with the state of exactly the windows before it.

In each of them a driver alone goes on, with one number more than there was: as things are, and with
the newest checkpoint damaged."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from tests.windowed.search import weakened_state
from tests.windowed.search.drivers import Setting
from tests.windowed.search.explore import Driver, Found, Search
from windowed.testing.list_sink import ListSink

LEDGER = {"ledger": ListSink}
TWO_LEDGERS = {"one": ListSink, "two": ListSink}
EACH = Setting(3, LEDGER, checkpoint_every=1)
EACH_SECOND = Setting(3, LEDGER, checkpoint_every=2)
TWO_DRIVERS = (Driver("A", 1), Driver("B", 2))

# The searches of `make soak`: name, what the drivers are made of, the drivers, power cuts.
LARGE = [
    ("each second", EACH_SECOND, TWO_DRIVERS, True),
    ("restarted", replace(EACH, count=2), (Driver("A", 1, 2), Driver("B", 2, 2)), True),
    ("two ledgers", replace(EACH, count=2, sinks=TWO_LEDGERS), TWO_DRIVERS, True),
    ("four windows", replace(EACH_SECOND, count=4), (Driver("A", 1), Driver("B", 2)), False),
]


def _holds(name: str, found: Found, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        sys.stdout.write(f"\n  {name}: {str(found).splitlines()[0]}")
    assert found.problem is None, str(found)


def _problem(setting: Setting, *drivers: Driver) -> str:
    found = Search(setting, drivers or TWO_DRIVERS).explore()
    assert found.problem is not None, str(found)
    return found.problem


def _restored(setting: Setting) -> Found:
    return Search(setting, TWO_DRIVERS, rows_only=True).explore_restored()


@pytest.mark.parametrize("every", [1, 2])
def test_one_driver_with_state_that_crashes_before_every_step(
    every: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """And is started again; the power may be cut at any moment."""
    setting = Setting(3, LEDGER, checkpoint_every=every)
    search = Search(setting, [Driver("A", 1, 2)], power=True)
    _holds(f"state, one driver, each {every}", search.explore(), capsys)


def test_two_drivers_with_state(capsys: pytest.CaptureFixture[str]) -> None:
    """Two or three windows, a checkpoint after each, purged as soon as may be."""
    _holds("state, two drivers", Search(EACH, TWO_DRIVERS, power=True).explore(), capsys)


@pytest.mark.soak
def test_a_backup_restored_beside_states_of_later_windows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The log, the database or both are those of an earlier moment, the states are not."""
    _holds("state, backup restored", _restored(replace(EACH, count=2)), capsys)


def test_a_purge_that_spares_only_the_newest_checkpoint_loses_the_state() -> None:
    """When that one is damaged."""
    setting = replace(EACH, patch=weakened_state.only_the_newest)
    problem = _problem(setting, Driver("A", 1))
    assert "with the newest checkpoint damaged" in problem
    assert "StateLost" in problem


def test_a_checkpoint_that_is_not_compared_with_its_window_is_another_windows() -> None:
    """A backup gave the log its number back, with other rows behind it."""
    problem = _restored(replace(EACH, count=2, patch=weakened_state.any_digest)).problem
    assert problem is not None
    assert "the state it was made with is not that of what was before" in problem


def test_a_state_that_is_not_made_anew_by_replays_is_an_older_one() -> None:
    """A driver died after its hold, and before its checkpoint."""
    setting = replace(EACH, patch=weakened_state.forgotten)
    problem = _problem(setting, Driver("A", 1, 2))
    assert "the state it was made with is not that of what was before" in problem


def test_what_another_driver_has_staged_is_not_swept() -> None:
    """A driver that was paused before it let go takes away what the next one has staged."""
    assert "RecordNotFound" in _problem(replace(EACH, patch=weakened_state.all_swept))


def test_what_another_driver_lets_go_of_is_told_as_its_work() -> None:
    """A replay for the state alone that was paused while two checkpoints were made past it."""
    assert "RecordNotFound" in _problem(replace(EACH, patch=weakened_state.errors_as_they_are))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("name", "setting", "drivers", "power"), LARGE, ids=[x[0] for x in LARGE])
def test_at_length(
    name: str,
    setting: Setting,
    drivers: tuple[Driver, ...],
    power: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """More restarts, more windows, more sinks."""
    search = Search(setting, drivers, power=power)
    _holds(f"state, {name}", search.explore(), capsys)
