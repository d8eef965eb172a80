"""Columns of a packet's records, without an object for each record. Sent to tasks by value: it uses
nothing else of ours.

A record, as the protocol has it (https://kafka.apache.org/documentation/#record), numbers as
zigzag varints: length, attributes (a byte), time and offset since the packet's, length of the key,
key, length of the value, value, count of headers, and for each the lengths and bytes of its name
and value. What is not exactly so is left to kafka-python, whose word counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pyarrow

HEADERS = pyarrow.list_(pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())]))
# Arrow's offsets.
_BYTES_MAX = 2**31 - 1
_LOG_APPEND_TIME = 1
# Of 32 and of 64 bits.
_INT, _LONG = (rb"([\x80-\xff]{0,%d}[\x00-\x7f])" % more for more in (4, 9))
# Without a key, -1, the length of the value; else that of the key. Taking four numbers at a time
# and working each out once is what makes it quick.
_start_of = re.compile(
    rb"%b[\x00-\x7f]%b%b(?:\x01%b|%b)" % (_INT, _LONG, _INT, _INT, _INT), re.DOTALL
).match
_number_at = re.compile(_INT, re.DOTALL).match


class _Numbers(dict[bytes, int]):
    """Varints, each worked out once; of long ones there are too many to keep."""

    def __missing__(self, digits: bytes) -> int:
        raw = sum((digit & 0x7F) << 7 * at for at, digit in enumerate(digits))
        number = (raw >> 1) ^ -(raw & 1)
        if len(digits) < 3:
            self[digits] = number
        return number

    def __reduce__(self) -> Any:
        return type(self), ()


_numbers = _Numbers()


@dataclass(frozen=True, slots=True)
class Columns:
    """Records one after the other, a column for each thing that they have. `times` are in
    milliseconds, as they were sent."""

    offsets: list[int]
    times: list[int]
    time_types: list[int]
    keys: pyarrow.Array
    values: pyarrow.Array
    headers: pyarrow.Array

    def __len__(self) -> int:
        return len(self.offsets)


def columns(packet: Any, start: int, end: int) -> Columns | None:
    """Of the records with offsets from `start` to before `end` in kafka-python's packet; None if it
    is not as it should be, or kafka-python's are not as they were."""
    try:
        packet._maybe_uncompress()
        data, at = bytes(packet._buffer), packet._pos
        if len(data) > _BYTES_MAX:
            return None
        return _Opening(data).columns(packet, at, start, end)
    except (AttributeError, LookupError, ValueError):
        return None


class _Pieces:
    """Pieces of the data in their order: every second one of those that end at the `ends`, but null
    where they are `absent`."""

    __slots__ = ("absent", "ends")

    def __init__(self) -> None:
        self.ends = [0]
        self.absent: list[int] = []

    def add(self, at: int, length: int) -> int:
        """Where it ends. A length of -1 stands for null; ValueError for one below."""
        if length < 0:
            if length < -1:
                raise ValueError(length)
            self.absent.append(len(self.ends) // 2)
            length = 0
        over = at + length
        self.ends += (at, over)
        return over

    def array(self, data: pyarrow.Buffer) -> pyarrow.Array:
        """They themselves, copied by Arrow: an object for each would take longer than all else."""
        count = len(self.ends) // 2
        if len(self.absent) == count:
            return pyarrow.nulls(count, pyarrow.binary())
        buffers = [None, pyarrow.array(self.ends, pyarrow.int32()).buffers()[1], data]
        every = pyarrow.BinaryArray.from_buffers(pyarrow.binary(), 2 * count, buffers)
        chosen: list[int | None] = list(range(1, 2 * count, 2))
        for number in self.absent:
            chosen[number] = None
        return every.take(pyarrow.array(chosen, pyarrow.int64()))


class _Opening:
    """Goes through the data of one packet. What is odd is a ValueError or a LookupError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offsets: list[int] = []
        self._times: list[int] = []
        self._keys, self._values = _Pieces(), _Pieces()
        self._names, self._contents = _Pieces(), _Pieces()
        self._header_counts: list[int] = []

    def columns(self, packet: Any, at: int, start: int, end: int) -> Columns:
        """What is found from `at` on."""
        self._records(packet, at, start, end)
        count, kind = len(self._offsets), packet.timestamp_type
        times = self._times
        if kind == _LOG_APPEND_TIME:
            times = [packet.max_timestamp] * count
        data = pyarrow.py_buffer(self._data)
        keys, values = self._keys.array(data), self._values.array(data)
        return Columns(self._offsets, times, [kind] * count, keys, values, self._headers(data))

    def _records(self, packet: Any, at: int, start: int, end: int) -> None:
        data, numbers, base, last = self._data, _numbers, packet.base_offset, -1
        first_time = packet.first_timestamp
        for _ in range(packet.records_count):
            found = _start_of(data, at)
            if found is None:
                raise ValueError(at)
            length, since, delta, value, key = found.groups()
            over, offset = found.end(1) + numbers[length], base + numbers[delta]
            if offset <= last or over < found.end():
                raise ValueError(at)
            if offset >= end:
                return
            if offset >= start:
                self._offsets.append(offset)
                self._times.append(first_time + numbers[since])
                if self._body(found.end(), key, value) != over:
                    raise ValueError(at)
            at, last = over, offset
        if at != len(data):
            raise ValueError(at)

    def _body(self, at: int, key: bytes | None, value: bytes | None) -> int:
        """Takes a record's key, value and headers, of which one length was found; where it ends."""
        if value is None:
            assert key is not None, "it is one of the two"
            at = self._keys.add(at, _numbers[key])
            at, length = self._length(at)
        else:
            self._keys.add(at, -1)
            length = _numbers[value]
        at = self._values.add(at, length)
        if self._data[at]:
            return self._some_headers(at)
        self._header_counts.append(0)
        return at + 1

    def _some_headers(self, at: int) -> int:
        at, count = self._length(at)
        if count < 0:
            raise ValueError(count)
        self._header_counts.append(count)
        for _ in range(count):
            at, length = self._length(at)
            if length < 0:
                raise ValueError(length)
            at = self._names.add(at, length)
            at = self._contents.add(*self._length(at))
        return at

    def _length(self, at: int) -> tuple[int, int]:
        """Where what follows begins, and how long it is."""
        found = _number_at(self._data, at)
        if found is None:
            raise ValueError(at)
        return found.end(), _numbers[found[1]]

    def _headers(self, data: pyarrow.Buffer) -> pyarrow.Array:
        """Null for a record without. ArrowInvalid, a ValueError, for a name that is no UTF-8."""
        counts = self._header_counts
        if not any(counts):
            return pyarrow.nulls(len(counts), HEADERS)
        names = self._names.array(data).cast(pyarrow.string())
        fields = list(HEADERS.value_type)
        every = pyarrow.StructArray.from_arrays([names, self._contents.array(data)], fields=fields)
        ends = pyarrow.array(list(accumulate(counts, initial=0)), pyarrow.int32())
        none = pyarrow.array([count == 0 for count in counts])
        return pyarrow.ListArray.from_arrays(ends, every, HEADERS, mask=none)
