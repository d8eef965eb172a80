"""Listeners: told what happens to each window. An exception in one ends the run: nothing is
swallowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windowlog.window import Window


class Listener:
    """Subclass, and override what you want to hear. Called in the run's thread; be quick.

    Whatever was told before a crash may be told again after it, except that `planned(…,
    replay=False)` is told at most once for a window.
    """

    def planned(self, window: Window, *, replay: bool) -> None:
        """The window is in the log. `replay`: it was there already, and some sink does not hold
        it, or the state after it is not known."""

    def uneven(self, window: Window, sinks: Sequence[str]) -> None:
        """These sinks hold the window already, read with fewer skips than stand beside it now: they
        have rows that the others will not get. One that holds later windows too is always named,
        for it may have them."""

    def set_aside(self, window: Window, counts: Mapping[str, int]) -> None:
        """By input, how many records of the window are set aside, NAME_rejects. Told before it is
        held, if there are any; again, if it could not be held at once."""

    def held(self, window: Window, sink: str) -> None:
        """Sink `sink` holds the window: its rows are durable."""

    def committed(self, window: Window) -> None:
        """Every sink holds the window. At least once."""

    def waiting(self, names: Sequence[str]) -> None:
        """The run waits: for these (files not yet quiet), or for the trigger if there are none."""

    def failed(self, error: BaseException) -> None:
        """A run ends, or goes on after a pause, because of this."""

    def retrying(self, error: Exception, pause_s: float) -> None:
        """After `failed` and `ended`: the fault may pass, so the run begins anew in `pause_s`
        seconds."""

    def ended(self) -> None:
        """The last call, however the run ended."""


class Listeners(Listener):
    """Several listeners as one, told in order."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = tuple(listeners)

    def planned(self, window: Window, *, replay: bool) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.planned(window, replay=replay)

    def uneven(self, window: Window, sinks: Sequence[str]) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.uneven(window, sinks)

    def set_aside(self, window: Window, counts: Mapping[str, int]) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.set_aside(window, counts)

    def held(self, window: Window, sink: str) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.held(window, sink)

    def committed(self, window: Window) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.committed(window)

    def waiting(self, names: Sequence[str]) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.waiting(names)

    def failed(self, error: BaseException) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.failed(error)

    def retrying(self, error: Exception, pause_s: float) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.retrying(error, pause_s)

    def ended(self) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.ended()
