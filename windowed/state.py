"""The state that a transform is given, and what it says of the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windowed.changes import as_told_apart, changed, counts_of, replaced, types_of
from windowed.errors import WrongOutputs
from windowed.frames import is_frame

if TYPE_CHECKING:
    from windowlog.contracts import Frame, Output

_WAYS = "state.replace(…), state.change(…) or state.unchanged()"
_ALLOWED = f"with state it has to be two things: the frames for sinks, and {_WAYS}"


@dataclass(frozen=True, slots=True)
class NextState:
    """What becomes of the state. Made by `State.replace`, `change` and `unchanged`."""

    replacement: Frame | None = None
    put: Frame | None = None
    delete: Frame | None = None
    # The window whose state it was made from.
    after: int = 0

    @property
    def is_unchanged(self) -> bool:
        """Does the state stay what it is?"""
        return self.replacement is None and self.put is None and self.delete is None


@dataclass(frozen=True)
class Made:
    """What a transform made of a window: sink -> frame, and the state after it, if there is
    one."""

    outputs: Mapping[str, Output]
    state: NextState | None = None

    def frames(self) -> dict[str, Output]:
        """All that will be computed, as often as it will be; what is the state's has names that no
        sink has."""
        told = self.state if self.state is not None else NextState()
        # What is put is looked through for its keys, and written.
        used = {"1": told.replacement, "2": told.put, "3": told.put, "4": told.delete}
        return {**self.outputs, **{name: f for name, f in used.items() if f is not None}}


class State:
    """The state after the window before: `frame`, and ways to say what it is after this one.

    `frame` may be used any number of times within the window, and not later. `key` are the columns
    that tell rows apart: each key is there once. `window_id` is the window before."""

    def __init__(
        self, frame: Frame, key: Sequence[str], pipeline: str = "", window_id: int = 0
    ) -> None:
        self.frame = frame
        self.key = tuple(key)
        self.window_id = window_id
        self._pipeline = pipeline

    def replace(self, frame: Frame) -> NextState:
        """The state becomes the rows of `frame`, which has the state's columns in any order, and
        each key once, if there is a key: else the window fails, and nothing is written."""
        self._check("state.replace", frame, tuple(types_of(self.frame)))
        return NextState(replacement=frame, after=self.window_id)

    def change(self, *, put: Frame | None = None, delete: Frame | None = None) -> NextState:
        """The rows of `put` take the place of those with the same key, or are added; rows with a
        key of `delete` (only the key's columns are looked at) go. A key that is in both is put.
        Each key at most once in `put`: else the window fails, and nothing is written. Keys that are
        NULL are equal to each other."""
        if not self.key:
            found = "state.change of a state without a key"
            raise self._wrong(found, "give the state a key=[…], or use state.replace")
        if put is not None:
            self._check("state.change(put=…)", put, tuple(types_of(self.frame)))
        if delete is not None:
            self._check("state.change(delete=…)", delete, self.key, more=True)
        return NextState(put=put, delete=delete, after=self.window_id)

    def unchanged(self) -> NextState:
        """The state stays what it is: nothing is written for it."""
        return NextState(after=self.window_id)

    def check_own(self, following: NextState, what: str, gave: str) -> None:
        """WrongOutputs for what was made from the state of another window: it has other rows."""
        if following.after != self.window_id:
            found = f"a state that was made from the one after window {following.after}"
            allowed = f"this one comes after window {self.window_id}: take the state anew each time"
            raise WrongOutputs(
                pipeline=self._pipeline, what=what, gave=gave, found=found, allowed=allowed
            )

    def after(self, following: NextState) -> Frame:
        """The rows of the state that follows, its columns in their order. Lazy."""
        if following.replacement is not None:
            return replaced(following.replacement, self.key, list(types_of(self.frame)))
        return changed(self.frame, self.key, following.put, following.delete)

    def _check(self, what: str, frame: Any, wanted: tuple[str, ...], *, more: bool = False) -> None:
        if not is_frame(frame):
            raise self._wrong(f"{type(frame).__name__} for {what}", "it has to be a DataFrame")
        ours, theirs = types_of(self.frame), types_of(frame)
        lacking = [name for name in wanted if name not in theirs]
        extra = [] if more else [name for name in theirs if name not in wanted]
        other = [n for n in wanted if n in theirs and theirs[n] != ours[n]]
        counts = counts_of(frame)
        twice = [name for name in wanted if counts[as_told_apart(frame, name)] > 1]
        if not lacking and not extra and not other and not twice:
            return
        said = [
            *(f"no column {name} ({ours[name]})" for name in lacking),
            *(f"a column {name} that the state does not have" for name in extra),
            *(f"column {n} as {theirs[n]}, not {ours[n]}" for n in other if n not in twice),
            *(f"column {n} {counts[as_told_apart(frame, n)]} times" for n in twice),
        ]
        raise self._wrong(f"{what} with {'; '.join(said)}", "select and cast in the transform")

    def _wrong(self, found: str, allowed: str) -> WrongOutputs:
        return WrongOutputs(
            pipeline=self._pipeline,
            what="The transform of",
            gave="returned",
            found=found,
            allowed=allowed,
        )


def taken_apart(result: Any, pipeline: str) -> tuple[Any, NextState]:
    """What a transform with state returned: what is for sinks, and the state that follows."""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], NextState):
        return result[0], result[1]
    found = type(result).__name__
    if isinstance(result, tuple):
        found = f"({', '.join(type(each).__name__ for each in result)})"
    raise WrongOutputs(
        pipeline=pipeline,
        what="The transform of",
        gave="returned",
        found=found,
        allowed=_ALLOWED,
    )


def check_next(given: Any, state: State | None, pipeline: str) -> None:
    """What an own loop gave as the state that follows; None where there is no state."""
    what, gave = "hold() of", "was given"
    if state is None and given is None:
        return
    if state is not None and isinstance(given, NextState):
        state.check_own(given, what, gave)
        return
    found = "no state" if given is None else f"{type(given).__name__} as state"
    allowed = f"it has to be what {_WAYS} of run.state returned"
    if state is None:
        found, allowed = "a state", "the pipeline has no state="
    raise WrongOutputs(pipeline=pipeline, what=what, gave=gave, found=found, allowed=allowed)
