"""Your own loop: `next` gives a window and its frames, `hold` makes it durable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from windowed.errors import OutOfTurn
from windowed.frames import outputs_by_sink
from windowed.state import Made, NextState, State, check_next

if TYPE_CHECKING:
    from windowed.loop import Loop
    from windowlog.contracts import Frame
    from windowlog.window import Window


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """A window in flight: `frames` are its rows by input, and NAME_rejects what an input has set
    aside. `planned_at` is what "now" means in it."""

    window: Window
    frames: Mapping[str, Frame]

    def __repr__(self) -> str:
        # The plans are long, and for nobody's eyes.
        return f"OpenWindow(id={self.id}, planned_at={self.planned_at}, frames={[*self.frames]})"

    @property
    def id(self) -> int:
        """The window's number."""
        return self.window.id

    @property
    def planned_at(self) -> datetime:
        """When it was planned, in UTC."""
        return self.window.planned_at


class OwnRun:
    """An open pipeline. One window at a time: `next`, `hold`, `next` …"""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._flight: OpenWindow | None = None

    def next(self) -> OpenWindow | None:
        """The next window: first those to replay, then what is new. None when nothing is new at
        this moment."""
        if self._flight is not None:
            raise OutOfTurn(what=f"Window {self._flight.id} was given and is not held yet")
        window = self._loop.next(self._loop.bounds)
        if window is None:
            self._loop.idle()
            return None
        self._flight = OpenWindow(window, self._loop.read(window))
        return self._flight

    @property
    def state(self) -> State:
        """The state before the window in flight. OutOfTurn where the pipeline has none."""
        state = self._loop.state
        if state is None:
            raise OutOfTurn(what=f"Pipeline {self._loop.parts.pipeline!r} has no state=")
        return state

    def hold(
        self,
        window: OpenWindow,
        outputs: Mapping[str, Frame] | Frame,
        state: NextState | None = None,
    ) -> None:
        """Write the window into every sink, once: a frame for all of them, or a dict sink ->
        frame. `state`: what `run.state.replace(…)`, `change` or `unchanged` returned, for a
        pipeline with state."""
        if window is not self._flight:
            raise OutOfTurn(what=f"Window {window.id} is not the one that next() gave last")
        parts = self._loop.parts
        frames = outputs_by_sink(outputs, parts.sinks, parts.pipeline, own_loop=True)
        check_next(state, self._loop.state, parts.pipeline)
        self._loop.work(window.window, lambda: Made(frames, state))
        self._flight = None
