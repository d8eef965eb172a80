"""Ears at every seam of a pipeline with state: who is called, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow

from tests.windowed import made
from tests.windowed.state.world import World, count
from windowed.listener import Listener
from windowed.pipeline import Pipeline
from windowed.state import State
from windowed.testing.list_sink import ListStore
from windowed.testing.rows import RowsInput
from windowed.testing.storage_state import StorageState
from windowlog.contracts import Frame, InputContext, Storage
from windowlog.log import WindowLog
from windowlog.state_store import Checkpoint, Staged, StateContext
from windowlog.values import Plan, Skip
from windowlog.window import Window

Heard = list[str]


class HeardState(StorageState):
    """Says into `heard` what it is asked. `fails`: errors for the next calls of `stage`."""

    def __init__(self, heard: Heard, storage: Storage, fails: Sequence[Any] = ()) -> None:
        super().__init__("word string, n bigint", key=["word"], storage=storage)
        self.heard = heard
        self.fails = list(fails)

    def open(self, context: StateContext) -> None:
        """Say it."""
        self.heard.append("state open")
        super().open(context)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Say it."""
        self.heard.append("state checkpoints")
        return super().checkpoints()

    def load(self, checkpoint: Checkpoint | None) -> Staged:
        """Say of which window."""
        self.heard.append(f"state load {checkpoint.window_id if checkpoint else 'nothing'}")
        return super().load(checkpoint)

    def stage(self, window_id: int, frame: Frame) -> Staged:
        """Say it, and fail if told so."""
        self.heard.append(f"state stage {window_id}")
        failure = self.fails.pop(0) if self.fails else None
        if failure is not None:
            raise failure
        return super().stage(window_id, frame)

    def save(self, window_id: int, digest: str, staged: Staged) -> Checkpoint:
        """Say it."""
        self.heard.append(f"state save {window_id}")
        return super().save(window_id, digest, staged)

    def drop(self, staged: Staged) -> None:
        """Say of which window."""
        self.heard.append(f"state drop {_window_of(staged.folder)}")
        super().drop(staged)

    def let_go(self, floor: int) -> None:
        """Say it."""
        self.heard.append(f"state let_go {floor}")
        super().let_go(floor)

    def close(self) -> None:
        """Say it."""
        self.heard.append("state close")
        super().close()


class HeardLines(RowsInput):
    """The input."""

    def __init__(self, windows: list[Any], heard: Heard) -> None:
        super().__init__(windows, schema="word string")
        self.heard = heard

    def open(self, context: InputContext) -> None:
        """Say it."""
        super().open(context)
        self.heard.append("lines open")

    def read(self, plan: Plan, skips: Sequence[Skip]) -> Frame:
        """Say how far."""
        self.heard.append(f"lines read {plan.end}")
        return super().read(plan, skips)

    def verify(self, plan: Plan, skips: Sequence[Skip]) -> None:
        """Say how far."""
        self.heard.append(f"lines verify {plan.end}")

    def committed(self, windows: Sequence[tuple[int, Plan]]) -> None:
        """Say which."""
        super().committed(windows)
        self.heard += [f"lines committed {window_id}" for window_id, _ in windows]

    def close(self) -> None:
        """Say it."""
        super().close()
        self.heard.append("lines close")


class HeardSink(made.HeardSink):
    """A sink of this world's store, whose preparing says nothing."""

    def __init__(
        self, name: str, store: ListStore, heard: Heard, fails: Sequence[Any] = ()
    ) -> None:
        super().__init__(name, heard, fails)
        self.store = store

    def prepare(self, schema: pyarrow.Schema) -> None:
        """Nothing."""


class HeardLog(WindowLog):
    """The log: what it appends and lets go of."""

    heard: Heard

    def append(self, draft: Any) -> Window:
        """Say it."""
        self.heard.append(f"log append {draft.window_id}")
        return super().append(draft)

    def purge(self, floor: int, at_once: int | None = None) -> int:
        """Say it."""
        self.heard.append(f"log purge {floor}")
        return super().purge(floor, at_once)


class HeardListener(Listener):
    """A person."""

    def __init__(self, heard: Heard) -> None:
        self.heard = heard

    def planned(self, window: Window, *, replay: bool) -> None:
        """Say it."""
        self.heard.append(f"told {'replay' if replay else 'planned'} {window.id}")

    def committed(self, window: Window) -> None:
        """Say it."""
        self.heard.append(f"told committed {window.id}")


class HeardWorld(World):
    """A world that can be listened to; `hold_fails` are each sink's errors, `stage_fails` those of
    the state."""

    def __init__(self, *windows: str, **given: Any) -> None:
        super().__init__(*windows, **given)
        self.heard: Heard = []
        self.hold_fails: dict[str, list[Any]] = {}
        self.stage_fails: list[Any] = []

    def pipeline(self, every: int | None = 1, **given: Any) -> Pipeline:
        """With ears; what was heard before is forgotten."""
        heard = self.heard
        heard.clear()
        log = HeardLog(self.log)
        log.heard = heard
        given.setdefault("log", log)
        given.setdefault("state", HeardState(heard, self.storage, self.stage_fails))
        given.setdefault("inputs", {"lines": HeardLines(self.windows, heard)})
        sinks = {
            n: HeardSink(n, store, heard, self.hold_fails.get(n, ()))
            for n, store in self.stores.items()
        }
        given.setdefault("sinks", sinks)
        given.setdefault("transform", self._transform)
        return super().pipeline(every, **given)

    def _transform(self, lines: pyarrow.Table, state: State) -> Any:
        self.heard.append(f"transform {lines.num_rows} on {state.frame.num_rows}")
        return count(lines, state)

    def of(self, *who: str) -> Heard:
        """What these were asked."""
        return [line for line in self.heard if line.split()[0] in who]


def _window_of(folder: str) -> str:
    return str(int(folder.split("/")[2].split(".")[0])) if folder else "nothing"
