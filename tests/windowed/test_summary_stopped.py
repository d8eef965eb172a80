"""A summary says whether the run came to its end."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from tests.windowed.made import pipeline, rows
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


class _There:
    """A session for Arrow tables."""

    version = "4.0.0"

    def createDataFrame(self, table: Any) -> Any:  # noqa: N802 (Spark's own name)
        """As it is."""
        return table


class _Gone(_There):
    """Its JVM has ended by the signal that was for all of the group."""

    @property
    def version(self) -> str:  # type: ignore[override]
        """Nobody answers."""
        raise ConnectionRefusedError


@pytest.mark.parametrize("until", [drained(), forever()], ids=["drained", "forever"])
@pytest.mark.parametrize("window_id", [1, 2])
def test_a_signal_that_ends_spark_too_stops_the_run_in_its_window(
    until: Any, window_id: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """No error, nor "nothing new": it says which window the next run replays, and that does it."""
    lost = [window_id]

    def transform(lines: Any, window: Window) -> Any:
        if window.id in lost:
            lost.clear()
            signal.raise_signal(signal.SIGTERM)
            raise ConnectionResetError
        return lines

    made = pipeline(rows(["a"], ["b"], ["c"]), transform=transform)
    spark: Any = _Gone()
    summary = made.run(spark, until=until, progress=True)
    assert (summary.stopped, summary.unheld) == (True, window_id)
    where = f"in window {window_id}, which is logged: the next run replays it"
    before = "nothing held" if window_id == 1 else "window 1 in"
    assert str(summary).startswith(f"made: {before}")
    assert str(summary).endswith(f"; it was stopped {where}")
    assert f"; stopped by SIGTERM {where}" in capsys.readouterr().err
    again = made.run(spark, progress=False)
    assert (again.windows_replayed, again.unheld) == (1, None)


def test_an_error_after_a_signal_is_an_error_where_spark_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It has nothing to do with it."""
    monkeypatch.setattr("windowed.stopping.GONE_S", 0.3)

    def transform(lines: Any) -> Any:
        signal.raise_signal(signal.SIGTERM)
        raise ZeroDivisionError

    spark: Any = _There()
    for session in (spark, None):
        with pytest.raises(ZeroDivisionError):
            pipeline(rows(["a"]), transform=transform).run(session, progress=False)
