"""Pipelines for the tests of the loop: rows in memory, lists as sinks, and ears at every seam."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow

from windowed.listener import Listener
from windowed.pipeline import Pipeline
from windowed.testing.list_sink import ListSink
from windowed.testing.rows import RowsInput
from windowlog.contracts import Frame, SinkContext
from windowlog.log import WindowLog
from windowlog.values import Plan, Skip
from windowlog.window import Window

SCHEMA = "word string, count bigint"


def rows(*windows: Any) -> RowsInput:
    """An input whose windows have these words, each once; a list, or CRASH."""
    return RowsInput(
        [
            [(word, 1) for word in window] if isinstance(window, list) else window
            for window in windows
        ],
        schema=SCHEMA,
    )


def same(lines: Frame) -> Frame:
    """The transform that changes nothing."""
    return lines


def pipeline(source: RowsInput, sinks: Mapping[str, Any] | None = None, **given: Any) -> Pipeline:
    """Lines to `out`, in memory."""
    given.setdefault("transform", same)
    given.setdefault("log", WindowLog.in_memory())
    sinks = {"out": ListSink()} if sinks is None else sinks
    return Pipeline("made", inputs={"lines": source}, sinks=sinks, **given)


def words(sink: ListSink) -> list[str]:
    """What the sink holds, in order."""
    return [row["word"] for row in sink.rows]


class HeardInput(RowsInput):
    """Says into `heard` what it is asked."""

    def __init__(self, windows: list[Any], heard: list[str], *, schema: str = SCHEMA) -> None:
        super().__init__(windows, schema=schema)
        self.heard = heard

    def read(self, plan: Plan, skips: Sequence[Skip]) -> Frame:
        """Say it."""
        self.heard.append("read")
        return super().read(plan, skips)

    def verify(self, plan: Plan, skips: Sequence[Skip]) -> None:
        """Say it."""
        self.heard.append("verify")

    def committed(self, windows: Sequence[tuple[int, Plan]]) -> None:
        """Say which."""
        super().committed(windows)
        self.heard.append(f"input committed {[window_id for window_id, _ in windows]}")

    def close(self) -> None:
        """Say it."""
        super().close()
        self.heard.append("input close")


class HeardSink(ListSink):
    """Says into `heard` what it is asked; `fails` are errors for the next calls of `hold`."""

    def __init__(self, name: str, heard: list[str], fails: Sequence[Exception | None] = ()) -> None:
        super().__init__()
        self.name = name
        self.heard = heard
        self.fails = list(fails)

    def open(self, context: SinkContext) -> None:
        """Say it."""
        super().open(context)
        self.heard.append(f"{self.name} open")

    def prepare(self, schema: pyarrow.Schema) -> None:
        """Say for which columns."""
        self.heard.append(f"{self.name} prepare {','.join(schema.names)}")

    def stage(self, window: Window, frame: Frame) -> None:
        """Say it."""
        super().stage(window, frame)
        self.heard.append(f"{self.name} stage {window.id}")

    def hold(self, window: Window) -> None:
        """Say it, and fail if told so."""
        self.heard.append(f"{self.name} hold {window.id}")
        failure = self.fails.pop(0) if self.fails else None
        if failure is not None:
            raise failure
        super().hold(window)

    def abandon(self, window: Window) -> None:
        """Say it."""
        super().abandon(window)
        self.heard.append(f"{self.name} abandon {window.id}")

    def committed(self, window_id: int) -> None:
        """Say it."""
        self.heard.append(f"{self.name} committed {window_id}")

    def close(self) -> None:
        """Say it."""
        super().close()
        self.heard.append(f"{self.name} close")


class Ear(Listener):
    """Writes down all it hears."""

    def __init__(self, heard: list[str] | None = None, name: str = "") -> None:
        self.heard = heard if heard is not None else []
        self.name = name

    def _hear(self, text: str) -> None:
        self.heard.append(f"{self.name} {text}".strip())

    def planned(self, window: Window, *, replay: bool) -> None:
        """Old or new."""
        self._hear(f"{'replay' if replay else 'planned'} {window.id}")

    def held(self, window: Window, sink: str) -> None:
        """By whom."""
        self._hear(f"held {window.id} {sink}")

    def committed(self, window: Window) -> None:
        """Which."""
        self._hear(f"committed {window.id}")

    def waiting(self, names: Sequence[str]) -> None:
        """For what."""
        self._hear(f"waiting {','.join(names)}".strip())

    def failed(self, error: BaseException) -> None:
        """Why."""
        self._hear(f"failed {type(error).__name__}")

    def ended(self) -> None:
        """At last."""
        self._hear("ended")


class On(Listener):
    """Does something at a moment: `On(committed=run.stop)`."""

    def __init__(self, **actions: Callable[[], object]) -> None:
        self.actions = actions

    def planned(self, window: Window, *, replay: bool) -> None:
        """If wished."""
        self.actions.get("planned", _nothing)()

    def held(self, window: Window, sink: str) -> None:
        """If wished."""
        self.actions.get("held", _nothing)()

    def committed(self, window: Window) -> None:
        """If wished."""
        self.actions.get("committed", _nothing)()


def _nothing() -> None:
    return
