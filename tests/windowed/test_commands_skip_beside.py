"""`skip` beside a driver that is alive and works on that very window: no sink differs from another
without being named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.windowed.worlds import RowsWorld
from windowed import Listener
from windowed.testing.crash import Crash, Fuse
from windowlog.errors import Fenced
from windowlog.window import Window

SKIP = ("2", "rows", "--part", "rows[1]", "--reason", "it is poison", "--apply")


class _Moment(Fuse):
    """Dies just before one call, if a name is given."""

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self._name = name

    def call(self, name: str, action: Callable[[], Any]) -> Any:
        if name == self._name:
            self._die(f"before {name}")
        return super().call(name, action)


class _Ears(Listener):
    def __init__(self) -> None:
        self.heard: list[tuple[int, tuple[str, ...]]] = []

    def uneven(self, window: Window, sinks: Sequence[str]) -> None:
        self.heard.append((window.id, tuple(sinks)))


def _world(name: str) -> RowsWorld:
    """Two sinks hold window 1, and a second row has come."""
    world = RowsWorld(name, 1, sinks=("first", "second"))
    world.run()
    world.add(1)
    return world


def _skip_beside(world: RowsWorld, fuse: Fuse, between: Callable[[], object]) -> None:
    """A driver has read window 2; its only part is skipped; `between`; it holds the window."""
    with world.pipeline(fuse).open(None) as run:
        window = run.next()
        assert window is not None
        assert world.command("skip", *SKIP) == 0
        between()
        run.hold(window, window.frames["rows"])


def _start_again(world: RowsWorld) -> list[tuple[int, tuple[str, ...]]]:
    """A third row comes and a new driver runs: which sinks it names as uneven."""
    world.add(1)
    ears = _Ears()
    world.pipeline().run(None, progress=False, listeners=[ears])
    return ears.heard


def _held(world: RowsWorld) -> list[list[int]]:
    return [world.held(sink) for sink in ("first", "second")]


def test_the_driver_that_is_alive_holds_the_window_with_the_part_in_every_sink() -> None:
    """It has read the part: no record is given up after all, and no sink is named."""
    world = _world("alive")
    _skip_beside(world, Fuse(), lambda: None)
    assert _start_again(world) == []
    assert _held(world) == [[1, 2, 3], [1, 2, 3]]


def test_a_sink_that_it_held_the_window_in_before_it_died_is_named() -> None:
    """The first sink has the part, the second one is replayed without it: the start says so."""
    world = _world("died")
    with pytest.raises(Crash):
        _skip_beside(world, _Moment("second.hold"), lambda: None)
    assert _start_again(world) == [(2, ("first",))]
    assert _held(world) == [[1, 2, 3], [1, 3]]


def test_a_new_driver_that_reads_with_the_skip_fences_it() -> None:
    """The new one was faster in both sinks: the old one's rows, with the part, are nowhere."""
    world = _world("faster")
    with pytest.raises(Fenced):
        _skip_beside(world, Fuse(), lambda: _start_again(world))
    assert _held(world) == [[1, 3], [1, 3]]


def test_a_new_driver_that_reads_with_the_skip_is_fenced_by_it() -> None:
    """The old one was faster: the new one had begun before, and holds nothing of its own."""
    world = _world("slower")
    with pytest.raises(Fenced):
        _begin_in_between(world)
    assert _start_again(world) == []
    assert _held(world) == [[1, 2, 3], [1, 2, 3]]


def _begin_in_between(world: RowsWorld) -> None:
    with world.pipeline().open(None) as old:
        window = old.next()
        assert window is not None
        assert world.command("skip", *SKIP) == 0
        with world.pipeline().open(None) as new:
            again = new.next()
            assert again is not None
            assert again.frames["rows"].num_rows == 0
            old.hold(window, window.frames["rows"])
            new.hold(again, again.frames["rows"])
