"""Windows with state that fail, and are tried again: by the same run, or by the next one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.windowed.state.heard import HeardWorld
from tests.windowed.state.world import World, count
from windowed.listener import Listener
from windowed.progress import Tally
from windowed.state import State
from windowed.summary import Summary
from windowed.testing.clock import ManualClock
from windowed.trigger import forever
from windowlog.errors import CommitUnknown, NotHeld, SourceChanged
from windowlog.window import Window


def _not_held() -> NotHeld:
    return NotHeld(sink="out", window_id=2, reason="a reader's lock", remedy="Wait.")


def _run(world: World, every: int = 1) -> None:
    world.pipeline(every).run(None, progress=False, clock=ManualClock())


def test_a_sink_that_could_not_hold_is_tried_again() -> None:
    """The state is staged anew, from the same state before; what was staged first is gone."""
    world = HeardWorld("a", "a b")
    world.hold_fails["out"] = [None, _not_held()]
    _run(world, 5)
    middle = world.heard[world.heard.index("log append 2") : world.heard.index("state save 2")]
    assert middle == [
        *["log append 2", "lines read 2", "transform 2 on 1", "out stage 2", "state stage 2"],
        *["lines verify 2", "out hold 2", "out abandon 2", "state drop 2"],
        *["lines read 2", "transform 2 on 1", "out stage 2", "state stage 2"],
        *["lines verify 2", "out hold 2", "state drop 1", "lines committed 2", "out committed 2"],
    ]
    world.is_right()
    assert len(world.staged()) == 1


def test_the_second_of_two_sinks_is_tried_again_alone() -> None:
    """The first one holds the window already: the state that both attempts make is one."""
    world = HeardWorld("a", "a b", sinks=("one", "two"))
    world.hold_fails["two"] = [None, _not_held()]
    _run(world)
    assert world.of("one") == [
        *["one open", "one stage 1", "one hold 1", "one committed 1"],
        *["one stage 2", "one hold 2", "one committed 2", "one close"],
    ]
    world.is_right()
    assert len(world.staged()) == 2


@pytest.mark.parametrize("every", [1, 2, 5])
def test_a_sink_that_never_holds_ends_the_run(every: int) -> None:
    """No checkpoint is made of the window; the next run makes it anew."""
    world = HeardWorld("a", "a b", sinks=("one", "two"))
    world.hold_fails["two"] = [None, *[_not_held()] * 3]
    with pytest.raises(NotHeld):
        _run(world, every)
    assert (2, 0) not in world.records()
    assert len(world.held("one")) == 2
    assert len(world.held("two")) == 1
    world.hold_fails.clear()
    _run(world, every)
    world.is_right()


@pytest.mark.parametrize("failure", [ValueError("no such column"), CommitUnknown])
def test_a_sink_that_fails_ends_the_run(failure: Any) -> None:
    """Held or not: the next run finds out."""
    world = HeardWorld("a", "a b", "c")
    if failure is CommitUnknown:
        failure = CommitUnknown(sink="out", window_id=2, reason="the line is gone", remedy="Start.")
    world.hold_fails["out"] = [None, failure]
    with pytest.raises(type(failure)):
        _run(world, 2)
    assert world.records() == {}
    world.hold_fails.clear()
    _run(world, 2)
    world.is_right()


def test_a_state_that_cannot_be_staged_ends_the_run() -> None:
    """Before any sink holds the window."""
    world = HeardWorld("a", "a b")
    world.stage_fails = [None, OSError("no space left")]
    with pytest.raises(OSError, match="no space left"):
        _run(world)
    assert "out hold 2" not in world.heard
    world.stage_fails = []
    _run(world)
    world.is_right()


def test_a_source_that_has_changed_ends_the_run() -> None:
    """After all was staged: nothing is held, and the state stays what it was."""
    world = HeardWorld("a", "a b")
    made = world.pipeline(1)
    source: Any = made.inputs["lines"]

    def verify(plan: Any, skips: Any) -> None:
        if plan.end == 2:
            raise SourceChanged(
                input="lines",
                part="rows[1]",
                window_id=2,
                expected="these",
                found="others",
                remedy="Bring them back.",
            )

    source.verify = verify
    with pytest.raises(SourceChanged):
        made.run(None, progress=False)
    assert list(world.records()) == [(1, 0)]
    assert len(world.held()) == 1
    _run(world)
    world.is_right()


@pytest.mark.parametrize("every", [1, 2, 5])
def test_a_transform_that_fails_is_corrected_and_goes_on(every: int) -> None:
    """From the window that it failed at, with the state before it."""
    world = World("a", "b", "a b", "c")

    def failing(lines: Any, state: State, window: Window) -> Any:
        if window.id == 3:
            raise ZeroDivisionError
        return count(lines, state)

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            world.run(every, transform=failing)
    assert len(world.held()) == 2
    world.run(every)
    world.is_right()


class _Told(Listener):
    """What a service says of its retries."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def retrying(self, error: Exception, pause_s: float) -> None:
        """Remember the pause."""
        self.waits.append(pause_s)


def _forever(world: HeardWorld, every: int) -> tuple[Summary, list[float]]:
    """A service, until it has nothing more to do: what it has done, and its pauses."""
    told = _Told()
    clock = ManualClock()
    run = world.pipeline(every)._run(None, forever(), None, [told], False, clock)
    clock._on_wait = lambda _: run.stop() if len(world.held()) == len(world.windows) else None
    return run.execute(), told.waits


def test_a_service_goes_on_after_a_passing_fault_with_the_state_of_before() -> None:
    """It opens everything anew, and replays from the checkpoint what it had held: that is counted
    once."""
    world = HeardWorld("a", "a b", "b", "a c", "!a", "a")
    world.hold_fails["out"] = [None, None, ConnectionResetError("gone")]
    summary, waits = _forever(world, 10)
    assert (waits, summary.window_ids, summary.windows_run) == ([1.0], range(1, 7), 6)
    assert (summary.records, world.heard.count("state stage 2")) == (8, 2)
    world.is_right()


def test_a_window_that_never_comes_through_ends_a_service() -> None:
    """Ten failures: what is replayed before it for the state is no progress."""
    world = HeardWorld("a", "b", "c")
    told, clock = _Told(), ManualClock()
    world.stage_fails = [None, None, ConnectionResetError("gone")] * 99
    run = world.pipeline(10)._run(None, forever(), None, [told], False, clock)
    clock._on_wait = lambda clock: run.stop() if len(clock.waits) > 20 else None
    with pytest.raises(ConnectionResetError):
        run.execute()
    assert told.waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert len(world.held()) == 2


def test_progress_counts_a_window_once() -> None:
    """Also where it was replayed for the state."""
    world = HeardWorld("a", "b", "c")
    world.stage_fails = [None, None, ConnectionResetError("gone")]
    heard, clock = _Counting(), ManualClock()
    run = world.pipeline(10)._run(None, forever(), None, [heard], False, clock)
    clock._on_wait = lambda _: run.stop() if len(world.held()) == 3 else None
    run.execute()
    assert heard.texts[-1].startswith("counting: window 3 held · 3 windows, 3 records in")


class _Counting(Listener):
    """What a person would be told after each window."""

    def __init__(self) -> None:
        self.tally = Tally("counting")
        self.texts: list[str] = []

    def planned(self, window: Window, *, replay: bool) -> None:
        """Count it."""
        self.tally.planned(window, replay=replay)

    def committed(self, window: Window) -> None:
        """Say it."""
        self.tally.add(window)
        self.texts.append(self.tally.text(window))
