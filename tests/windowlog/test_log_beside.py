"""Two drivers side by side, and power cuts: counter-examples that a naive log did not stand."""

from __future__ import annotations

import pytest

from tests.windowlog.drafts import PIPELINE, begun, draft, opened, tear
from windowed.testing.forgetful import ForgetfulStorage
from windowlog.errors import Fenced
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage


class _Paused(MemoryStorage):
    """Its driver is paused once its next record can be seen; meanwhile another one goes on."""

    def __init__(self, place: MemoryStorage) -> None:
        super().__init__()
        self._tree, self._place = place._tree, place
        self._folder = f"{place.describe()}/windows"

    def create(self, name: str, data: bytes) -> None:
        """And the other driver, which has seen it, plans the window after it."""
        super().create(name, data)
        other = opened(self._place, run_id="run-b")
        other.append(draft(other.newest + 1, run_id="run-b"))


def test_a_plan_that_another_driver_has_gone_on_from_is_not_withdrawn() -> None:
    """To take it back, once a newer one was seen, lost a plan that a sink may hold."""
    storage = MemoryStorage()
    begun(storage, 1)
    paused = opened(storage)
    paused._windows = _Paused(storage)
    ours = paused.append(draft(2))
    log = opened(storage)
    assert log.read(2).run_id == "run-a"
    assert (log.newest, log.read(3).run_id, log.read(3).previous) == (3, "run-b", ours.digest)
    with pytest.raises(Fenced):
        paused.append(draft(3))
    assert opened(storage).read(3).run_id == "run-b"


def test_of_two_drivers_that_both_saw_a_torn_plan_one_writes_it_again() -> None:
    """To set it aside by rename took the good record of the faster driver away."""
    storage = MemoryStorage()
    begun(storage, 3)
    tear(storage, "000000000003.json")
    slow, fast = opened(storage, run_id="run-slow"), opened(storage, run_id="run-fast")
    good = fast.append(draft(3, run_id="run-fast"))
    with pytest.raises(Fenced):
        slow.append(draft(3, run_id="run-slow"))
    assert opened(storage).read(3) == good


def test_after_everything_was_held_and_purged_a_power_cut_leaves_the_newest_plan() -> None:
    """To spare only what comes after it lost the log: its number, its digest and its positions."""
    place = ForgetfulStorage()
    log = begun(place, 3)
    newest = log.read(3)
    log.purge(log.newest + 1)
    _appended_half(place)
    place.power_loss()
    again = opened(place, run_id="run-b")
    assert (again.newest, again.low_water_mark()) == (3, 3)
    assert again.read(3) == newest
    assert again.append(draft(4)).previous == newest.digest


def _appended_half(place: ForgetfulStorage) -> None:
    """A driver dies while it creates the next plan: it can be seen, and is not durable."""
    log = opened(place)
    log._windows = place.halfway.within("windows")
    log.append(draft(log.newest + 1))


def test_a_plan_that_is_believed_is_durable() -> None:
    """I1: one that a dead driver left half way survives a power cut once a start has seen it."""
    place = ForgetfulStorage()
    begun(place, 1)
    _appended_half(place)
    assert opened(place).newest == 2
    place.power_loss()
    assert opened(place).newest == 2


def test_a_plan_that_appears_after_the_sync_is_made_durable_itself() -> None:
    """Another driver's, between the sync of the folder and its listing."""
    place = ForgetfulStorage()
    begun(place, 1)
    log = WindowLog(place)
    log.open(PIPELINE, "run-b")
    windows = log._windows
    assert isinstance(windows, ForgetfulStorage)
    listed = windows.list

    def late() -> list[str]:
        _appended_half(place)
        return listed()

    windows.list = late  # type: ignore[method-assign]
    assert log.scan().newest == 2
    place.power_loss()
    assert opened(place).newest == 2


def test_a_newest_plan_that_is_purged_while_a_log_is_scanned_is_another_drivers() -> None:
    """Between its listing and its sync: the other one is alive, nothing was lost."""
    storage = MemoryStorage()
    begun(storage, 2)
    log = WindowLog(storage)
    log.open(PIPELINE, "run-b")
    windows = log._windows

    def purged_meanwhile(name: str | None = None) -> None:
        if name is not None:
            begun(storage, 4, run_id="run-a").purge(4)
        MemoryStorage.sync(storage.within("windows"), name)

    windows.sync = purged_meanwhile  # type: ignore[method-assign]
    with pytest.raises(Fenced, match="mark has moved to 4"):
        log.scan()
