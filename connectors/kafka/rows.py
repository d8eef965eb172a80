"""Records as rows, with the schema of Spark's own Kafka source. Sent to tasks by value: it uses
nothing else of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow

_HEADER = pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())])

SCHEMA = pyarrow.schema(
    [
        ("key", pyarrow.binary()),
        ("value", pyarrow.binary()),
        ("topic", pyarrow.string()),
        ("partition", pyarrow.int32()),
        ("offset", pyarrow.int64()),
        ("timestamp", pyarrow.timestamp("us", tz="UTC")),
        ("timestampType", pyarrow.int32()),
        ("headers", pyarrow.list_(_HEADER)),
    ]
)


def to_chunk(records: Sequence[Any], topic: str, partition: int) -> pyarrow.RecordBatch:
    """A row for each of kafka-python's records of one partition.

    A record without headers has null for them, as in Spark."""
    count = len(records)
    milliseconds = pyarrow.array([record.timestamp for record in records], pyarrow.int64())
    columns = [
        pyarrow.array([record.key for record in records], pyarrow.binary()),
        pyarrow.array([record.value for record in records], pyarrow.binary()),
        pyarrow.repeat(pyarrow.scalar(topic, pyarrow.string()), count),
        pyarrow.repeat(pyarrow.scalar(partition, pyarrow.int32()), count),
        pyarrow.array([record.offset for record in records], pyarrow.int64()),
        milliseconds.cast(pyarrow.timestamp("ms", tz="UTC")).cast(SCHEMA.field("timestamp").type),
        pyarrow.array([record.timestamp_type for record in records], pyarrow.int32()),
        _headers(records),
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _headers(records: Sequence[Any]) -> pyarrow.Array:
    kind = SCHEMA.field("headers").type
    if not any(record.headers for record in records):
        return pyarrow.nulls(len(records), kind)
    rows = [
        [{"key": name, "value": value} for name, value in record.headers] or None
        for record in records
    ]
    return pyarrow.array(rows, kind)
