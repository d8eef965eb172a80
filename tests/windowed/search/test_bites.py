"""The search bites: with a safeguard taken out it finds what that safeguard was for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.windowed.search import weakened
from tests.windowed.search.drivers import ReadSink, Setting
from tests.windowed.search.explore import Driver, Search
from tests.windowed.search.manifest_sink import ManifestSink
from tests.windowed.search.world import World
from windowed.testing.list_sink import ListSink

LEDGER = Setting(2, {"ledger": ListSink})
FILES = Setting(2, {"files": ManifestSink})
TWO_DRIVERS = (Driver("A", 1), Driver("B", 2))


def _problem(setting: Setting, *drivers: Driver, power: bool = False) -> str:
    found = Search(setting, drivers or TWO_DRIVERS, power=power).explore()
    assert found.problem is not None, str(found)
    return found.problem


def _restored(sink: type[ListSink | ManifestSink], count: int = 3) -> str | None:
    setting = Setting(count, {"restored": sink})
    return Search(setting, TWO_DRIVERS, rows_only=True).explore_restored().problem


def _after_power_cuts() -> list[World]:
    first = Search(LEDGER, [Driver("Z", 1, 2)], power=True)
    assert first.explore().problem is None
    return first.worlds_after_power_cuts()


def test_a_ledger_that_ignores_the_old_digest_takes_a_paused_drivers_rows() -> None:
    """A backup gave it the right number back, with other rows behind it."""
    problem = _restored(weakened.AnyDigest)
    assert problem is not None
    assert "it has [0, 1, 1]" in problem


def test_a_ledger_that_ignores_the_log_id_is_saved_by_the_digest() -> None:
    """The first digest is that of the header, which has the log id in it: each of the two is enough
    where they both change. The id stays in the compare-and-set for what a person can be told."""
    assert _restored(weakened.AnyLog) is None


@pytest.mark.soak
def test_manifests_that_ignore_the_old_digest_take_a_paused_drivers_rows_too() -> None:
    """As a ledger would."""
    problem = _restored(weakened.AnyManifest, 2)
    assert problem is not None
    assert "it has [0, 1, 1]" in problem


def test_files_that_are_not_compared_with_their_manifest_are_lost_with_a_backup() -> None:
    """A driver that was paused while it published shows its own, or its own are gone."""
    problem = _restored(weakened.ShownUnseen, 1)
    assert problem is not None
    assert "it has [], and its memory says that it has the first 1" in problem


def test_a_ledger_that_ignores_everything_doubles_rows() -> None:
    """Two drivers hold the same numbers twice."""
    assert "[0, 1, 0, 1]" in _problem(replace(LEDGER, sinks={"ledger": weakened.AnyWindow}))


def test_a_plan_that_is_not_created_exclusively_is_swapped() -> None:
    """The sink holds one driver's window, the log has another's plan."""
    assert "another plan" in _problem(replace(LEDGER, log_storage=weakened.Overwriting))


def test_a_purge_that_does_not_spare_the_plan_of_the_held_window_loses_the_log() -> None:
    """Where the next plan starts is then nowhere."""
    problem = _problem(replace(LEDGER, log=weakened.PurgedOneMore))
    assert "holds window 2, and the log's mark is 3" in problem


def test_a_log_that_does_not_read_the_mark_after_its_append_lets_a_zombie_speak() -> None:
    """A window that was told as new, held and purged is told as new again."""
    problem = _problem(replace(LEDGER, log=weakened.NoMarkAfterAppend, listens=True))
    assert "window 1 was told as new twice" in problem


def test_a_log_that_does_not_read_the_mark_after_its_reads_takes_a_purge_for_a_loss() -> None:
    """A plan that was listed is gone: another driver has purged it, which only the mark tells."""
    assert "RecordNotFound" in _problem(replace(LEDGER, log=weakened.NoMarkAfterRead))


def test_ledger_rows_before_the_header_are_refused_as_another_logs() -> None:
    """A crash between the two leaves rows under a log id that nothing names."""
    problem = _problem(replace(LEDGER, patch=weakened.rows_before_header), Driver("A", 1, 2))
    assert "LogMismatch" in problem


def test_a_refusal_after_one_reading_is_a_false_one() -> None:
    """The ledger was read before, the log after another driver's first window."""
    assert "LedgerLost" in _problem(replace(LEDGER, patch=weakened.read_once))


def test_a_second_reading_that_keeps_its_own_header_is_a_false_refusal() -> None:
    """Another driver has begun the log between our look for a header and the ledger's."""
    problem = _problem(replace(LEDGER, patch=weakened.any_header))
    assert "LogUnusable" in problem or "LogMismatch" in problem


def test_a_torn_record_set_aside_by_rename_takes_a_good_one_away() -> None:
    """Two drivers saw it; the first has written its plan when the second one renames."""
    setting = replace(LEDGER, log=weakened.TornSetAside)
    found = Search(setting, TWO_DRIVERS).explore(_after_power_cuts())
    assert found.problem is not None
    assert any("link log/windows 000000000001.json" in step for step in found.steps)


def test_a_listing_believed_without_sync_is_lost_in_a_power_cut() -> None:
    """A plan that a dead driver left half way was replayed and held, and is not durable."""
    setting = replace(LEDGER, log_storage=weakened.PlansNotSynced)
    assert "is not durable" in _problem(setting, Driver("A", 1, 2), power=True)


def test_a_record_that_came_after_the_listing_was_synced_is_synced_itself() -> None:
    """Another driver makes it visible between the sync of the folder and its listing."""
    setting = replace(LEDGER, log_storage=weakened.RecordsNotSynced)
    assert "not durable" in _problem(setting, power=True)


def test_a_memory_that_another_driver_left_half_way_is_lost_in_a_power_cut() -> None:
    """The plans it stands for are purged by then."""
    setting = Setting(4, LEDGER.sinks, folds_every=2, patch=weakened.memory_not_synced)
    assert "MemoryLost" in _problem(setting, Driver("A", 1), Driver("B", 1), power=True)


def test_a_name_that_was_taken_may_be_gone_again() -> None:
    """Its owner has held the window and purged the plan: that is a fence, not a missing record."""
    assert "RecordNotFound" in _problem(replace(LEDGER, patch=weakened.taken_and_gone))


def test_the_second_of_two_purges_to_one_mark_must_leave_it() -> None:
    """Else nothing tells a third driver, which was paused the while, why its plan is gone."""
    setting = replace(LEDGER, patch=weakened.own_mark_deleted, listens=True)
    problem = _problem(setting, *(Driver(name, 1) for name in "ABC"))
    assert "RecordNotFound" in problem


def test_manifests_purged_without_a_mark_let_a_zombie_publish_again() -> None:
    """Its manifest can be created a second time, once readers have taken the first rows away."""
    setting = replace(FILES, sinks={"files": weakened.NoMark})
    assert "[0, 0, 1]" in _problem(setting)
    assert (
        Search(replace(FILES, sinks={"files": ReadSink}), TWO_DRIVERS[:1]).explore().problem is None
    )


def test_manifests_whose_mark_comes_last_cannot_be_told_from_lost_ones() -> None:
    """A driver that reads meanwhile finds a manifest missing, and no mark that says why."""
    assert "RecordNotFound" in _problem(replace(FILES, sinks={"files": weakened.MarkLast}))


def test_a_window_told_as_committed_before_every_sink_holds_it_is_published_too_early() -> None:
    """I4, with a ledger that comes after the files."""
    sinks = {"files": ManifestSink, "ledger": ListSink}
    problem = _problem(Setting(2, sinks, loop=weakened.ToldTooEarly), Driver("A", 1))
    assert "some sink does not hold it (I4)" in problem
