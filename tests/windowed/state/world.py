"""A pipeline that counts words, window by window, with what it has counted in its state; and the
same, counted by hand.

A window's words are put with their count so far; `!word` takes a word out of the state. Each sink
gets what was put: a wrong state shows in the sinks' rows of every later window.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow
import pytest

from windowed.pipeline import Pipeline
from windowed.state import NextState, State
from windowed.testing.crash import Crash
from windowed.testing.list_sink import ListSink, ListStore
from windowed.testing.rows import RowsInput
from windowed.testing.storage_state import StorageState
from windowlog import naming
from windowlog.contracts import Sink, Storage
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.window import Window

SCHEMA = "word string, n bigint"
_ARROW = pyarrow.schema([("word", pyarrow.string()), ("n", pyarrow.int64())])
Rows = list[tuple[str, int]]


def words(*windows: str) -> list[list[tuple[str]]]:
    """Windows of an input, each a text of words."""
    return [[(word,) for word in window.split()] for window in windows]


def table(*rows: tuple[str | None, int | None]) -> pyarrow.Table:
    """Rows of a state."""
    columns = {"word": [row[0] for row in rows], "n": [row[1] for row in rows]}
    return pyarrow.table(columns, schema=_ARROW)


def count(lines: pyarrow.Table, state: State) -> tuple[pyarrow.Table, NextState]:
    """The transform."""
    before: Any = state.frame
    known = {row["word"]: row["n"] for row in before.to_pylist()}
    found = Counter(lines["word"].to_pylist())
    gone = [(word[1:], None) for word in found if word.startswith("!")]
    put = [(w, known.get(w, 0) + n) for w, n in sorted(found.items()) if not w.startswith("!")]
    if not found:
        return table(), state.unchanged()
    return table(*put), state.change(put=table(*put), delete=table(*gone))


def by_hand(windows: Sequence[Sequence[tuple[str]]]) -> tuple[list[Rows], dict[str, int]]:
    """What the sinks get of each window, and the state after the last one."""
    state: dict[str, int] = {}
    outputs = []
    for window in windows:
        put = [word for (word,) in window if not word.startswith("!")]
        for (word,) in window:
            if word.startswith("!") and word[1:] not in put:
                state.pop(word[1:], None)
        for word in put:
            state[word] = state.get(word, 0) + 1
        outputs.append(sorted({(word, state[word]) for word in put}))
    return outputs, state


class World:
    """What lasts when a driver dies: the input, the log, the sinks' stores and the state's
    storage."""

    def __init__(
        self,
        *windows: str,
        sinks: Sequence[str] = ("out",),
        storage: Storage | None = None,
        log: Storage | None = None,
    ) -> None:
        self.windows: list[Any] = words(*windows)
        self.log: Storage = log if log is not None else MemoryStorage()
        self.storage: Storage = storage if storage is not None else MemoryStorage()
        self.stores = {name: ListStore() for name in sinks}

    def add(self, *windows: str) -> None:
        """More words are there to be read."""
        self.windows += words(*windows)

    def pipeline(self, every: int | None = 1, **given: Any) -> Pipeline:
        """As a driver that starts now would make it."""
        sinks: dict[str, Sink] = {n: ListSink(store) for n, store in self.stores.items()}
        given.setdefault("sinks", sinks)
        given.setdefault("log", WindowLog(self.log))
        given.setdefault("state", self.state())
        given.setdefault("transform", count)
        given.setdefault("inputs", {"lines": RowsInput(self.windows, schema="word string")})
        return Pipeline("counting", checkpoint_every=every, **given)

    def state(self, storage: Storage | None = None, schema: str = SCHEMA) -> StorageState:
        """The store of the state, of a driver of its own."""
        return StorageState(schema, key=["word"], storage=storage or self.storage)

    def run(self, every: int | None = 1, **given: Any) -> None:
        """Run until all is drained."""
        listeners = given.pop("listeners", ())
        self.pipeline(every, **given).run(None, progress=False, listeners=listeners)

    def crash(self, at: int, every: int = 1, **given: Any) -> None:
        """A driver that dies when it transforms window `at`."""

        def transform(lines: pyarrow.Table, state: State, window: Window) -> Any:
            if window.id == at:
                raise Crash(f"in window {at}")
            return count(lines, state)

        with pytest.raises(Crash):
            self.run(every, transform=transform, **given)

    @property
    def log_id(self) -> str:
        """Of the log as it is now."""
        log = WindowLog(self.log)
        return log.open("counting", "reader").log_id

    def held(self, sink: str = "out") -> list[Rows]:
        """What a sink holds, window by window."""
        windows = self.stores[sink].windows
        return [sorted((r["word"], r["n"]) for r in windows[n]) for n in sorted(windows)]

    def records(self) -> dict[tuple[int, int], bytes]:
        """The checkpoints' records by window and attempt."""
        place = self.storage.within(self.log_id).within("checkpoints")
        found = [key for name in place.list() if (key := naming.parse(name)) is not None]
        return {key: place.read(naming.numbered(*key)) for key in sorted(found)}

    def staged(self) -> list[str]:
        """The names of all rows of states, saved or not."""
        return self.storage.within(self.log_id).within("states").list()

    def saved(self, window_id: int, attempt: int = 0) -> dict[str, int]:
        """The state that a checkpoint's record names, read past the store: its rows are a stream of
        Arrow's."""
        folder = self.folder(window_id, attempt)
        if not folder:
            return {}
        log_id, states, name = folder.split("/")
        data = self.storage.within(log_id).within(states).read(name)
        rows = pyarrow.ipc.open_stream(data).read_all().to_pylist()
        assert len({row["word"] for row in rows}) == len(rows), "each key once"
        return {row["word"]: row["n"] for row in rows}

    def is_right(self, *, saved: bool = True) -> None:
        """Sinks and newest checkpoint are what was counted by hand, and nothing is left over."""
        outputs, state = by_hand(self.windows)
        for name in self.stores:
            assert self.held(name) == outputs, name
        if saved:
            newest = max(self.records())
            assert newest[0] == len(self.windows)
            assert self.saved(*newest) == state

    def folder(self, window_id: int, attempt: int = 0) -> str:
        """The rows that a checkpoint's record names; "" if there are none."""
        text = self.records()[window_id, attempt].decode("latin-1")
        return text.partition('"folder": "')[2].partition('"')[0]

    def damage(self, window_id: int, attempt: int = 0, *, what: str = "record") -> None:
        """Change a bit of a checkpoint's record or rows, or lose its rows."""
        place = self.storage.within(self.log_id).within("checkpoints")
        name = naming.numbered(window_id, attempt)
        if what != "record":
            log_id, states, name = self.folder(window_id, attempt).split("/")
            place = self.storage.within(log_id).within(states)
        data = bytearray(place.read(name))
        data[len(data) // 2] ^= 1
        place.delete(name)
        if what != "lost rows":
            place.create(name, bytes(data))
