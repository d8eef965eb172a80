"""The same totals without Spark, in a place on this machine or on HDFS, with a `moment` in every
step that a driver takes there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow

from file_sink import FileState
from file_sink.tree import Tree
from tests.file_sink.hdfs_world import WatchedHdfs
from tests.file_sink.state.totals import WINDOWS, expected, held, rows_of
from tests.file_sink.world import Moment, Told, WatchedTree
from windowed import Pipeline, State
from windowed.testing import ListSink, RowsInput
from windowed.testing.list_sink import ListStore
from windowlog import WindowLog
from windowlog.contracts import Storage
from windowlog.storage import MemoryStorage

ARROW = pyarrow.schema([("word", pyarrow.string()), ("n", pyarrow.int64())])


def table_of(counts: dict[str, int]) -> pyarrow.Table:
    """Words and numbers."""
    return pyarrow.table({"word": list(counts), "n": list(counts.values())}, schema=ARROW)


def totals(lines: pyarrow.Table, state: State) -> Any:
    """The new totals of this window's words."""
    known: Any = state.frame
    total: Counter[str] = Counter({row["word"]: row["n"] for row in known.to_pylist()})
    words = lines.column("word").to_pylist()
    total.update(words)
    put = table_of({word: total[word] for word in dict.fromkeys(words)})
    return put, state.change(put=put)


@dataclass
class ArrowWorld:
    """`place` is a folder of this machine, or, with `url`, of HDFS; `via` where the driver reaches
    that."""

    place: Path
    url: str = ""
    via: str = ""
    every: int = 2
    transform: Any = totals
    windows: list[str] = field(default_factory=lambda: [*WINDOWS])
    storage: Storage = field(default_factory=MemoryStorage)
    stores: dict[str, ListStore] = field(default_factory=lambda: {n: ListStore() for n in "ab"})

    def driver(self, moment: Moment | None = None) -> Pipeline:
        """A new one. Two sinks: one may hold a window that the other lacks."""
        return Pipeline(
            "totals",
            inputs={"lines": RowsInput(rows_of(self.windows), schema="word string")},
            transform=self.transform,
            sinks={name: ListSink(store) for name, store in self.stores.items()},
            log=WindowLog(self.storage if moment is None else Told(self.storage, moment)),
            state=self.state(moment),
            checkpoint_every=self.every,
        )

    def state(self, moment: Moment | None = None) -> FileState:
        """As the driver has it."""
        tree: Tree | str | None
        if not self.url:
            tree = WatchedTree(moment) if moment is not None else None
            return FileState(self.place / "state", schema=ARROW, key="word", storage=tree)
        url = urlsplit(self.url)
        reached = self.via or f"webhdfs://{url.netloc}"
        tree = WatchedHdfs(reached, moment) if moment is not None else reached
        path = f"hdfs://cluster{url.path}/state"
        return FileState(path, schema=ARROW, key="word", storage=tree)

    def drain(self) -> None:
        """A new driver, to the end."""
        self.driver().run(None, progress=False)

    def check(self) -> None:
        """Each sink has each window, with totals as counted by hand."""
        for name, store in self.stores.items():
            assert held(ListSink(store)) == expected(self.windows), name
