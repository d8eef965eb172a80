"""Who is told that a window is committed when it is replayed for the state alone."""

from __future__ import annotations

import copy

import pytest

from tests.windowed.state.heard import HeardListener, HeardWorld
from windowed.trigger import windows


def _after_a_crash(*texts: str, at: int, every: int) -> HeardWorld:
    world = HeardWorld(*texts, sinks=("one", "two"))
    world.crash(at, every)
    world.run(every, listeners=[HeardListener(world.heard)])
    return world


def _numbers(world: HeardWorld, who: str, word: str = "committed") -> list[int]:
    return [int(line.split()[-1]) for line in world.of(who) if word in line]


def test_inputs_and_sinks_are_told_in_order_and_never_backwards() -> None:
    """They heard of windows 1 to 5 before, and may have folded and forgotten them: only the newest
    of them is told again."""
    world = _after_a_crash(*"abcdefgh", at=6, every=10)
    for who in ("lines", "one", "two"):
        assert _numbers(world, who) == [5, 5, 6, 7, 8], who
    world.is_right()


def test_listeners_are_told_of_each_window() -> None:
    """Of the newest that was held, and then of all that are replayed."""
    world = _after_a_crash(*"abcdefgh", at=6, every=4)
    assert _numbers(world, "told") == [5, 5, 6, 7, 8]
    assert world.of("told")[:4] == [
        *["told committed 5", "told replay 5", "told committed 5", "told replay 6"],
    ]
    world = _after_a_crash(*"abcdefgh", at=6, every=10)
    assert _numbers(world, "told") == [5, 1, 2, 3, 4, 5, 6, 7, 8]
    assert _numbers(world, "told", "replay") == [1, 2, 3, 4, 5, 6]


def test_a_sink_that_is_behind_is_told_once_all_hold_a_window() -> None:
    """What both lack is told anew, what both had is not."""
    world = HeardWorld(*"abcdef", sinks=("one", "two"))
    world.pipeline(10, keep=9).run(None, until=windows(3), progress=False)
    backup = copy.deepcopy(world.stores["two"])
    world.run(10, keep=9)
    world.stores["two"] = backup
    world.damage(3)
    world.run(10, keep=9)
    for who in ("lines", "one", "two"):
        assert _numbers(world, who) == [3, 3, 4, 5, 6], who
    assert _numbers(world, "two", "hold") == [4, 5, 6]
    assert _numbers(world, "one", "hold") == []
    world.is_right()


@pytest.mark.parametrize("every", [1, 2, 5])
def test_no_sink_is_asked_to_stage_or_hold_what_it_has(every: int) -> None:
    """A ledger only goes forward."""
    world = _after_a_crash(*"abcdefgh", at=6, every=every)
    for sink in ("one", "two"):
        assert _numbers(world, sink, "stage") == [6, 7, 8]
        assert _numbers(world, sink, "hold") == [6, 7, 8]
    world.is_right()


def test_a_replay_that_dies_tells_nobody_of_what_is_not_held() -> None:
    """And the next one begins at the same window, or after the checkpoint it made on its way."""
    world = HeardWorld(*"abcdefgh")
    world.crash(8, 10)
    for at in (2, 5, 8):
        world.crash(at, 3)
        assert max(_numbers(world, "lines")) == 7
    world.run(3)
    assert _numbers(world, "lines", "read") == [7, 8]
    world.is_right()
