"""A summary says whether the run came to its end."""

from __future__ import annotations

from typing import Any

from windowed import Pipeline, Run, Summary, drained, forever
from windowed.listener import Listener
from windowed.testing import ListSink, RowsInput
from windowlog import WindowLog
from windowlog.window import Window


class _StopAt(Listener):
    """Stops a run when a window is committed."""

    def __init__(self, window_id: int) -> None:
        self.window_id = window_id
        self.run: Run | None = None

    def committed(self, window: Window) -> None:
        if window.id == self.window_id:
            while self.run is None:
                pass  # start() returns in another thread
            self.run.stop()


def _same(lines: Any) -> Any:
    return lines


def _run(stop_at: int, until: Any) -> Summary:
    pipeline = Pipeline(
        "stopped",
        inputs={"lines": RowsInput([[("a",)], [("b",)], [("c",)]], schema="value string")},
        transform=_same,
        sinks={"kept": ListSink()},
        log=WindowLog.in_memory(),
    )
    listener = _StopAt(stop_at)
    run = pipeline.start(None, until=until, listeners=[listener], progress=False)
    listener.run = run
    return run.wait()


def test_a_run_that_came_to_its_end_was_not_stopped() -> None:
    """Nobody asked it to."""
    summary = _run(99, drained())
    assert (summary.windows_run, summary.stopped) == (3, False)


def test_a_run_stopped_on_its_way_says_so() -> None:
    """Two windows of three: a job that is drained by the hour must not take that for all."""
    summary = _run(2, drained())
    assert (summary.windows_run, summary.stopped) == (2, True)


def test_an_endless_run_ends_by_being_stopped() -> None:
    """There is no other way."""
    summary = _run(3, forever())
    assert (summary.windows_run, summary.stopped) == (3, True)
