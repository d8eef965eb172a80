"""Rows on their way to Spark's tasks."""

from __future__ import annotations

import pyarrow
import pytest

from connectors import tasks
from connectors.tasks import Chunks

SCHEMA = pyarrow.schema([("n", pyarrow.int64())])


def chunk(start: int, rows: int) -> pyarrow.RecordBatch:
    """Numbers from `start` on, eight bytes each."""
    return pyarrow.record_batch([pyarrow.array(range(start, start + rows))], schema=SCHEMA)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),
        ([3], [3]),
        ([3, 3], [6]),
        ([4] * 30, [100, 20]),
        ([100, 100, 1], [100, 100, 1]),
        ([1, 100, 1], [101, 1]),
        ([0, 0], [0]),
    ],
    ids=str,
)
def test_small_chunks_become_few_large_ones(
    monkeypatch: pytest.MonkeyPatch, sizes: list[int], expected: list[int]
) -> None:
    """In their order; a large one is not joined with what comes behind it."""
    monkeypatch.setattr(tasks, "CHUNK_BYTES", 800)
    chunks, start = Chunks(SCHEMA), 0
    for size in sizes:
        chunks.add(chunk(start, size))
        start += size
    table = chunks.table()
    assert [one.num_rows for one in table.to_batches()] == [size for size in expected if size]
    assert table.column("n").to_pylist() == list(range(start))


def test_nothing_is_one_chunk_of_nothing() -> None:
    """Spark takes no table without a chunk: each empty window was an error of Arrow's."""
    assert Chunks(SCHEMA).table().column("n").num_chunks == 1


def test_a_large_chunk_is_kept_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not copied: a window's rows are in memory once."""
    monkeypatch.setattr(tasks, "CHUNK_BYTES", 800)
    chunks, large = Chunks(SCHEMA), chunk(0, 1_000)
    chunks.add(large)
    assert chunks.all()[0].column(0).buffers()[1].address == large.column(0).buffers()[1].address
