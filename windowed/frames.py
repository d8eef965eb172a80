"""Frames on their way through a window: what a transform returned, their Arrow schema, frames that
sinks share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow

from windowed.errors import WrongOutputs

if TYPE_CHECKING:
    from windowlog.contracts import Frame


def outputs_by_sink(
    result: Any, sinks: tuple[str, ...], pipeline: str, *, own_loop: bool = False
) -> dict[str, Frame]:
    """What the transform returned or an own loop gave, as sink -> frame. WrongOutputs unless each
    sink gets exactly one frame."""
    what, gave = ("hold() of", "was given") if own_loop else ("The transform of", "returned")
    said: dict[str, Any] = {"pipeline": pipeline, "what": what, "gave": gave}
    if isinstance(result, Mapping):
        if set(result) != set(sinks):
            found = f"frames for {sorted(map(str, result))}"
            allowed = f"the sinks are {sorted(sinks)}: each needs one"
            raise WrongOutputs(found=found, allowed=allowed, **said)
        frames = {name: result[name] for name in sinks}
    else:
        frames = dict.fromkeys(sinks, result)
    for name, frame in frames.items():
        if not is_frame(frame):
            found = f"{type(frame).__name__} for sink {name}"
            allowed = "it has to be a DataFrame, or a dict of sink name -> DataFrame"
            raise WrongOutputs(found=found, allowed=allowed, **said)
    return frames


def is_frame(value: object) -> bool:
    """A DataFrame of classic Spark or of Spark Connect, or an Arrow table."""
    if isinstance(value, pyarrow.Table):
        return True
    return hasattr(value, "schema") and hasattr(value, "toArrow")


def arrow_schema(frame: Frame) -> pyarrow.Schema:
    """The schema that the frame's rows will have as Arrow."""
    if isinstance(frame, pyarrow.Table):
        return frame.schema
    # An empty job, once a run and when the schema changes; pyspark's own converter is private and
    # changes between versions.
    return frame.limit(0).toArrow().schema


@contextmanager
def shared(frames: Mapping[str, Frame]) -> Iterator[None]:
    """While inside, a DataFrame that several sinks use is computed once."""
    counts: dict[int, int] = {}
    for frame in frames.values():
        counts[id(frame)] = counts.get(id(frame), 0) + 1
    cached = {
        id(frame): frame
        for frame in frames.values()
        if counts[id(frame)] > 1 and not isinstance(frame, pyarrow.Table)
    }
    for frame in cached.values():
        frame.persist()
    try:
        yield
    finally:
        for frame in cached.values():
            frame.unpersist()
