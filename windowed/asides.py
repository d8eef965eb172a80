"""Inputs with a second frame, the records that they set aside, and inputs that know what an error
of Spark's means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from windowlog.values import Plan

if TYPE_CHECKING:
    from windowlog.contracts import Frame, Input
    from windowlog.window import Window

_REJECTS = "_rejects"


def sets_aside(source: Input) -> bool:
    """Does it give a second frame?"""
    return bool(getattr(source, "sets_aside", False))


def rejects_of(name: str) -> str:
    """What the second frame of input `name` is called."""
    return f"{name}{_REJECTS}"


def frame_names(inputs: Mapping[str, Input]) -> list[str]:
    """The frames of a window, in the inputs' order."""
    return [
        frame
        for name, source in inputs.items()
        for frame in ([name, rejects_of(name)] if sets_aside(source) else [name])
    ]


def read_all(inputs: Mapping[str, Input], window: Window) -> dict[str, Frame]:
    """Each input's rows of this window; none of an input that joined later."""
    frames: dict[str, Frame] = {}
    for name, source in inputs.items():
        plan = window.plans.get(name, Plan((), None))
        if sets_aside(source):
            beside: Any = source
            frames[name], frames[rejects_of(name)] = beside.read_aside(plan, window.skips)
        else:
            frames[name] = source.read(plan, window.skips)
    return frames


def counts(inputs: Mapping[str, Input]) -> dict[str, int]:
    """How many records inputs have set aside of the window that was verified last; without those
    that have none."""
    told = {name: getattr(source, "set_aside_count", None) for name, source in inputs.items()}
    found = {name: tell() for name, tell in told.items() if tell is not None}
    return {name: count for name, count in found.items() if count}


@contextmanager
def explained(inputs: Mapping[str, Input]) -> Iterator[None]:
    """While frames are used: an error that an input knows the meaning of is raised in its words."""
    try:
        yield
    except Exception as error:
        for source in inputs.values():
            explain = getattr(source, "explain", None)
            meaning: Exception | None = explain(error) if explain is not None else None
            if meaning is not None:
                raise meaning from error
        raise
