"""The power is cut before any system call of a roll-up: after the next start every row is there,
once."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from file_sink.errors import RollUpRefused
from tests.file_sink.power import powered
from tests.file_sink.test_moments import each, steps
from tests.file_sink.test_power import CHOICES, cut
from tests.file_sink.test_rollup_moments import LAYOUTS, MORE, SMALL, check_all, check_end
from tests.file_sink.world import World
from tests.windowlog.storage.watched_os import PowerCut
from windowlog.storage import LocalStorage

pytestmark = pytest.mark.usefixtures("no_fsync")
layouts = pytest.mark.parametrize("layout", LAYOUTS)


def world_of(base: Path, layout: str) -> World:
    """Log and files on one disk."""
    return World(base, LAYOUTS[layout], [*SMALL], LocalStorage(base / "log"))


@steps
@pytest.mark.parametrize("choice", CHOICES)
@layouts
def test_a_power_cut_before_any_system_call_of_a_roll_up_loses_no_row(
    quick_folder: Path, layout: str, choice: str, step: int
) -> None:
    """Readers have the folder as it was or as it is to be, before the next start and after it."""

    def cuts(last: int) -> bool:
        base, left = quick_folder / f"{last}", quick_folder / f"{last}-left"
        with powered(base) as fake:
            world = world_of(base, layout)
            world.drain()
            first = fake.count
            cut(fake, first + last)
            with suppress(PowerCut):
                world.roll_up()
                world.windows += MORE
                world.drain()
            stopped = fake.count >= first + last
            fake.survivors(left, CHOICES[choice]())
        world = world_of(left, layout)
        world.windows += MORE
        world.check_prefix()
        before = Counter(row for window in SMALL for row in window)
        assert world.seen() >= before, "rows are gone that were published durably"
        check_end(world)
        return stopped

    assert each(cuts, 4 * step, list(LAYOUTS).index(layout)) > 150


@layouts
def test_a_kill_and_later_a_power_cut_lose_no_row(quick_folder: Path, layout: str) -> None:
    """What a killed roll-up did shows, and is not durable: a driver must not build on it. ‡"""

    def cuts(last: int) -> bool:
        base, left = quick_folder / f"{last}", quick_folder / f"{last}-left"
        with powered(base) as fake:
            world = world_of(base, layout)
            world.drain()
            first = fake.count
            cut(fake, first + last)
            with suppress(PowerCut):
                world.roll_up()
            stopped = fake.count >= first + last
            fake.before = lambda number, call, path: None
            world.windows += MORE
            world.drain()
            fake.survivors(left, lambda states: states[0])
        world = world_of(left, layout)
        world.windows += MORE
        world.drain()
        check_all(world)
        check_end(world)
        return stopped

    assert each(cuts, 7, list(LAYOUTS).index(layout)) > 100


@layouts
@pytest.mark.parametrize("later", range(1, 9))
def test_a_kill_a_second_command_and_a_power_cut_lose_no_row(
    quick_folder: Path, layout: str, later: int
) -> None:
    """Killed so many calls after the switch: the second one removes the folder before only when the
    switch is durable. ‡"""
    base, left = quick_folder / "base", quick_folder / "left"
    with powered(base) as fake:
        world = world_of(base, layout)
        world.drain()
        switched: list[str] = []
        removed: list[str] = []

        def more() -> None:
            world.windows += [[("a", 6)], [("a", 7)]]  # for the second command to join
            world.drain()

        def after_switch(number: int, call: str, path: str) -> None:
            if len(switched) == later:
                raise PowerCut(path)
            if switched or (call == "exchange" and "/rolled/" in path):
                switched.append(path)

        def after_removal(number: int, call: str, path: str) -> None:
            if removed:
                raise PowerCut(path)
            if call == "rmtree" and "/rolled/" in path:
                removed.append(path)

        fake.before = after_switch
        with suppress(PowerCut):
            world.roll_up(meanwhile=more)
        fake.before = after_removal
        with suppress(PowerCut, RollUpRefused):
            world.roll_up()
        assert switched
        assert removed
        fake.survivors(left, CHOICES["only removals reached the disk"]())
    world = world_of(left, layout)
    world.windows += [[("a", 6)], [("a", 7)]]
    before = Counter(row for window in world.windows for row in window)
    assert world.seen() == before, "rows are gone that were published durably"
    check_end(world)
