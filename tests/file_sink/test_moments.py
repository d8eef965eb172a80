"""A driver that dies, fails or pauses at every step of its sink and its log: readers see whole
windows, once, at every moment, and the next start brings the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.file_sink.world import LAYOUTS, World
from windowed.testing.crash import Crash, Fuse
from windowlog.errors import Fenced, KitError, StorageFailed

pytestmark = pytest.mark.usefixtures("no_fsync")
MOMENTS_MAX = 10_000

# Every ninth moment, from another one on in each test; all of them in `make soak`.
steps = pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.soak)])
layouts = pytest.mark.parametrize("layout", LAYOUTS)
sides = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])


def each(count: Callable[[int], bool], step: int, start: int) -> int:
    """Call it with every so many moment until it says that there is no such one; which was the
    last."""
    for at in range(1 + start % step, MOMENTS_MAX, step):
        if not count(at):
            return at - step
    raise AssertionError("it never comes to rest")


def offset(layout: str, after: bool = False) -> int:
    """Tests that skip moments skip others."""
    return 2 * list(LAYOUTS).index(layout) + after


@steps
@sides
@layouts
def test_a_driver_may_die_at_every_step(
    quick_folder: Path, layout: str, after: bool, step: int
) -> None:
    """Before the restart a reader sees a beginning of the windows, after it all of them."""

    def dies(at: int) -> bool:
        world, fuse = World(quick_folder / f"{at}", LAYOUTS[layout]), Fuse(at, after=after)
        world.base.mkdir()
        with suppress(Crash):
            world.driver(fuse.call).run(None, progress=False)
        world.check_prefix()
        world.drain()
        world.check_end()
        return fuse.dead

    # Some forty steps a window: with fewer, the sink goes by another door than its tree.
    assert each(dies, step, offset(layout, after)) > 80


@steps
@sides
@layouts
def test_every_step_may_fail_once(quick_folder: Path, layout: str, after: bool, step: int) -> None:
    """Before it took effect, or after: the run ends with an error of the kit, or goes on."""

    def fails(at: int) -> bool:
        world = World(quick_folder / f"{at}", LAYOUTS[layout])
        world.base.mkdir()
        count = [0]

        def moment(name: str, action: Callable[[], Any]) -> Any:
            count[0] += 1
            result = action() if count[0] != at or after else None
            if count[0] == at:
                raise StorageFailed(where=name, reason="a fault", remedy="A test put it there.")
            return result

        with suppress(KitError):
            world.driver(moment).run(None, progress=False)
        world.check_prefix()
        world.drain()
        world.check_end()
        return count[0] >= at

    assert each(fails, step, offset(layout, after)) > 80


@steps
@layouts
def test_of_two_drivers_one_holds_each_window(quick_folder: Path, layout: str, step: int) -> None:
    """One pauses before each of its steps, the other does all that is to be done meanwhile. ‡"""

    def pauses(at: int) -> bool:
        world = World(quick_folder / f"{at}", LAYOUTS[layout])
        world.base.mkdir()
        count = [0]

        def moment(name: str, action: Callable[[], Any]) -> Any:
            count[0] += 1
            if count[0] == at:
                world.drain()
                world.check_prefix()
            return action()

        with suppress(Fenced):
            world.driver(moment).run(None, progress=False)
        world.check_prefix()
        world.drain()
        world.check_end()
        return count[0] >= at

    assert each(pauses, step, offset(layout)) > 80


def pairs(step: int) -> Iterator[tuple[int, int]]:
    """Moments of one driver and of the other: a grid over both."""
    for first in range(3, 200, 3 + 3 * step):
        for second in range(1 + first % 11, 200, 6 + 5 * step):
            yield first, second


@steps
@layouts
def test_a_paused_driver_publishes_nothing_twice(
    quick_folder: Path, layout: str, step: int
) -> None:
    """One pauses, another one takes over and dies somewhere, and the first one goes on. ‡"""
    for first, second in pairs(step):
        world = World(quick_folder / f"{first}-{second}", LAYOUTS[layout])
        world.base.mkdir()
        count = [0]

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
                with suppress(Crash):
                    world.driver(Fuse(second).call).run(None, progress=False)
                world.check_prefix()
            return action()

        with suppress(Fenced):
            world.driver(moment).run(None, progress=False)
        world.check_prefix()
        world.drain()
        world.check_end()
