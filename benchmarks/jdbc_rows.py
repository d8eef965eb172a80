"""Rows to load, in the driver and in a spool, and our sink that loads them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import pyarrow
import pyarrow.compute as compute

from jdbc_sink import JdbcSink
from jdbc_sink.effects import Mode
from jdbc_sink.rows import Rows
from jdbc_sink.spool import save
from jdbc_sink.spool.files import Spool, take
from jdbc_sink.spool.source import SpoolWriter, options
from windowed.testing.sink_story import Story

NAME = "loaded"
# As Spark hands them to its tasks.
_ROWS_AT_ONCE = 10_000
_ROWS_PER_FILE = 10**6
_KEYS = 10_000_000


def table(count: int, start: int = 0) -> pyarrow.Table:
    """Ids, one of a thousand words, a number, a time."""
    ids = pyarrow.array(range(start, start + count), pyarrow.int64())
    some = compute.subtract(ids, compute.multiply(compute.divide(ids, 1000), 1000))
    return pyarrow.table(
        {
            "id": ids,
            "word": compute.binary_join_element_wise("word", some.cast(pyarrow.string()), ""),
            "number": compute.divide(ids.cast(pyarrow.float64()), 3.0),
            "moment": ids.cast(pyarrow.timestamp("us")),
        }
    )


def words(count: int, seed: int) -> pyarrow.Table:
    """So many different words, each with a number; half of them are those of the next seed too."""
    first = seed * count // 2
    names = [f"word{(first + number) * 7919 % _KEYS}" for number in range(count)]
    return pyarrow.table({"word": names, "n": pyarrow.array(range(count), pyarrow.int64())})


def spooled(count: int, folder: Path) -> Spool:
    """The rows of `table` as a spool of four tasks."""
    folder.mkdir()
    schema = table(1).schema
    job = SpoolWriter(options(str(folder), save.MANIFEST, schema, _ROWS_PER_FILE))

    def task(number: int) -> Iterator[pyarrow.RecordBatch]:
        start, end = count * number // 4, count * (number + 1) // 4
        for at in range(start, end, 10 * _ROWS_AT_ONCE):
            piece = table(min(10 * _ROWS_AT_ONCE, end - at), at)
            yield from piece.to_batches(max_chunksize=_ROWS_AT_ONCE)

    job.commit([job.write(task(number)) for number in range(4)])
    return take(folder, save.MANIFEST, schema)


@contextmanager
def _as_it_is() -> Iterator[None]:
    """A spool is taken as it is: that Spark writes one is another matter."""
    original = save.save
    save.save = lambda frame, *_: cast(Spool, frame)
    try:
        yield
    finally:
        save.save = original


@dataclass(frozen=True, slots=True)
class Loader:
    """Our sink on a new file."""

    kind: Literal["duckdb", "sqlite"]
    mode: Mode

    def loads(self, rows: Rows, after: pyarrow.Table | None = None) -> Callable[[Path], float]:
        """Hold one window of `rows`, after one of others that does not count; seconds with
        closing."""

        def work(path: Path) -> float:
            url = f"{self.kind}:///{path}"
            sink = JdbcSink(url, table=NAME, mode=self.mode, load="executors")
            story = Story(sink)
            story.open(sink)
            sink.adopt(None, story.beginning)
            sink.prepare(rows.schema)
            for frame in [] if after is None else [after]:
                window = story.window()
                sink.stage(window, frame)
                sink.hold(window)
            window = story.window()
            start_s = time.perf_counter()
            with _as_it_is():
                sink.stage(window, rows)
            sink.hold(window)
            sink.close()
            return time.perf_counter() - start_s

        return work
