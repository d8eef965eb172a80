"""Drivers without Spark that die, fail or race at every step of what they do to the state's folder,
of this machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from tests.file_sink.state.arrow_world import ArrowWorld, totals
from tests.file_sink.state.totals import checkpoints, states
from windowed import State
from windowed.testing.crash import Crash, Fuse
from windowlog.errors import Fenced, StorageFailed

STEPS_MIN = 100
# Every third; all of them in `make soak`.
steps = pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.soak)])


@steps
@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_driver_may_die_at_every_step(
    tmp_path: Path, no_fsync: None, after: bool, every: int, step: int
) -> None:
    """The next one finds a state that is whole, of the windows before; what it leaves is
    bounded."""
    at = 1
    while True:
        world, fuse = ArrowWorld(tmp_path / f"{at}", every=every), Fuse(at, after=after)
        with suppress(Crash):
            world.driver(fuse.call).run(None, progress=False)
        world.drain()
        world.check()
        assert len(checkpoints(world.place / "state")) <= 2, fuse.where
        assert len(states(world.place / "state")) <= 4, fuse.where
        if not fuse.dead:
            break
        at += step
    assert at > STEPS_MIN


@steps
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_every_step_may_fail_once(tmp_path: Path, no_fsync: None, after: bool, step: int) -> None:
    """An error, and the next run goes on."""
    for at in range(1, 1000, step):
        world, count = ArrowWorld(tmp_path / f"{at}"), [0]

        def moment(name: str, do: Callable[[], Any]) -> Any:
            count[0] += 1  # noqa: B023 (called in this round only)
            if count[0] != at:  # noqa: B023
                return do()
            if after:
                do()
            raise StorageFailed(where=name, reason="a test", remedy="none")

        with suppress(StorageFailed):
            world.driver(moment).run(None, progress=False)
        world.drain()
        world.check()
        if count[0] < at:
            break
    assert at > STEPS_MIN


@steps
def test_a_second_driver_at_every_step(tmp_path: Path, no_fsync: None, step: int) -> None:
    """It drains while the first one pauses; the first one is fenced, or does no harm; a third one
    finds a whole state."""
    for at in range(2, 1000, step):
        world, count = ArrowWorld(tmp_path / f"{at}", every=1), [0]

        def moment(name: str, do: Callable[[], Any]) -> Any:
            count[0] += 1  # noqa: B023 (called in this round only)
            if count[0] == at:  # noqa: B023
                world.drain()  # noqa: B023
            return do()

        with suppress(Fenced):
            world.driver(moment).run(None, progress=False)
        world.check()
        world.windows += ["z a"]
        world.drain()
        world.check()
        if count[0] < at:
            break
    assert at > STEPS_MIN


def test_nothing_grows(tmp_path: Path) -> None:
    """Over hundred windows and ten drivers, each of which dies and leaves what it staged."""
    world = ArrowWorld(tmp_path, every=7)
    for _ in range(10):
        world.windows += ["a b", "c", "a"] * 3
        with suppress(Crash):
            world.driver(Fuse(120).call).run(None, progress=False)
    world.drain()
    world.check()
    assert len(world.windows) > 90
    assert len(checkpoints(tmp_path / "state")) == 2
    # Between the older of the two checkpoints and now no more drivers than these have died.
    assert len(states(tmp_path / "state")) <= 4


def test_a_pipeline_that_fails_again_and_again_leaves_nothing(
    tmp_path: Path, no_fsync: None
) -> None:
    """Each run makes the states of windows 1 to 4 and fails in window 5, before any checkpoint."""

    def failing(lines: pyarrow.Table, state: State, window: Any) -> Any:
        if window.id == 5:
            raise ArithmeticError("a row that this transform cannot work with")
        return totals(lines, state)

    world = ArrowWorld(tmp_path, every=10, transform=failing)
    for _ in range(3):
        with pytest.raises(ArithmeticError):
            world.drain()
        assert states(world.place / "state") == []
    world.transform = totals
    world.drain()
    world.check()
