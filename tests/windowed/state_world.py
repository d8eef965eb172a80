"""A world of rows in memory whose pipeline has a state: how many numbers there were before."""

from __future__ import annotations

from typing import Any

import pyarrow

from tests.windowed.worlds import RUNNING, RowsWorld
from windowed import Pipeline
from windowed.state import NextState, State
from windowed.testing import StorageState
from windowed.testing.crash import Fuse, fused
from windowed.testing.list_sink import ListSink
from windowed.testing.rows import RowsInput
from windowlog import WindowLog
from windowlog.storage.memory import MemoryStorage


class StateWorld(RowsWorld):
    """As a RowsWorld. Each row that a sink gets says how many the state had `seen` before it."""

    def __init__(
        self, name: str, count: int, sinks: tuple[str, ...] = ("out",), *, every: int = 1
    ) -> None:
        super().__init__(name, count, sinks)
        self.kept = MemoryStorage()
        self.every = every
        self.keep = 0

    def pipeline(self, fuse: Fuse | None = None) -> Pipeline:
        """As a driver that starts now would make it."""
        made = Pipeline(
            "numbers",
            inputs={name: RowsInput(rows, schema="n long") for name, rows in self.inputs.items()},
            transform=counting,
            sinks={sink: ListSink(store) for sink, store in self.stores.items()},
            log=WindowLog(self.log),
            state=StorageState("seen long", storage=self.kept),
            checkpoint_every=self.every,
            keep=self.keep,
        )
        if fuse is not None:
            made = fused(made, fuse)
        RUNNING[self.name] = made
        return made

    def lose_state(self) -> None:
        """All checkpoints are gone."""
        self.kept = MemoryStorage()

    def seen(self, sink: str = "out") -> list[tuple[int, int]]:
        """Number and how many the state had seen before it, for each row in order."""
        windows = self.stores[sink].windows
        rows = [row for window_id in sorted(windows) for row in windows[window_id]]
        return [(row["n"], row["seen"]) for row in rows]


def counting(state: State, **frames: Any) -> tuple[pyarrow.Table, NextState]:
    """All inputs' rows, each with the state; and the state after them."""
    frame = pyarrow.concat_tables(frames.values())
    assert isinstance(state.frame, pyarrow.Table), "without Spark"
    seen = sum(state.frame["seen"].to_pylist())
    column = pyarrow.array([seen] * frame.num_rows, pyarrow.int64())
    after = pyarrow.table({"seen": [seen + frame.num_rows]}, schema=state.frame.schema)
    return frame.append_column("seen", column), state.replace(after)
