"""A driver that dies before and after everything it does, with state and two sinks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import windowed.loop as loop_module
from tests.windowed.state.world import World
from windowed.pipeline import Pipeline
from windowed.testing.crash import crash_everywhere
from windowed.testing.rows import CRASH


@pytest.mark.parametrize("every", [1, 2, 3])
@pytest.mark.parametrize("texts", [("a b", "b", "!a", ""), ("a", "", "a b", "!b")])
def test_a_crash_at_any_moment_is_healed(
    every: int, texts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sinks and the state are what was counted by hand, two checkpoints are left, and soon
    nothing of what the dead driver had staged."""
    monkeypatch.setattr(loop_module, "PURGE_EVERY", 1)
    worlds: list[World] = []

    def build() -> Pipeline:
        worlds.append(World(*texts, sinks=("one", "two")))
        return worlds[-1].pipeline(every)

    def check(pipeline: Pipeline) -> None:
        world = worlds[-1]
        world.is_right()
        assert len(world.records()) <= 2
        world.add("a", "b", "c")
        world.run(1)
        assert len(world.staged()) == 2  # what the dead have left is gone by now

    moments = crash_everywhere(build, check)
    assert moments > 150


@pytest.mark.parametrize("every", [1, 2])
def test_a_crash_at_any_moment_of_a_replay_is_healed(every: int) -> None:
    """The driver before died too, one window past a checkpoint."""
    worlds: list[World] = []

    def build() -> Pipeline:
        world = World("a b", "b", "!a", sinks=("one", "two"))
        world.crash(3, every=2)
        world.add("a")
        worlds.append(world)
        return world.pipeline(every)

    crash_everywhere(build, lambda _: worlds[-1].is_right())


@pytest.mark.parametrize("every", [1, 2, 3])
def test_crashes_among_the_rows_are_survived(every: int) -> None:
    """As users write them down in tests of their own: CRASH between windows."""
    world = World("a b", "b", "!a")
    world.windows[1:1] = [CRASH]
    world.windows[3:3] = [CRASH]
    died = 0
    for _ in range(3):
        try:
            world.run(every)
        except BaseException as error:
            if type(error).__name__ != "Crash":
                raise
            died += 1
    assert died == 2
    world.is_right()


def test_a_state_that_is_never_saved_is_noticed() -> None:
    """The check bites: with a store that forgets to save, a crash leaves another state."""
    worlds: list[World] = []

    def build() -> Pipeline:
        world = World("a b", "b a", "b")
        made = world.pipeline(1)
        store: Any = made.state
        store.checkpoints = lambda: _lying(type(store).checkpoints(store))
        worlds.append(world)
        return made

    with pytest.raises(AssertionError, match="the driver died"):
        crash_everywhere(build, lambda _: worlds[-1].is_right(saved=False))


def _lying(found: Any) -> Any:
    """The newest checkpoint has the rows of the one before it."""
    if len(found) < 2:
        return found
    return (*found[:-1], replace(found[-1], folder=found[-2].folder))
