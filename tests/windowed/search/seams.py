"""Where a driver meets the world: each call becomes one step, or two, handed to `perform`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow

from tests.windowed.search.world import Action
from windowed.testing.list_sink import ListSink, ListStore
from windowlog.naming import ADOPTIONS, PAIRINGS, SKIPS
from windowlog.wiring import Held, SinkIdentity, TargetState

if TYPE_CHECKING:
    from windowlog.contracts import Frame, SinkContext
    from windowlog.window import Window

Perform: TypeAlias = Callable[[Action], Any]


class SeamStorage:
    """windowlog.contracts.Storage, step by step. Every step may be the last thing a driver does."""

    def __init__(self, perform: Perform, folder: str) -> None:
        self._perform = perform
        self._folder = folder
        # No driver writes there: what nobody changes is no step.
        self._quiet = folder.endswith((SKIPS, ADOPTIONS, PAIRINGS))

    def read(self, name: str) -> bytes:
        """One step."""
        data = self._perform(Action("read", self._folder, name))
        assert isinstance(data, bytes), "a read gives bytes"
        return data

    def create(self, name: str, data: bytes) -> None:
        """Two steps: it shows, and it is durable."""
        self.begin(name, data)
        self._perform(Action("finish", self._folder, name))

    def begin(self, name: str, data: bytes) -> None:
        """The first of them."""
        self._perform(Action("begin", self._folder, name, data))

    def list(self) -> list[str]:
        """One step."""
        return [] if self._quiet else list(self._perform(Action("list", self._folder)))

    def rename(self, source: str, target: str) -> None:
        """Three steps: a link that shows, that is durable, and the old name gone."""
        self._perform(Action("link", self._folder, source, target))
        self._perform(Action("finish", self._folder, target))
        self._perform(Action("delete", self._folder, source))

    def move(self, source: str, target: str) -> None:
        """A rename in one step: by somebody who is no driver."""
        self._perform(Action("move", self._folder, source, target))

    def delete(self, name: str, *, durable: bool = True) -> None:
        """One step, or two when it is to be durable."""
        self._perform(Action("delete", self._folder, name))
        if durable:
            self._perform(Action("finish", self._folder, name))

    def sync(self, name: str | None = None) -> None:
        """One step."""
        if name is not None:
            self._perform(Action("sync", self._folder, name))
        elif not self._quiet:
            self._perform(Action("sync folder", self._folder))

    def within(self, folder: str) -> SeamStorage:
        """The same seam, further down."""
        return type(self)(self._perform, f"{self._folder}/{folder}")

    def describe(self) -> str:
        """The folder."""
        return self._folder

    def close(self) -> None:
        """Nobody else can see it: no step."""


class LedgerSeam:
    """A real ledger sink behind a seam: each call that touches its database is one step."""

    def __init__(self, perform: Perform, name: str, kind: type[ListSink] = ListSink) -> None:
        self._perform = perform
        self._name = name
        self._kind = kind
        self._context: SinkContext | None = None
        self._staged: Frame | None = None

    def identity(self) -> SinkIdentity:
        """As the sink's."""
        return self._kind().identity()

    def open(self, context: SinkContext) -> None:
        """Creates nothing: no step."""
        self._context = context

    def held(self) -> Held | None:
        """One step."""
        found: Held | None = self._step("held()", lambda sink: sink.held())
        return found

    def target(self) -> TargetState:
        """Nobody drops it: no step."""
        return TargetState(exists=True)

    def adopt(self, before: Held | None, after: Held) -> None:
        """One step."""
        self._step(f"adopt({before}, {after})", lambda sink: sink.adopt(before, after))

    def prepare(self, schema: pyarrow.Schema) -> None:
        """No step."""

    def stage(self, window: Window, frame: Frame) -> None:
        """In the driver's memory: no step."""
        self._staged = frame

    def hold(self, window: Window) -> None:
        """One step: a transaction."""
        frame = self._staged
        assert isinstance(frame, pyarrow.Table), "stage() comes first"

        def transaction(sink: ListSink) -> None:
            sink.stage(window, frame)
            sink.hold(window)

        self._step(f"hold({window} {frame.to_pylist()})", transaction)

    def abandon(self, window: Window) -> None:
        """In the driver's memory: no step."""

    def committed(self, window_id: int) -> None:
        """Rows are visible already: no step."""

    def close(self) -> None:
        """No step."""

    def _step(self, text: str, use: Callable[[ListSink], Any]) -> Any:
        context = self._context
        assert context is not None, "open() comes first"

        def call(store: ListStore) -> Any:
            sink = self._kind(store)
            sink.open(context)
            return use(sink)

        return self._perform(Action("call", self._name, text, repr(context), call))
