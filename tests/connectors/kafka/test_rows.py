"""Chunks of rows: none is lost where they are large. A time that no row can hold has a place."""

from __future__ import annotations

import mmap
import struct
from types import SimpleNamespace
from typing import Any

import pyarrow
import pytest

from connectors.kafka import rows
from connectors.kafka.columns import HEADERS, Columns
from connectors.kafka.rows import Unreadable, to_chunks
from tests.connectors.kafka.test_columns import TIMES, of_kafka_python, of_ours, packed

MIB = 2**20


def columns_of(count: int, size: int, first: int) -> Columns:
    """So many values of so many bytes each. Memory that nobody touches takes no room."""
    ends = pyarrow.array([size * at for at in range(count + 1)], pyarrow.int32())
    data = pyarrow.py_buffer(mmap.mmap(-1, size * count))
    values = pyarrow.BinaryArray.from_buffers(
        pyarrow.binary(), count, [None, ends.buffers()[1], data]
    )
    keys, headers = pyarrow.nulls(count, pyarrow.binary()), pyarrow.nulls(count, HEADERS)
    return Columns(
        list(range(first, first + count)), [0] * count, [0] * count, keys, values, headers
    )


def records(*sizes: int) -> list[Any]:
    """As kafka-python gives them one by one."""
    common = {"key": None, "timestamp": 5, "timestamp_type": 0, "headers": [("h", b"")]}
    return [SimpleNamespace(**common, offset=at, value=b"x" * n) for at, n in enumerate(sizes)]


def test_packets_that_are_more_than_a_column_takes_are_all_there() -> None:
    """Of one fetch, well compressed: Arrow joins 2 GiB of a column, and makes two of more."""
    found = list(to_chunks([columns_of(20, 60 * MIB, first) for first in (0, 20)], "t", 0))
    offsets = [offset for chunk in found for offset in chunk.column("offset").to_pylist()]
    assert offsets == list(range(40))


def test_records_one_by_one_are_all_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """In chunks that are no larger than they may be, but for one that is so alone."""
    monkeypatch.setattr(rows, "CHUNK_BYTES_MAX", 100)
    found = list(to_chunks(records(30, 30, 30, 300, 10, 20), "t", 0))
    assert [chunk.column("offset").to_pylist() for chunk in found] == [[0, 1, 2], [3], [4, 5]]


def test_small_packets_and_records_are_one_chunk() -> None:
    """Small ones are joined: each chunk costs time."""
    some = [columns_of(3, 10, 0), *records(1, 2), columns_of(3, 10, 3)]
    [chunk] = to_chunks(some, "t", 0)
    assert chunk.column("offset").to_pylist() == [0, 1, 2, 0, 1, 3, 4, 5]


@pytest.mark.parametrize(("first", "since"), [(2**63 - 1, 5), (-(2**63), -5)])
@pytest.mark.parametrize("way", [of_ours, of_kafka_python])
def test_a_time_beyond_64_bits_is_told_with_its_place(way: Any, first: int, since: int) -> None:
    """A packet's time and what a record adds to it may be more than fits."""
    data = packed([(0, None, b"one", []), (since, None, b"two", [])])
    struct.pack_into(">q", data, TIMES, first)
    with pytest.raises(Unreadable, match="t:3@0 has the timestamp"):
        way(data)
