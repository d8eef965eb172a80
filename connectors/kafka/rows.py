"""Records as rows, with the schema of Spark's own Kafka source. Sent to tasks by value: it uses
nothing else of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow

_TIME = "timestamp"
# What microseconds have room for.
_MILLISECONDS_MAX = (2**63 - 1) // 1000
_HEADER = pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())])

SCHEMA = pyarrow.schema(
    [
        ("key", pyarrow.binary()),
        ("value", pyarrow.binary()),
        ("topic", pyarrow.string()),
        ("partition", pyarrow.int32()),
        ("offset", pyarrow.int64()),
        (_TIME, pyarrow.timestamp("us", tz="UTC")),
        ("timestampType", pyarrow.int32()),
        ("headers", pyarrow.list_(_HEADER)),
    ]
)


class Unreadable(Exception):
    """A record that no row can hold: topic, partition, offset, and why."""

    def __str__(self) -> str:
        return "<unreadable record: {}:{}@{} {}>".format(*self.args)


def to_chunk(records: Sequence[Any], topic: str, partition: int) -> pyarrow.RecordBatch:
    """A row for each of kafka-python's records of one partition.

    A record without headers has null for them, as in Spark. Unreadable."""
    count = len(records)
    columns = [
        pyarrow.array([record.key for record in records], pyarrow.binary()),
        pyarrow.array([record.value for record in records], pyarrow.binary()),
        pyarrow.repeat(pyarrow.scalar(topic, pyarrow.string()), count),
        pyarrow.repeat(pyarrow.scalar(partition, pyarrow.int32()), count),
        pyarrow.array([record.offset for record in records], pyarrow.int64()),
        _moments(records, topic, partition),
        pyarrow.array([record.timestamp_type for record in records], pyarrow.int32()),
        _headers(records),
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _moments(records: Sequence[Any], topic: str, partition: int) -> pyarrow.Array:
    milliseconds = pyarrow.array([record.timestamp for record in records], pyarrow.int64())
    try:
        return milliseconds.cast(pyarrow.timestamp("ms", tz="UTC")).cast(SCHEMA.field(_TIME).type)
    except pyarrow.ArrowInvalid:
        # Producers send what they like: nanoseconds, too.
        for record in records:
            if abs(record.timestamp or 0) > _MILLISECONDS_MAX:
                why = f"has the timestamp {record.timestamp}, which is none in milliseconds"
                raise Unreadable(topic, partition, record.offset, why) from None
        raise


def _headers(records: Sequence[Any]) -> pyarrow.Array:
    kind = SCHEMA.field("headers").type
    if not any(record.headers for record in records):
        return pyarrow.nulls(len(records), kind)
    rows = [
        [{"key": name, "value": value} for name, value in record.headers] or None
        for record in records
    ]
    return pyarrow.array(rows, kind)
