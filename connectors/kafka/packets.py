"""Packets: records that a producer sent as one (the protocol's RecordBatch), taken from
kafka-python's consumer unopened. Sent to tasks by value, with `columns` and nothing else of ours.

Fetching, sessions, leaders, checksums and aborted transactions stay kafka-python's. What it takes
long for, 8 µs of a core for a record of 100 bytes, is an object for each record, piece by piece. So
a packet goes on whole, and `columns` opens it: 2 µs. This needs a place inside kafka-python. Where
it is not as in version 3.0.12, records come one by one, as it gives them: slower, and the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from connectors.kafka.columns import Columns, columns

# The protocol's own, since 2017; packets of older ones are opened by kafka-python.
_FORMAT = 2
# So few records are as quick one by one.
_FEW = 16


class Packet:
    """All records of one packet, in the place of a record: kafka-python looks at its size, and at
    the offset, which is the last one's, for where to go on. `inner` is kafka-python's."""

    __slots__ = ("inner",)

    checksum = key = timestamp = timestamp_type = None
    headers = ()

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __len__(self) -> int:
        return self.size_in_bytes

    @property
    def size_in_bytes(self) -> int:
        """Of all records."""
        return int(self.inner.size_in_bytes)

    @property
    def offset(self) -> int:
        """The last one that it covers, whether there is a record at it or not."""
        return int(self.inner.last_offset)

    @property
    def value(self) -> Packet:
        """Itself: what is handed on."""
        return self

    def validate_crc(self) -> bool:
        """It was validated as a whole."""
        return True


def unopened(consumer: Any) -> None:
    """Let this consumer give `ConsumerRecord`s whose value is a Packet, where it can."""
    fetcher = getattr(consumer, "_fetcher", None)
    original = getattr(fetcher, "PartitionRecords", None)
    if fetcher is None or not hasattr(original, "_unpack_records"):
        return

    class Unopened(original):  # type: ignore[misc, valid-type]
        """Of one fetch and partition."""

        def _unpack_records(self, tp: Any, records: Any, *others: Any) -> Any:
            return super()._unpack_records(tp, _Packets(records), *others)

    fetcher.PartitionRecords = Unopened


def opened(record: Any, start: int, end: int) -> Iterator[Any]:
    """The records from `start` to before `end` of what a consumer gave: Columns of many, or
    kafka-python's own, or none. Raises what kafka-python does, behind what comes before it."""
    packet = record.value.inner if isinstance(record.value, Packet) else None
    if packet is None:
        found = iter([record])
    elif packet.base_offset >= end or packet.last_offset < start:
        return
    else:
        whole = columns(packet, start, end) if packet.records_count >= _FEW else None
        if whole is not None:
            if len(whole):
                yield whole
            return
        found = iter(packet)
    for one in found:
        if one.offset >= end:
            return
        if one.offset >= start:
            yield one


def last_offset(one: Any) -> int:
    """Of Columns, or of one of kafka-python's records."""
    return int(one.offsets[-1] if isinstance(one, Columns) else one.offset)


class _Packets:
    """What has come for one partition."""

    def __init__(self, records: Any) -> None:
        self._records = records

    def next_batch(self) -> Any:
        """The next one; one that holds a marker of transactions as it is."""
        found = self._records.next_batch()
        if found is None or found.magic != _FORMAT or found.is_control_batch:
            return found
        return _Whole(found)


class _Whole:
    """Kafka-python's, but for what it says when it is asked for its records."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __iter__(self) -> Iterator[Packet]:
        return iter([Packet(self._inner)])
