"""Looking without touching: what the next window would hold, and the rows of a window that was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from windowed import opening
from windowed.asides import explained, read_all
from windowed.closing import close_quietly
from windowed.workers import explaining
from windowlog.window import Window

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowed.loop import Loop
    from windowed.parts import Parts
    from windowed.state import Made, State
    from windowlog.contracts import Frame, Output

Make = Callable[[Window, Mapping[str, Any], "State | None"], "Made"]


def preview(loop: Loop, make: Make) -> dict[str, Output]:
    """Sink -> frame of the next window, or of the next replay. Raises what a start would raise."""
    parts = loop.parts
    try:
        facts, decision = opening.decide_start(parts, loop.run_id, loop.spark)
        opening.open_inputs(parts, loop.spark, read_only=True)
        loop.open_state(facts)
        if decision.replay:
            window = parts.log.read(decision.replay[0])
        else:
            loop.start_at(facts.positions())
            draft = loop.draft(loop.plan(loop.bounds()))
            window = Window(
                id=draft.window_id,
                planned_at=draft.planned_at,
                plans=draft.plans,
                inputs=draft.inputs,
                sinks=draft.sinks,
                run_id=draft.run_id,
                log_id=parts.log.header.log_id,
                previous="",
                digest="",
            )
        with explaining(), explained(parts.inputs):
            return dict(make(window, loop.read(window), loop.state).outputs)
    finally:
        close_quietly(parts)


def read_state(loop: Loop) -> Frame:
    """The state that a start would load. Raises what a start would raise."""
    try:
        facts, _ = opening.decide_start(loop.parts, loop.run_id, loop.spark)
        loop.open_state(facts)
        assert loop.state is not None, "the pipeline has one"
        return loop.state.frame
    finally:
        close_quietly(loop.parts)


def read_window(
    parts: Parts, spark: SparkSession | None, run_id: str, window_id: int
) -> dict[str, Frame]:
    """Input -> frame of a window whose plan is kept. RecordNotFound if it is not."""
    try:
        parts.log.open(parts.pipeline, run_id)
        parts.log.scan()
        window = parts.log.read(window_id)
        opening.open_inputs(parts, spark, read_only=True)
        with explaining():
            there = {name: one for name, one in parts.inputs.items() if name in window.plans}
            return read_all(there, window)
    finally:
        close_quietly(parts)
