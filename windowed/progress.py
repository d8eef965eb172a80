"""Progress that a person can read: a bar on a terminal, a line now and then elsewhere. Both are
listeners."""

from __future__ import annotations

import _thread
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from windowed.listener import Listener
from windowed.stopping import CutShort
from windowed.wording import counted, lasted, sized

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from windowlog.window import Window

# Often enough to see that it lives, seldom enough for a log file.
LINE_EVERY_S = 10.0
# A run that has ended waits this long for a line that another thread is writing: after the run the
# stream may be closed.
SAYING_MAX_S = 1.0


def reporter(pipeline: str, progress: bool | None) -> list[ProgressLines | ProgressBar]:
    """The listener that shows progress on standard error, or none."""
    if progress is False:
        return []
    if sys.stderr.isatty():
        return [ProgressBar(pipeline)]
    return [ProgressLines(pipeline, sys.stderr, 0.0 if progress else LINE_EVERY_S)]


class Tally(Listener):
    """What this run has held so far, and what a person is told of it."""

    def __init__(self, pipeline: str) -> None:
        self._pipeline = pipeline
        self._start_s = time.monotonic()
        self._windows = self._bytes = self._records = 0
        self._aside = self._aside_now = self._newest = 0
        self._in_flight: Window | None = None
        self._signal = self._cut = ""
        self._saying = _thread.allocate_lock()
        self._said = True
        self._text = ""

    def planned(self, window: Window, *, replay: bool) -> None:
        """A window of this run."""
        self._in_flight = window
        self._aside_now = 0

    def set_aside(self, window: Window, counts: Mapping[str, int]) -> None:
        """Counted once the window is held: it may be told again."""
        self._aside_now = sum(counts.values())

    def add(self, window: Window) -> None:
        """Count a window that was planned in this run, once. What an earlier run held may be told
        as committed again, and what this one held, once a fault has passed."""
        if self._in_flight is None or window.id != self._in_flight.id:
            return
        self._in_flight = None
        if window.id <= self._newest:
            return  # for the state alone it is replayed
        self._newest = window.id
        self._windows += 1
        self._aside += self._aside_now
        self._bytes += sum(plan.bytes or 0 for plan in window.plans.values())
        self._records += sum(plan.records or 0 for plan in window.plans.values())
        self._text, self._said = self._text_of(window), False

    def text(self, window: Window) -> str:
        """`wordcount: window 12 held · 5 windows, 21.0 MB in 4.2 s`."""
        self._said = True
        return self._text_of(window)

    def _text_of(self, window: Window) -> str:
        size = f", {sized(self._bytes)}" if self._bytes else ""
        size += f", {counted(self._records, 'record')}" if self._records else ""
        size += f" ({self._aside:,} set aside)" if self._aside else ""
        return (
            f"{self._pipeline}: window {window.id} held"
            f" · {counted(self._windows, 'window')}{size}"
            f" in {lasted(time.monotonic() - self._start_s)}"
        )

    def stopping(self, signal: str, say: Callable[[str], None]) -> None:
        """Say what the first signal does, and what a second one will. May be called inside a signal
        handler: the main thread may be writing at this moment, so another one says it."""
        self._signal = signal
        after = f" after window {self._in_flight.id}" if self._in_flight is not None else ""
        again = "Ctrl-C again" if signal == "SIGINT" else "a second signal"
        text = f"{self._pipeline}: stopping{after}; {again} stops now"
        if self._saying.acquire(blocking=False):
            _thread.start_new_thread(self._say_beside, (say, text))

    def _say_beside(self, say: Callable[[str], None], text: str) -> None:
        try:
            say(text)
        finally:
            self._saying.release()

    def failed(self, error: BaseException) -> None:
        """The error speaks for itself, unless it is only how a signal has ended the run."""
        if isinstance(error, CutShort):
            self._cut = str(error)
        else:
            self._said, self._signal = True, ""

    def last_words(self) -> str:
        """What is still to be said when the run has ended: how far it came, and who stopped it.
        Once."""
        if self._saying.acquire(timeout=SAYING_MAX_S):
            self._saying.release()
        said, signal = self._said, self._signal
        self._said, self._signal = True, ""
        text = self._text or f"{self._pipeline}: nothing {'held' if self._cut else 'new'}"
        if signal:
            return f"{text}; stopped by {signal}{self._cut}"
        return "" if said else text


class _Reporter(Listener):
    """What both ways to report have in common; `_say` writes a line that stays."""

    def __init__(self, pipeline: str) -> None:
        self._tally = Tally(pipeline)
        self._pipeline = pipeline

    def uneven(self, window: Window, sinks: Sequence[str]) -> None:
        """Say which."""
        self._say(_uneven(self._pipeline, window, sinks))

    def set_aside(self, window: Window, counts: Mapping[str, int]) -> None:
        """Remember how many."""
        self._tally.set_aside(window, counts)

    def failed(self, error: BaseException) -> None:
        """Nothing more."""
        self._tally.failed(error)

    def retrying(self, error: Exception, pause_s: float) -> None:
        """Say why, and when."""
        self._say(_retrying(self._pipeline, error, pause_s))

    def stopping(self, signal: str) -> None:
        """Say so at once; from a signal handler too."""
        self._tally.stopping(signal, self._say)

    def ended(self) -> None:
        """Say how far it came, unless the last line did."""
        if text := self._tally.last_words():
            self._say(text)

    def _say(self, text: str) -> None:
        raise NotImplementedError


class ProgressLines(_Reporter):
    """A line each `every_s` seconds at the most, and one whenever the run begins to wait."""

    def __init__(self, pipeline: str, stream: TextIO, every_s: float) -> None:
        super().__init__(pipeline)
        self._stream = stream
        self._every_s = every_s
        self._last_s = time.monotonic()
        self._waiting: tuple[str, ...] | None = None

    def planned(self, window: Window, *, replay: bool) -> None:
        """Remember it."""
        self._tally.planned(window, replay=replay)

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


class ProgressBar(_Reporter):
    """One line on a terminal that is always up to date."""

    def __init__(self, pipeline: str, console: Console | None = None) -> None:
        from rich.console import Console

        super().__init__(pipeline)
        self._console = console or Console(stderr=True)
        self._status: Status | None = None

    def planned(self, window: Window, *, replay: bool) -> None:
        """Show which window is being worked on."""
        self._tally.planned(window, replay=replay)
        verb = "replaying" if replay else "working on"
        self._show(f"{self._pipeline}: {verb} window {window.id}")

    def committed(self, window: Window) -> None:
        """Show how far it is."""
        self._tally.add(window)
        self._show(self._tally.text(window))

    def waiting(self, names: Sequence[str]) -> None:
        """Show for what."""
        self._show(f"{self._pipeline}: waiting for {_some(names) if names else 'new data'}")

    def ended(self) -> None:
        """Leave the terminal as it was, and the last word on a line that stays."""
        if self._status is not None:
            self._status.stop()
            self._status = None
        super().ended()

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)

    def _show(self, text: str) -> None:
        if self._status is None:
            self._status = self._console.status(text)
            self._status.start()
        self._status.update(text)


def _uneven(pipeline: str, window: Window, sinks: Sequence[str]) -> str:
    return (
        f"{pipeline}: window {window.id} is replayed without {_skipped(window)};"
        f" sink {', '.join(sinks)} holds it already, and may have that"
    )


def _retrying(pipeline: str, error: Exception, pause_s: float) -> str:
    return f"{pipeline}: trying again in {pause_s:g} s: {error}"


def _skipped(window: Window) -> str:
    return _some([f"part {skip.part} of {skip.input}" for skip in window.skips])


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
