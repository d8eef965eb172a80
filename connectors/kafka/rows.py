"""Records as rows, with the schema of Spark's own Kafka source. Sent to tasks by value, with
`columns` and nothing else of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

import pyarrow

from connectors.kafka.columns import HEADERS, Columns

_One = TypeVar("_One")
_TIME = "timestamp"
# What microseconds have room for.
_MILLISECONDS_MAX = (2**63 - 1) // 1000
# Chunks are joined up to here. One of Arrow's columns takes 2 GiB and no more, which a fetch of
# 256 KiB may be, where it is well compressed.
CHUNK_BYTES_MAX = 2**26

SCHEMA = pyarrow.schema(
    [
        ("key", pyarrow.binary()),
        ("value", pyarrow.binary()),
        ("topic", pyarrow.string()),
        ("partition", pyarrow.int32()),
        ("offset", pyarrow.int64()),
        (_TIME, pyarrow.timestamp("us", tz="UTC")),
        ("timestampType", pyarrow.int32()),
        ("headers", HEADERS),
    ]
)


class Unreadable(Exception):
    """A record that no row can hold: topic, partition, offset, and why."""

    def __str__(self) -> str:
        return "<unreadable record: {}:{}@{} {}>".format(*self.args)


def to_chunks(records: Sequence[Any], topic: str, partition: int) -> Iterator[pyarrow.RecordBatch]:
    """A row for each record of one partition: of Columns, and of kafka-python's own. In one chunk,
    unless they are large.

    A record without headers has null for them, as in Spark. Unreadable."""
    chunks = (_chunk(one, topic, partition) for one in _columns(records))
    for some in _together(chunks, lambda chunk: chunk.nbytes):
        if len(some) == 1:
            yield some[0]
        else:
            yield from pyarrow.Table.from_batches(some, SCHEMA).combine_chunks().to_batches()


def _columns(records: Sequence[Any]) -> Iterator[Columns]:
    for in_columns, some in groupby(records, lambda one: isinstance(one, Columns)):
        if in_columns:
            yield from some
        else:
            yield from map(_gathered, _together(some, _size))


def _together(all_: Iterable[_One], size_of: Callable[[_One], int]) -> Iterator[list[_One]]:
    """In their order, as many at a time as are not larger together than CHUNK_BYTES_MAX; one that
    is larger by itself alone."""
    some: list[_One] = []
    total = 0
    for one in all_:
        size = size_of(one)
        if some and total + size > CHUNK_BYTES_MAX:
            yield some
            some, total = [], 0
        some.append(one)
        total += size
    if some:
        yield some


def _size(record: Any) -> int:
    headers = sum(len(name) + len(value or b"") for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers


def _gathered(records: Sequence[Any]) -> Columns:
    return Columns(
        [record.offset for record in records],
        [record.timestamp for record in records],
        [record.timestamp_type for record in records],
        pyarrow.array([record.key for record in records], pyarrow.binary()),
        pyarrow.array([record.value for record in records], pyarrow.binary()),
        _headers(records),
    )


def _chunk(columns: Columns, topic: str, partition: int) -> pyarrow.RecordBatch:
    count = len(columns)
    found = [
        columns.keys,
        columns.values,
        pyarrow.repeat(pyarrow.scalar(topic, pyarrow.string()), count),
        pyarrow.repeat(pyarrow.scalar(partition, pyarrow.int32()), count),
        pyarrow.array(columns.offsets, pyarrow.int64()),
        _moments(columns, topic, partition),
        pyarrow.array(columns.time_types, pyarrow.int32()),
        columns.headers,
    ]
    return pyarrow.RecordBatch.from_arrays(found, schema=SCHEMA)


def _moments(columns: Columns, topic: str, partition: int) -> pyarrow.Array:
    try:
        milliseconds = pyarrow.array(columns.times, pyarrow.int64())
        return milliseconds.cast(pyarrow.timestamp("ms", tz="UTC")).cast(SCHEMA.field(_TIME).type)
    except (pyarrow.ArrowInvalid, OverflowError):
        # Producers send what they like: nanoseconds, too.
        for offset, time in zip(columns.offsets, columns.times, strict=True):
            if abs(time or 0) > _MILLISECONDS_MAX:
                why = f"has the timestamp {time}, which is none in milliseconds"
                raise Unreadable(topic, partition, offset, why) from None
        raise


def _headers(records: Sequence[Any]) -> pyarrow.Array:
    if not any(record.headers for record in records):
        return pyarrow.nulls(len(records), HEADERS)
    rows = [
        [{"key": name, "value": value} for name, value in record.headers] or None
        for record in records
    ]
    return pyarrow.array(rows, HEADERS)
