"""Everything two drivers can do to each other, a crash before every step, a power cut anywhere.

Each test prints how many states it looked at. A driver that is paused is one that takes no step for
a while: all interleavings are looked at, so all pauses are."""

from __future__ import annotations

import sys

import pytest

from tests.windowed.search.drivers import ReadSink, Setting
from tests.windowed.search.explore import Driver, Found, Search
from tests.windowed.search.manifest_sink import ManifestSink
from windowed.testing.list_sink import ListSink

LEDGER = {"ledger": ListSink}
FILES = {"files": ManifestSink}
BOTH = {"files": ManifestSink, "ledger": ListSink}
TWO_LEDGERS = {"one": ListSink, "two": ListSink}
# The one plans one number a window, the other two: two plans of the same window are never the same.
TWO_DRIVERS = (Driver("A", 1), Driver("B", 2))

# The searches of `make soak`: name, what the drivers are made of, the drivers, power cuts.
LARGE = [
    ("restarted", Setting(3, LEDGER), (Driver("A", 1, 2), Driver("B", 2, 2)), True),
    ("four windows", Setting(4, LEDGER), (Driver("A", 1), Driver("B", 3)), True),
    ("two ledgers", Setting(2, TWO_LEDGERS), (Driver("A", 1, 2), Driver("B", 2)), True),
    ("three", Setting(2, LEDGER), (Driver("A", 1), Driver("B", 1), Driver("C", 2)), False),
    ("files", Setting(2, FILES), (Driver("A", 1, 2), Driver("B", 2)), False),
    ("read files", Setting(2, {"files": ReadSink}), TWO_DRIVERS, True),
    ("both", Setting(2, BOTH), TWO_DRIVERS, True),
    ("memory", Setting(4, LEDGER, folds_every=2), (Driver("A", 2, 2), Driver("B", 1)), True),
]


def _holds(name: str, found: Found, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        sys.stdout.write(f"\n  {name}: {str(found).splitlines()[0]}")
    assert found.problem is None, str(found)


def test_one_driver_that_crashes_before_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    """And is started again; the power may be cut at any moment."""
    for name, sinks in (("ledger", LEDGER), ("files", FILES), ("both", BOTH)):
        search = Search(Setting(2, sinks), [Driver("A", 1, 2)], power=True)
        _holds(f"one driver, {name}", search.explore(), capsys)


def test_two_drivers_and_a_ledger(capsys: pytest.CaptureFixture[str]) -> None:
    """Two or three windows, purged as soon as they are held."""
    search = Search(Setting(3, LEDGER), TWO_DRIVERS, power=True)
    _holds("two drivers, ledger", search.explore(), capsys)


def test_two_drivers_that_crash_and_start_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Either of them, before any of its steps, also after its end."""
    search = Search(Setting(2, LEDGER), [Driver("A", 1, 2), Driver("B", 2, 2)], power=True)
    _holds("two drivers restarted", search.explore(), capsys)


def test_two_drivers_and_two_ledgers(capsys: pytest.CaptureFixture[str]) -> None:
    """One ledger may hold a window that the other lacks."""
    search = Search(Setting(2, TWO_LEDGERS), TWO_DRIVERS, power=True)
    _holds("two drivers, two ledgers", search.explore(), capsys)


def test_two_drivers_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    """Manifests, their marks, and windows published by whoever is told first."""
    search = Search(Setting(2, FILES), TWO_DRIVERS)
    _holds("two drivers, files", search.explore(), capsys)


def test_two_drivers_and_an_input_that_remembers(capsys: pytest.CaptureFixture[str]) -> None:
    """Its memory is saved each second window, and plans it has not folded are kept."""
    setting = Setting(4, LEDGER, folds_every=2)
    search = Search(setting, [Driver("A", 2), Driver("B", 1)], power=True)
    _holds("two drivers, memory", search.explore(), capsys)


def test_two_drivers_after_a_power_cut(capsys: pytest.CaptureFixture[str]) -> None:
    """They start from all that a first driver can have left, torn plans among it."""
    first = Search(Setting(2, LEDGER), [Driver("Z", 1, 2)], power=True)
    _holds("before the power cut", first.explore(), capsys)
    then = Search(Setting(2, LEDGER), TWO_DRIVERS, power=True)
    _holds("after the power cut", then.explore(first.worlds_after_power_cuts()), capsys)


def test_a_backup_restored_under_a_paused_driver(capsys: pytest.CaptureFixture[str]) -> None:
    """The log and the database of any earlier moment; rows stay right, a refusal may follow."""
    search = Search(Setting(3, LEDGER), TWO_DRIVERS, rows_only=True)
    _holds("backup restored", search.explore_restored(), capsys)


def test_a_backup_restored_under_a_paused_driver_of_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rows that went with the backup are missed by the next driver, never in silence."""
    search = Search(Setting(1, FILES), TWO_DRIVERS, rows_only=True)
    _holds("backup restored, files", search.explore_restored(), capsys)


def test_a_new_window_is_told_once_at_the_most(capsys: pytest.CaptureFixture[str]) -> None:
    """Listeners hear planned(…, replay=False) from one driver only, a zombie included."""
    search = Search(Setting(3, LEDGER, listens=True), TWO_DRIVERS)
    _holds("told once", search.explore(), capsys)


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
    """More windows, more restarts, more drivers, more sinks."""
    _holds(name, Search(setting, drivers, power=power).explore(), capsys)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "setting",
    [Setting(1, BOTH), Setting(2, FILES), Setting(2, BOTH), Setting(2, TWO_LEDGERS)],
    ids=["both, one window", "files", "both", "two ledgers"],
)
def test_backups_at_length(setting: Setting, capsys: pytest.CaptureFixture[str]) -> None:
    """A second window, which comes from a memory that the backup may have taken back."""
    search = Search(setting, TWO_DRIVERS, rows_only=True)
    _holds(f"backups, {'+'.join(setting.sinks)}", search.explore_restored(), capsys)
