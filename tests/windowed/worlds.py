"""Small worlds that tests break as a person would: a folder of lines, a database, a window log.

`FileWorld` is real: files, a DuckDB file, a log folder. Each line is a window of its own, so what a
window holds can be written down by hand. A pipeline over it is found by the commands like any
other: by a function with literal arguments.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow

from connectors import FileInput
from jdbc_sink import JdbcSink, accumulate
from windowed import Pipeline
from windowed.commands.app import main

# Input -> folder; sink -> (database, table, what `count` does with a key that is there).
INPUTS = {"lines": "in"}
SINKS = {"counts": ("counts.duckdb", "word_counts", "add")}


def pipeline(
    root: str,
    inputs: Mapping[str, str] = INPUTS,
    sinks: Mapping[str, tuple[str, str, str]] = SINKS,
    state: str = "state",
    keep: int = 0,
) -> Pipeline:
    """Lines → words and how often they come → tables."""
    words = f"{root!r}, {dict(inputs)!r}, {dict(sinks)!r}, {state!r}, {keep}"
    return Pipeline(
        "words",
        inputs={
            name: FileInput(Path(root, folder), max_bytes_per_window=1, quiet_s=0)
            for name, folder in inputs.items()
        },
        transform=count_words,
        sinks={
            name: JdbcSink(
                f"duckdb:///{root}/{database}",
                table=table,
                mode=accumulate(key=["word"], **{how: ["count"]}),
            )
            for name, (database, table, how) in sinks.items()
        },
        log=Path(root, state),
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
