"""A skip, and a sink that an older backup has put more than one window behind: the others' memory
says no more how they read the window that is skipped. They are named all the same."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import pytest

from tests.windowed.worlds import RowsWorld
from windowed import Listener
from windowlog.window import Window

SKIP = ("2", "rows", "--part", "rows[1]", "--reason", "it is poison", "--apply")


class _Ears(Listener):
    def __init__(self) -> None:
        self.heard: list[tuple[int, tuple[str, ...]]] = []

    def uneven(self, window: Window, sinks: Sequence[str]) -> None:
        self.heard.append((window.id, tuple(sinks)))


def _run(world: RowsWorld) -> list[tuple[int, tuple[str, ...]]]:
    """Until all is drained: which sinks it named as uneven."""
    ears = _Ears()
    world.pipeline().run(None, progress=False, listeners=[ears])
    return ears.heard


def test_a_sink_past_the_window_is_named_by_the_command_and_by_the_next_start(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Both sinks held windows 1 to 3; one database is put back to window 1; then window 2 is
    skipped."""
    world = RowsWorld("restored", 1, sinks=("first", "second"))
    world.run()
    backup = copy.deepcopy(world.stores["second"])
    world.add(2)
    world.run()
    world.stores["second"] = backup
    assert world.command("skip", *SKIP) == 0
    assert "sink first holds this window already, with that part" in capsys.readouterr().out
    assert _run(world) == [(2, ("first",))]
    assert (world.held("first"), world.held("second")) == ([1, 2, 3], [1, 3])


def test_a_driver_that_held_the_skipped_part_and_went_on_is_named() -> None:
    """No sink held window 2 when it was skipped, so the command named none; a driver that was alive
    held it with the part in both, and window 3; then one database is put back to window 1."""
    world = RowsWorld("went on", 1, sinks=("first", "second"))
    world.run()
    backup = copy.deepcopy(world.stores["second"])
    world.add(2)
    with world.pipeline().open(None) as run:
        second = run.next()
        assert second is not None
        assert world.command("skip", *SKIP) == 0
        run.hold(second, second.frames["rows"])
        third = run.next()
        assert third is not None
        run.hold(third, third.frames["rows"])
    assert world.held("first") == world.held("second") == [1, 2, 3]
    world.stores["second"] = backup
    assert _run(world) == [(2, ("first",))]
    assert (world.held("first"), world.held("second")) == ([1, 2, 3], [1, 3])


def test_sinks_that_all_read_it_with_the_skip_are_named_too() -> None:
    """They are even: the one past the window only may have the part."""
    world = RowsWorld("even", 1, sinks=("first", "second"))
    world.run()
    backup = copy.deepcopy(world.stores["second"])
    world.add(1)
    with world.pipeline().open(None) as run:
        assert run.next() is not None
    assert world.command("skip", *SKIP) == 0
    world.add(1)
    assert _run(world) == []
    world.stores["second"] = backup
    assert _run(world) == [(2, ("first",))]
    assert world.held("first") == world.held("second") == [1, 3]
