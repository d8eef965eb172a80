"""A roll-up that dies, fails or pauses at every step, alone and beside drivers: readers see every
row once, at every moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.file_sink.readers import paths
from tests.file_sink.test_moments import each, offset, sides, steps
from tests.file_sink.world import World
from windowed.testing.crash import Crash, Fuse
from windowlog.errors import Fenced, KitError, StorageFailed

pytestmark = pytest.mark.usefixtures("no_fsync")

SMALL = [[("a", 1), ("b", 2)], [], [("b", 4), ("a", 3)], [("a", 5)]]
MORE = [[("a", 6), ("c", 7)], [("b", 8)]]

LAYOUTS: dict[str, dict[str, Any]] = {
    "windows": {"layout": "windows", "format": "json"},
    "files": {"layout": "files", "format": "json"},
    "partitions": {"layout": "files", "partition_by": ["word"], "format": "json"},
}
layouts = pytest.mark.parametrize("layout", LAYOUTS)


def drained(base: Path, layout: str) -> World:
    """All windows that there are yet, published."""
    base.mkdir()
    world = World(base, LAYOUTS[layout], [*SMALL])
    world.drain()
    return world


def check_all(world: World) -> None:
    """Every row once: the rows of no window are missing, not even for a moment."""
    assert world.seen() == Counter(row for window in world.windows for row in window)


def check_end(world: World) -> None:
    """Two starts later nothing of a roll-up is left beside the memory."""
    world.drain()
    check_all(world)
    world.drain()
    world.check_end()


@steps
@sides
@layouts
def test_a_roll_up_may_die_at_every_step(
    quick_folder: Path, layout: str, after: bool, step: int
) -> None:
    """The next start finishes it or sweeps it, also without new data; another one joins all."""

    def dies(at: int) -> bool:
        world, fuse = drained(quick_folder / f"{at}", layout), Fuse(at, after=after)
        with suppress(Crash):
            world.roll_up(fuse.call)
        check_all(world)
        world.drain()
        check_all(world)
        world.roll_up()
        check_all(world)
        assert all("-to-" in path for path in paths(world.out))
        world.windows += MORE
        check_end(world)
        # Not `fuse.dead`: nobody dies after a step that fails by itself.
        return fuse.count >= at

    assert each(dies, step, offset(layout, after)) > 60


@steps
@sides
@layouts
def test_every_step_of_a_roll_up_may_fail_once(
    quick_folder: Path, layout: str, after: bool, step: int
) -> None:
    """Before it took effect, or after: an error of the kit, or it goes on."""

    def fails(at: int) -> bool:
        world, count = drained(quick_folder / f"{at}", layout), [0]

        def moment(name: str, action: Callable[[], Any]) -> Any:
            count[0] += 1
            result = action() if count[0] != at or after else None
            if count[0] == at:
                raise StorageFailed(where=name, reason="a fault", remedy="A test put it there.")
            return result

        with suppress(KitError):
            world.roll_up(moment)
        check_all(world)
        check_end(world)
        return count[0] >= at

    assert each(fails, step, offset(layout, after)) > 60


@steps
@layouts
def test_a_roll_up_may_pause_at_every_step(quick_folder: Path, layout: str, step: int) -> None:
    """Meanwhile a driver publishes more, and another roll-up joins all. ‡"""

    def pauses(at: int) -> bool:
        world, count = drained(quick_folder / f"{at}", layout), [0]

        def moment(name: str, action: Callable[[], Any]) -> Any:
            count[0] += 1
            if count[0] == at:
                world.windows += MORE
                world.drain()
                check_all(world)
                world.roll_up()
            check_all(world)
            return action()

        with suppress(KitError):
            world.roll_up(moment)
        check_all(world)
        check_end(world)
        return count[0] >= at

    assert each(pauses, step, offset(layout)) > 60


@steps
@layouts
def test_a_driver_goes_on_beside_a_roll_up(quick_folder: Path, layout: str, step: int) -> None:
    """At each step of a driver all is joined that it has published. ‡"""

    def beside(at: int) -> bool:
        world, count = drained(quick_folder / f"{at}", layout), [0]
        world.windows += MORE

        def moment(name: str, action: Callable[[], Any]) -> Any:
            count[0] += 1
            if count[0] == at:
                with suppress(KitError):
                    world.roll_up()
                world.check_prefix()
            return action()

        world.driver(moment).run(None, progress=False)
        check_end(world)
        return count[0] >= at

    assert each(beside, step, offset(layout)) > 60


@steps
@layouts
def test_a_paused_roll_up_switches_nothing_twice(
    quick_folder: Path, layout: str, step: int
) -> None:
    """It pauses, a driver takes over and dies somewhere, and it goes on: both move one folder. ‡"""
    for first in range(40, 120, 3 + step):
        for second in range(1 + first % 11, 90, 5 + 4 * step):
            world, count = drained(quick_folder / f"{first}-{second}", layout), [0]

            def moment(
                name: str,
                action: Callable[[], Any],
                *,
                count: list[int] = count,
                world: World = world,
                first: int = first,
                second: int = second,
            ) -> Any:
                count[0] += 1
                if count[0] == first:
                    world.windows += MORE
                    with suppress(Crash, Fenced):
                        world.driver(Fuse(second).call).run(None, progress=False)
                    world.check_prefix()
                return action()

            with suppress(KitError):
                world.roll_up(moment)
            world.check_prefix()
            check_end(world)
