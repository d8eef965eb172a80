"""StateStore: where the state of a pipeline is kept from window to window. A contract, like those
of contracts.py.

The state after a window is *staged* (written, so that the next window can read it), and at every so
many windows *saved*: durable, read back, and named by a record. A saved state is a checkpoint. What
is staged and not saved is lost with its driver, and made again by a replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowlog.contracts import Frame

# What a transform calls it, an adoption that says that it is empty, and a header that it is not.
STATE = "state"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state after window `window_id`, as its record says.

    `digest` is that of the window's record, or of the log's header for the window before its first.
    `attempt` counts the records of one window from 0: the highest that can be used counts. `folder`
    names the rows, "" if there are none, and `rows` how many they are. `problem` says in words why
    it cannot be used (damaged, of other columns); it is empty for one that was looked at whole.
    """

    window_id: int
    attempt: int
    digest: str = ""
    folder: str = ""
    rows: int = 0
    problem: str = ""


@dataclass(frozen=True)
class Staged:
    """A state that windows can read: `folder` names its rows, "" if there are none; `frame` reads
    them, as often as is wanted."""

    folder: str
    frame: Frame


@dataclass(frozen=True)
class StateContext:
    """What a store is given when it is opened."""

    spark: SparkSession | None
    pipeline: str
    log_id: str
    run_id: str


@runtime_checkable
class StateStore(Protocol):
    """Checkpoints of one pipeline's state, those of each log apart. Called from one thread. Order:
    open, then the others, then close.

    A driver that was overtaken may still stage and save: what it writes has names of its own, and
    it removes nothing that another driver has staged, or saved later than what it knows.
    """

    key: tuple[str, ...]

    def describe(self) -> str:
        """Where it is, for messages; without secrets. May be called before `open`."""

    def open(self, context: StateContext) -> None:
        """Once a run. Creates nothing. An instance may be opened again after `close`."""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """All records of this log, by window and attempt, each looked at as a whole: a saved state
        of which a byte is missing has a `problem`. What cannot be looked at now raises."""

    def present(self) -> set[tuple[int, int]]:
        """Window and attempt of each record of this log, without looking into them."""

    def load(self, checkpoint: Checkpoint | None) -> Staged:
        """The state of a checkpoint without a problem. None: the empty state, with its columns."""

    def stage(self, window_id: int, frame: Frame) -> Staged:
        """Write the state after window `window_id`. All of Spark's work; not durable yet. What the
        frame reads is not needed any more when this returns."""

    def save(self, window_id: int, digest: str, staged: Staged) -> Checkpoint:
        """Make a staged, loaded or empty state durable, read it back, and only then let a record
        name it, created exclusively beside those of the same window. Fenced when another driver
        does the same just now, or has removed what was staged: it has saved a later window."""

    def drop(self, staged: Staged) -> None:
        """Remove what was staged by this run and is named by no record; if it is there still."""

    def let_go(self, floor: int) -> None:
        """Remove the checkpoints of windows before `floor`, the records first, and what was staged
        for windows before it and is named by no record."""

    def hand_on(self, checkpoint: Checkpoint, log_id: str, window_id: int, digest: str) -> None:
        """Save the checkpoint, which has no problem, as the state of another log after its window
        `window_id`, with that digest."""

    def folders(self) -> Sequence[str]:
        """The folders that are its own alone: paths, or URLs as a log's. May be called before
        `open`."""

    def close(self) -> None:
        """Release everything. Legal after a failed or missing `open`; never hides an earlier
        error."""
