"""Progress that a person can read: a bar on a terminal, a line now and then elsewhere. Both are
listeners."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from windowed.listener import Listener

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from windowlog.window import Window

# Often enough to see that it lives, seldom enough for a log file.
LINE_EVERY_S = 10.0


def reporter(pipeline: str, progress: bool | None) -> list[Listener]:
    """The listener that shows progress on standard error, or none."""
    if progress is False:
        return []
    if sys.stderr.isatty():
        return [ProgressBar(pipeline)]
    return [ProgressLines(pipeline, sys.stderr, 0.0 if progress else LINE_EVERY_S)]


class Tally(Listener):
    """What this run has held so far."""

    def __init__(self, pipeline: str) -> None:
        self._pipeline = pipeline
        self._start_s = time.monotonic()
        self._windows = self._bytes = self._records = 0
        self._newest = 0

    def planned(self, window: Window, *, replay: bool) -> None:
        """A window of this run: what an earlier one held may be told as committed again."""
        self._newest = window.id

    def add(self, window: Window) -> None:
        """Count a window that was planned in this run."""
        if window.id != self._newest:
            return
        self._windows += 1
        self._bytes += sum(plan.bytes or 0 for plan in window.plans.values())
        self._records += sum(plan.records or 0 for plan in window.plans.values())

    def text(self, window: Window) -> str:
        """`wordcount: window 12 held · 5 windows, 21.0 MB in 4 s`."""
        size = f", {self._bytes / 1e6:,.1f} MB" if self._bytes else ""
        size += f", {_some_number(self._records, 'record')}" if self._records else ""
        return (
            f"{self._pipeline}: window {window.id} held"
            f" · {_some_number(self._windows, 'window')}{size}"
            f" in {time.monotonic() - self._start_s:,.0f} s"
        )


class ProgressLines(Listener):
    """A line each `every_s` seconds at the most, and one whenever the run begins to wait."""

    def __init__(self, pipeline: str, stream: TextIO, every_s: float) -> None:
        self._tally = Tally(pipeline)
        self._pipeline = pipeline
        self._stream = stream
        self._every_s = every_s
        self._last_s = time.monotonic()
        self._waiting: tuple[str, ...] | None = None

    def planned(self, window: Window, *, replay: bool) -> None:
        """Remember it."""
        self._tally.planned(window, replay=replay)

    def uneven(self, window: Window, sinks: Sequence[str]) -> None:
        """Say which."""
        self._say(_uneven(self._pipeline, window, sinks))

    def committed(self, window: Window) -> None:
        """Say so, if it is time."""
        self._tally.add(window)
        self._waiting = None
        if time.monotonic() - self._last_s >= self._every_s:
            self._say(self._tally.text(window))

    def waiting(self, names: Sequence[str]) -> None:
        """Say for what, once."""
        if names and tuple(names) != self._waiting:
            self._say(f"{self._pipeline}: waiting for {_some(names)}")
        self._waiting = tuple(names)

    def _say(self, text: str) -> None:
        self._last_s = time.monotonic()
        print(text, file=self._stream, flush=True)


class ProgressBar(Listener):
    """One line on a terminal that is always up to date."""

    def __init__(self, pipeline: str, console: Console | None = None) -> None:
        from rich.console import Console

        self._tally = Tally(pipeline)
        self._pipeline = pipeline
        self._console = console or Console(stderr=True)
        self._status: Status | None = None

    def planned(self, window: Window, *, replay: bool) -> None:
        """Show which window is being worked on."""
        self._tally.planned(window, replay=replay)
        verb = "replaying" if replay else "working on"
        self._show(f"{self._pipeline}: {verb} window {window.id}")

    def uneven(self, window: Window, sinks: Sequence[str]) -> None:
        """Say which, on a line that stays."""
        self._console.print(_uneven(self._pipeline, window, sinks), markup=False)

    def committed(self, window: Window) -> None:
        """Show how far it is."""
        self._tally.add(window)
        self._show(self._tally.text(window))

    def waiting(self, names: Sequence[str]) -> None:
        """Show for what."""
        self._show(f"{self._pipeline}: waiting for {_some(names) if names else 'new data'}")

    def ended(self) -> None:
        """Leave the terminal as it was."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _show(self, text: str) -> None:
        if self._status is None:
            self._status = self._console.status(text)
            self._status.start()
        self._status.update(text)


def _uneven(pipeline: str, window: Window, sinks: Sequence[str]) -> str:
    return (
        f"{pipeline}: window {window.id} is replayed without {_skipped(window)};"
        f" sink {', '.join(sinks)} held it before that was decided"
    )


def _skipped(window: Window) -> str:
    return _some([f"part {skip.part} of {skip.input}" for skip in window.skips])


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _some_number(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
