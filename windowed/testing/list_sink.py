"""ListSink: a sink that remembers, in memory; for pipelines' unit tests, and the shortest example
of the contract."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow

from windowlog.errors import Fenced
from windowlog.wiring import Held, SinkIdentity, TargetState

if TYPE_CHECKING:
    from windowlog.contracts import Frame, SinkContext
    from windowlog.window import Window


@dataclass
class ListStore:
    """What lasts when a driver dies: rows by window, and the memory of each (pipeline, sink)."""

    windows: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    memory: dict[tuple[str, str], Held] = field(default_factory=dict)


class ListSink:
    """Keeps rows in a list. Guarantee: exactly once, as long as its store lives.

    Two drivers of one pipeline are two ListSinks with one `store`.
    """

    def __init__(self, store: ListStore | None = None) -> None:
        self.store = store if store is not None else ListStore()
        self._context: SinkContext | None = None
        self._staged: tuple[int, list[dict[str, Any]]] | None = None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All rows held, window by window, each a dict."""
        return [
            row for window_id in sorted(self.store.windows) for row in self.store.windows[window_id]
        ]

    def identity(self) -> SinkIdentity:
        """A list in memory."""
        return SinkIdentity("memory", "append")

    def open(self, context: SinkContext) -> None:
        """Forget what an earlier driver staged."""
        self._context = context
        self._staged = None

    def held(self) -> Held | None:
        """The store's memory."""
        return self.store.memory.get(self._key())

    def target(self) -> TargetState:
        """Always there; other sinks are those that hold windows of the same log in this store."""
        pipeline, name = self._key()
        log_id = self._open().log_id
        others = sorted(
            (sink, held.window_id)
            for (of, sink), held in self.store.memory.items()
            if of == pipeline and sink != name and held.log_id == log_id
        )
        names, windows = zip(*others, strict=True) if others else ((), ())
        return TargetState(exists=True, other_sinks=names, other_windows=windows)

    def adopt(self, before: Held | None, after: Held) -> None:
        """Compare, and set."""
        if self.held() != before:
            raise self._fenced(f"the sink's memory is {self.held()}, not {before}")
        self.store.memory[self._key()] = after

    def prepare(self, schema: pyarrow.Schema) -> None:
        """A list takes any row."""

    def stage(self, window: Window, frame: Frame) -> None:
        """Fetch the rows."""
        table = frame if isinstance(frame, pyarrow.Table) else frame.toArrow()
        self._staged = window.id, table.to_pylist()

    def hold(self, window: Window) -> None:
        """Rows and memory in one step, only from the window before, of the same log and sink."""
        assert self._staged is not None, "stage() comes first"
        assert self._staged[0] == window.id, "one window in flight"
        held = self.held()
        expected = (window.log_id, window.id - 1, window.previous, self.identity())
        if held is None or (held.log_id, held.window_id, held.digest, held.identity) != expected:
            raise self._fenced(f"the sink's memory is {held}, not window {window.id - 1}")
        # Extended, not replaced: a window held twice must show.
        self.store.windows.setdefault(window.id, []).extend(self._staged[1])
        self.store.memory[self._key()] = replace(
            held,
            window_id=window.id,
            digest=window.digest,
            run_id=self._open().run_id,
            positions=window.positions,
            skips=len(window.skips),
        )
        self._staged = None

    def abandon(self, window: Window) -> None:
        """Forget what was staged."""
        self._staged = None

    def committed(self, window_id: int) -> None:
        """Rows are visible already."""

    def close(self) -> None:
        """Nothing to release."""
        self._staged = None

    def _open(self) -> SinkContext:
        assert self._context is not None, "open() comes first"
        return self._context

    def _key(self) -> tuple[str, str]:
        context = self._open()
        return context.pipeline, context.sink

    def _fenced(self, evidence: str) -> Fenced:
        return Fenced(pipeline=self._open().pipeline, evidence=evidence)
