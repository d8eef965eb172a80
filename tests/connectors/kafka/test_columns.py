"""Columns of packets, against what kafka-python makes of the same bytes."""

from __future__ import annotations

import struct
from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.errors import CorruptRecordError
from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder

from connectors.kafka.columns import columns
from connectors.kafka.rows import to_chunks

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
FAR = 2**62
# Where the header of a packet has its base offset, attributes and times.
BASE, ATTRIBUTES, TIMES = 0, 21, 27
SENT_MS = 1_700_000_000_000

_bytes = st.none() | st.binary(max_size=5) | st.binary(min_size=60, max_size=70)
_headers = st.lists(st.tuples(st.text(max_size=4), _bytes), max_size=3)
_times = st.integers(0, 2**40) | st.integers(SENT_MS, SENT_MS + 1000)
_records = st.lists(st.tuples(_times, _bytes, _bytes, st.just([]) | _headers), max_size=20)


def packed(records: Any, codec: str = "none", offsets: Any = None) -> bytearray:
    """As a producer sends them: (milliseconds, key, value, headers) of each."""
    offsets = range(len(records)) if offsets is None else offsets
    builder = DefaultRecordBatchBuilder(2, CODECS[codec], False, -1, -1, -1, 2**20)
    for offset, record in zip(offsets, records, strict=True):
        assert builder.append(offset, *record) is not None
    return bytearray(builder.build())


def of_kafka_python(data: bytearray, start: int = 0, end: int = FAR) -> pyarrow.RecordBatch:
    """Its own records, as rows."""
    records = [one for one in DefaultRecordBatch(data) if start <= one.offset < end]
    return next(to_chunks(records, "t", 3))


def of_ours(data: bytearray, start: int = 0, end: int = FAR) -> pyarrow.RecordBatch | None:
    """The columns, as rows."""
    found = columns(DefaultRecordBatch(data), start, end)
    return None if found is None else next(to_chunks([found], "t", 3))


def two_records(one: bytes, other: bytes) -> bytearray:
    """A packet of two, byte by byte."""
    body = DefaultRecordBatch.HEADER_STRUCT.size
    data = packed([(0, None, b"", [])])[:body] + one + other
    struct.pack_into(">i", data, body - 4, 2)
    return data


@pytest.mark.parametrize("codec", CODECS)
@given(records=_records.filter(bool))
def test_all_records_are_there_as_kafka_python_has_them(codec: str, records: Any) -> None:
    """Keys, values, headers, times, offsets; null where there is none."""
    data = packed(records, codec)
    assert of_ours(data) == of_kafka_python(data)


@given(
    records=st.lists(st.just((SENT_MS, None, b"value", [])), min_size=1, max_size=12),
    gaps=st.lists(st.integers(1, 300), min_size=12, max_size=12),
    bounds=st.tuples(st.integers(0, 900), st.integers(0, 900)),
    base=st.integers(0, 2**61),
)
def test_only_the_range_is_taken(records: Any, gaps: list[int], bounds: Any, base: int) -> None:
    """Of a packet with holes, as compaction leaves it, far behind in a topic."""
    offsets = [sum(gaps[:at]) for at in range(len(records))]
    data = packed(records, offsets=offsets)
    struct.pack_into(">q", data, BASE, base)
    start, end = (base + bound for bound in bounds)
    expected = [base + offset for offset in offsets if start <= base + offset < end]
    found = columns(DefaultRecordBatch(data), start, end)
    assert found is not None
    assert found.offsets == expected
    assert len(found.keys) == len(found.values) == len(found.headers) == len(expected)


def test_where_the_broker_sets_the_time_it_is_the_packets() -> None:
    """Log-append time: what records say of themselves does not count."""
    data = packed([(SENT_MS + at, None, b"", []) for at in range(20)])
    struct.pack_into(">h", data, ATTRIBUTES, 0x08)
    struct.pack_into(">qq", data, TIMES, SENT_MS, SENT_MS + 7000)
    found = of_ours(data)
    assert found == of_kafka_python(data)
    assert found is not None
    assert found.column("timestampType").to_pylist() == [1] * 20
    assert {time.timestamp() * 1000 for time in found.column("timestamp").to_pylist()} == {
        SENT_MS + 7000
    }


@given(records=_records.filter(bool), at=st.integers(0), to=st.integers(0, 255))
def test_a_byte_that_was_changed_gives_what_kafka_python_gives_or_nothing(
    records: Any, at: int, to: int
) -> None:
    """Whatever is odd is left to it: no other rows, and no other error."""
    data = packed(records)
    body = DefaultRecordBatch.HEADER_STRUCT.size
    data[body + at % (len(data) - body)] = to
    found = of_ours(data)
    if found is not None:
        assert found == of_kafka_python(data)


# Length, attributes, time, offset, no key, the length of a value, its byte, no header.
PLAIN = b"\x0e\0\0\0\x01\x02x\0"
NEXT = b"\x0e\0\0\x02\x01\x02x\0"
ODD = {
    "a length that is too long": (b"\x10\0\0\0\x01\x02x\0\0", NEXT),
    "attributes that nobody has yet": (b"\x0e\x80\0\0\x01\x02x\0", NEXT),
    "offsets that go back": (NEXT, PLAIN),
    "a key of a length that there is not": (b"\x0e\0\0\0\x03\x02x\0", NEXT),
    "a value of a length that there is not": (b"\x0c\0\0\0\x01\x03\0", NEXT),
    "headers of a count that there is not": (b"\x0e\0\0\0\x01\x02x\x01", NEXT),
    "a count of headers below 0, and others": (
        b"\x0e\0\0\0\x01\x02x\x01",
        b"\x16\0\0\x02\x01\x02x\x02\x02a\x02b",
    ),
    "a header without a name": (b"\x12\0\0\0\x01\x02x\x02\x01\x01", NEXT),
    "a header's name that is no text": (b"\x14\0\0\0\x01\x02x\x02\x02\xff\x01", NEXT),
    "a number without an end": (b"\x0e\0\0\0\x01\xff\xff\xff\xff\xff\x01", NEXT),
}


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("odd", ODD)
def test_what_is_odd_is_left_to_kafka_python(odd: str, start: int) -> None:
    """Also in a record that is not wanted, as far as that is looked at: none is taken for
    another."""
    found = of_ours(two_records(*ODD[odd]), start)
    assert found is None or (start and found.column("value").to_pylist() == [b"x"])


def test_a_record_inside_another_one_is_none() -> None:
    """The length of the first, which is not wanted, leads to it."""
    assert of_ours(two_records(b"\x02\0", NEXT), start=1) is None


def test_what_is_not_odd_is_taken() -> None:
    """The same bytes without a fault."""
    data = two_records(PLAIN, NEXT)
    found = of_ours(data)
    assert found == of_kafka_python(data)
    assert found is not None
    assert found.column("offset").to_pylist() == [0, 1]


@pytest.mark.parametrize(
    "cut", [lambda data: data[:-1], lambda data: data + b"\0"], ids=["short", "long"]
)
def test_a_packet_of_another_length_is_left_to_kafka_python(cut: Any) -> None:
    """Which refuses it."""
    data = cut(packed([(SENT_MS, None, b"value", [])] * 20))
    assert columns(DefaultRecordBatch(data), 0, FAR) is None
    with pytest.raises(CorruptRecordError):
        list(DefaultRecordBatch(data))


def test_a_packet_without_records_has_none() -> None:
    """As compaction leaves one."""
    data = packed([(SENT_MS, None, b"", [])])[: DefaultRecordBatch.HEADER_STRUCT.size]
    struct.pack_into(">i", data, len(data) - 4, 0)
    found = columns(DefaultRecordBatch(data), 0, FAR)
    assert found is not None
    assert not found


def test_what_kafka_python_no_longer_has_inside_is_not_needed() -> None:
    """Another version's packets come one by one."""
    assert columns(object(), 0, FAR) is None
