"""Your own loop: `next` gives a window and its frames, `hold` makes it durable, in turn."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest

from tests.windowed.made import HeardSink, pipeline, rows, words
from windowed.errors import OutOfTurn, WrongOutputs
from windowed.pipeline import Pipeline
from windowed.testing.clock import START, ManualClock
from windowed.testing.crash import Crash
from windowed.testing.list_sink import ListSink
from windowed.testing.rows import CRASH
from windowlog import naming
from windowlog.errors import BadArgument
from windowlog.log import WindowLog


def test_windows_come_and_are_held_in_turn() -> None:
    """Frames for all sinks, or a dict; None when nothing is new."""
    one, two = ListSink(), ListSink()
    made = pipeline(rows(["a"], ["b"]), {"one": one, "two": two}, transform=None)
    seen = []
    with made.open(None) as run:
        while window := run.next():
            lines = window.frames["lines"]
            none: Any = lines.slice(0, 0)  # type: ignore[operator]
            outputs: Any = lines if window.id == 1 else {"one": lines, "two": none}
            run.hold(window, outputs)
            seen.append(window.id)
        assert run.next() is None
    assert (seen, words(one), words(two)) == ([1, 2], ["a", "b"], ["a"])


def test_another_driver_that_purged_meanwhile_is_no_failure_of_an_idle_run() -> None:
    """A service is replaced: the new one has begun before the old one is told to end."""
    source, sink, log = rows(["a"], ["b"], ["c"]), ListSink(), WindowLog.in_memory()
    made = pipeline(source, {"out": sink}, transform=None, log=log, keep=1)
    with made.open(None) as run:
        while window := run.next():
            run.hold(window, window.frames["lines"])
        log.mark(3)
    assert words(sink) == ["a", "b", "c"]


@pytest.mark.parametrize("call", ["run", "start", "open", "preview", "read_window"])
def test_what_is_no_session_is_refused_before_anything_is_made(call: str) -> None:
    """Its name instead of it, say."""
    no_session: Any = "local[2]"
    made = pipeline(rows(["a"]), transform=None if call == "open" else (lambda lines: lines))
    more = [1] if call == "read_window" else []
    with (
        pytest.raises(BadArgument, match=r"^spark='local\[2\]' is not possible: a SparkSession"),
        ExitStack() as stack,
    ):
        stack.push(getattr(made, call)(no_session, *more))
    assert not made.log.storage.within(naming.HEADERS).list()


def test_a_window_is_printed_in_a_line() -> None:
    """Without its plans."""
    made = pipeline(rows(["a"]), transform=None)
    with made.open(None, clock=ManualClock()) as run:
        assert repr(run.next()) == f"OpenWindow(id=1, planned_at={START}, frames=['lines'])"


def test_new_rows_are_seen_at_once() -> None:
    """Each `next` looks again."""
    source, sink = rows(["a"]), ListSink()
    with pipeline(source, {"out": sink}, transform=None).open(None) as run:
        for word in ("b", "c", None):
            window = run.next()
            assert window is not None
            run.hold(window, window.frames["lines"])
            assert run.next() is None
            if word is None:
                break
            source.windows.append([(word, 1)])
    assert words(sink) == ["a", "b", "c"]


def test_now_inside_a_window_is_when_it_was_planned() -> None:
    """The same moment when it is replayed later."""
    clock, source = ManualClock(), rows(["a"])
    made = pipeline(source, transform=None)
    with made.open(None, clock=clock) as run:
        window = run.next()
        assert window is not None
        assert window.planned_at == START
    clock.advance(3600)
    with made.open(None, clock=clock) as run:
        window = run.next()
        assert window is not None
        assert window.planned_at == START
        run.hold(window, window.frames["lines"])
        source.windows.append([("b", 1)])
        second = run.next()
        assert second is not None
        assert second.planned_at == START + timedelta(hours=1)


def test_a_window_that_was_given_and_not_held_is_given_again() -> None:
    """By the next open, from the log: the same rows."""
    sink = ListSink()
    made = pipeline(rows(["a"], ["b"]), {"out": sink}, transform=None)
    with made.open(None) as run:
        assert run.next() is not None
    with made.open(None) as run:
        while window := run.next():
            run.hold(window, window.frames["lines"])
    assert words(sink) == ["a", "b"]


def test_next_before_hold_is_out_of_turn() -> None:
    """I6: one window in flight."""
    with pipeline(rows(["a"], ["b"]), transform=None).open(None) as run:
        window = run.next()
        assert window is not None
        with pytest.raises(OutOfTurn, match="Window 1 was given and is not held yet"):
            run.next()
        run.hold(window, window.frames["lines"])
        assert run.next() is not None


def test_hold_of_another_window_is_out_of_turn() -> None:
    """One that was held already, or came from another run."""
    made = pipeline(rows(["a"], ["b"]), transform=None)
    with made.open(None) as run:
        first = run.next()
        assert first is not None
        run.hold(first, first.frames["lines"])
        with pytest.raises(OutOfTurn, match="Window 1 is not the one"):
            run.hold(first, first.frames["lines"])
        assert run.next() is not None
        with pytest.raises(OutOfTurn, match="Window 1 is not the one"):
            run.hold(first, first.frames["lines"])


@pytest.mark.parametrize("outputs", [{}, {"other": None}, None, {"out": "rows"}])
def test_wrong_outputs_leave_the_window_in_flight(outputs: Any) -> None:
    """It can be held with the right ones."""
    sink = ListSink()
    with pipeline(rows(["a"]), {"out": sink}, transform=None).open(None) as run:
        window = run.next()
        assert window is not None
        with pytest.raises(WrongOutputs):
            run.hold(window, outputs)
        run.hold(window, window.frames["lines"])
    assert words(sink) == ["a"]


def test_a_loop_that_fails_closes_everything() -> None:
    """And purges nothing."""
    heard: list[str] = []
    made = pipeline(rows(["a"], ["b"], CRASH), {"s": HeardSink("s", heard)}, transform=None)
    with pytest.raises(Crash):
        _hold_all(made)
    assert heard[-1] == "s close"
    assert len(made.log.storage.within("windows").list()) == 2


def _hold_all(made: Pipeline) -> None:
    with made.open(None) as run:
        while window := run.next():
            run.hold(window, window.frames["lines"])


def test_sinks_let_go_of_their_locks_when_nothing_is_new() -> None:
    """A person may look at the table between two windows."""

    class Releasing(ListSink):
        released = 0

        def idle(self) -> None:
            self.released += 1

    sink = Releasing()
    with pipeline(rows(["a"]), {"out": sink}, transform=None).open(None) as run:
        window = run.next()
        assert window is not None
        assert sink.released == 0
        run.hold(window, window.frames["lines"])
        assert run.next() is None
        assert sink.released == 1
