"""Small worlds that tests break as a person would: rows to read, places to write, a window log.

`FileWorld` is real: files, a DuckDB file, a log folder. `RowsWorld` is in memory, so that it can be
killed at each of its steps. In both each line or row is a window of its own, so what a window holds
can be written down by hand. Their pipelines are found by the commands like any other: by a function
with literal arguments.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow

from connectors import FileInput
from jdbc_sink import JdbcSink, accumulate
from jdbc_sink.effects import Mode
from windowed import Pipeline
from windowed.commands.app import main
from windowed.state import NextState, State
from windowed.testing import StorageState
from windowed.testing.crash import Fuse, fused
from windowed.testing.list_sink import ListSink, ListStore
from windowed.testing.rows import RowsInput
from windowlog import WindowLog
from windowlog.storage.local import LocalStorage
from windowlog.storage.memory import MemoryStorage

# Input -> folder; sink -> (database, table, what `count` does with a key that is there).
INPUTS = {"lines": "in"}
SINKS = {"counts": ("counts.duckdb", "word_counts", "add")}


HOW: Mapping[str, Callable[[list[str]], Mode]] = {
    "add": lambda columns: accumulate(key=["word"], add=columns),
    "min": lambda columns: accumulate(key=["word"], min=columns),
    "max": lambda columns: accumulate(key=["word"], max=columns),
}


def pipeline(
    root: str,
    inputs: Mapping[str, str] = INPUTS,
    sinks: Mapping[str, tuple[str, str, str]] = SINKS,
    state: str = "state",
    keep: int = 0,
    kept: str = "",
    columns: str = "lines long",
) -> Pipeline:
    """Lines → words and how often they come → tables. With `kept`, the folder of a state with these
    columns, each line has one more word: the how manieth it is."""
    words = f"{root!r}, {dict(inputs)!r}, {dict(sinks)!r}, {state!r}, {keep}, {kept!r}, {columns!r}"
    saved = StorageState(columns, storage=LocalStorage(Path(root, kept))) if kept else None
    return Pipeline(
        "words",
        inputs={
            name: FileInput(Path(root, folder), max_bytes_per_window=1, quiet_s=0)
            for name, folder in inputs.items()
        },
        transform=count_words if saved is None else count_words_and_lines,
        sinks={
            name: JdbcSink(
                f"duckdb:///{root}/{database}",
                table=table,
                mode=HOW[how](["count"]),
            )
            for name, (database, table, how) in sinks.items()
        },
        log=Path(root, state),
        state=saved,
        checkpoint_every=1 if saved is not None else None,
        keep=keep,
        locator=f"tests.windowed.worlds:pipeline({words})",
    )


def count_words(**frames: pyarrow.Table) -> pyarrow.Table:
    """Words of all inputs' lines."""
    words: Counter[str] = Counter()
    for frame in frames.values():
        for line in frame.column("value").to_pylist():
            words.update(line.split())
    schema = pyarrow.schema([("word", pyarrow.string()), ("count", pyarrow.int64())])
    return pyarrow.table({"word": list(words), "count": list(words.values())}, schema=schema)


def count_words_and_lines(state: State, **frames: pyarrow.Table) -> tuple[pyarrow.Table, NextState]:
    """Words of all inputs' lines, and for each line `nth1`, `nth2` …: the state has how many lines
    there were before."""
    words = count_words(**frames)
    assert isinstance(state.frame, pyarrow.Table), "without Spark"
    seen = sum(state.frame.column(0).to_pylist())
    more = sum(frame.num_rows for frame in frames.values())
    nth = [f"nth{seen + number}" for number in range(1, more + 1)]
    added = pyarrow.table({"word": nth, "count": [1] * more}, schema=words.schema)
    after = pyarrow.table([[seen + more]], schema=state.frame.schema)
    return pyarrow.concat_tables([words, added]), state.replace(after)


# Windows of rows of one number.
Numbers = list[list[tuple[int]]]

RUNNING: dict[str, Pipeline] = {}


def running(name: str) -> Pipeline:
    """A pipeline in memory, as a RowsWorld made it last."""
    return RUNNING[name]


class RowsWorld:
    """Rows of one number each, sinks that are lists, a log in memory. All of it lasts when a driver
    dies. `inputs` and `stores` may be changed like a pipeline's inputs and sinks."""

    def __init__(self, name: str, count: int, sinks: tuple[str, ...] = ("out",)) -> None:
        self.name = name
        self.rows: Numbers = [[(number,)] for number in range(1, count + 1)]
        self.inputs = {"rows": self.rows}
        self.log = MemoryStorage()
        self.stores = {sink: ListStore() for sink in sinks}

    def pipeline(self, fuse: Fuse | None = None) -> Pipeline:
        """As a driver that starts now would make it, and as the commands find it."""
        made = Pipeline(
            "numbers",
            inputs={name: RowsInput(rows, schema="n long") for name, rows in self.inputs.items()},
            transform=lambda **frames: pyarrow.concat_tables(frames.values()),
            sinks={sink: ListSink(store) for sink, store in self.stores.items()},
            log=WindowLog(self.log),
            keep=10,
        )
        if fuse is not None:
            made = fused(made, fuse)
        RUNNING[self.name] = made
        return made

    def command(self, verb: str, *words: str, fuse: Fuse | None = None) -> int:
        """Run a command on this pipeline."""
        self.pipeline(fuse)
        return command(verb, f"tests.windowed.worlds:running({self.name!r})", *words)

    def add(self, count: int) -> None:
        """More rows, counting on."""
        start = len(self.rows) + 1
        self.rows += [[(number,)] for number in range(start, start + count)]

    def run(self) -> None:
        """Run until all is drained."""
        self.pipeline().run(None, progress=False)

    def lose_log(self) -> None:
        """The log's folder is gone."""
        self.log = MemoryStorage()

    def held(self, sink: str = "out") -> list[int]:
        """The numbers that a sink holds, in order."""
        windows = self.stores[sink].windows
        return [row["n"] for window_id in sorted(windows) for row in windows[window_id]]


class Interloper(Fuse):
    """Does something else just before one moment of a command."""

    def __init__(self, name: str, action: Callable[[], Any]) -> None:
        super().__init__()
        self._name = name
        self._action = action

    def call(self, name: str, action: Callable[[], Any]) -> Any:
        """Once."""
        if name == self._name and not self.dead:
            self.dead = True
            self._action()
        return action()


class FileWorld:
    """The world at `root`. `wiring` is how its pipeline is made at this moment."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.wiring: dict[str, Any] = {"inputs": dict(INPUTS), "sinks": dict(SINKS)}
        self.folder("in").mkdir(parents=True)

    def folder(self, name: str) -> Path:
        """A folder of this world."""
        return self.root / name

    @property
    def state(self) -> Path:
        """The window log's folder."""
        return self.root / "state"

    @property
    def database(self) -> Path:
        """The database's file."""
        return self.root / "counts.duckdb"

    def pipeline(self) -> Pipeline:
        """As a driver that starts now would make it."""
        return pipeline(str(self.root), **self.wiring)

    @property
    def locator(self) -> str:
        """What the commands call it."""
        return self.pipeline().parts.locator

    def write(self, *lines: str, folder: str = "in", file: str = "a.txt") -> None:
        """Append lines to a file of the folder."""
        with self.folder(folder).joinpath(file).open("a") as stream:
            stream.writelines(f"{line}\n" for line in lines)

    def run(self) -> None:
        """Run until all is drained."""
        self.pipeline().run(None, progress=False)

    def counts(self, table: str = "word_counts") -> dict[str, int]:
        """What the table holds; empty if it is not there."""
        return dict(self.sql(f"FROM {table}")) if self.has(table) else {}

    def has(self, table: str) -> bool:
        """Is there such a table?"""
        found = self.sql(f"SELECT 1 FROM duckdb_tables() WHERE table_name = '{table}'")
        return bool(found)

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask or change the database, as a person would."""
        with duckdb.connect(self.database) as connection:
            return connection.execute(statement).fetchall()

    def back_up(self, path: Path) -> Path:
        """Copy a file or folder; where the copy is."""
        copy = path.with_name(f"{path.name}.backup")
        (shutil.copytree if path.is_dir() else shutil.copy2)(path, copy)
        return copy

    def restore(self, copy: Path) -> None:
        """Put a copy in the place of what is there."""
        path = copy.with_name(copy.name.removesuffix(".backup"))
        if path.is_dir():
            shutil.rmtree(path)
        copy.replace(path)

    def flip(self, path: Path) -> None:
        """Change one byte in the middle of a file."""
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(bytes(data))

    def plan(self, window_id: int) -> Path:
        """The record of a plan."""
        return self.state / "windows" / f"{window_id:012d}.json"

    def bytes(self) -> dict[str, bytes]:
        """Every file there is, and what is in it."""
        files = (path for path in self.root.rglob("*") if path.is_file())
        return {str(path): path.read_bytes() for path in files}


def counted(*lines: str) -> dict[str, int]:
    """Words of these lines, counted by hand."""
    return dict(Counter(word for line in lines for word in line.split()))


def command(*words: str) -> int:
    """Run a command in this process: its exit status. Its output is the caller's to capture."""
    return main(words)
