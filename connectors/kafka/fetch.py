"""Records of planned ranges, by kafka-python's consumer: each range whole, or an error. Runs in the
driver and in tasks, to which it is sent by value, with `login`, `packets` and `columns`.

A range ends where the consumer's position reaches its end, not after so many records: markers of
transactions, aborted records and compaction leave offsets without one.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from connectors.kafka.login import ready
from connectors.kafka.packets import last_offset, opened, unopened

# Topic, partition, start, end.
Range: TypeAlias = tuple[str, int, int, int]

# Several fetches' worth, as rows are made of many records at once.
RECORDS_AT_ONCE = 10_000
# A poll gives records as soon as there are some. It waits only while the position moves over
# offsets without any, which nothing tells but the position.
POLL_MS = 20
# How long nothing may come before somebody looks why.
QUIET_S = 2.0
# What kafka-python says of a header's name. The records have passed their checksum, so another try
# gives the same.
_NOT_UTF8 = "UnicodeDecodeError"


class Stalled(Exception):
    """A range that comes no further: topic, partition, position, end."""


class Undecodable(Exception):
    """Records that kafka-python cannot unpack, in one of these places: (topic, partition, position,
    end). Where it polled them one by one it does not say in which. Its consumer is of no use any
    more."""

    def __str__(self) -> str:
        return "<undecodable records: {}:{}@{}-{}>".format(*self.args[0])


class Damaged(Undecodable):
    """Records that do not match their checksum, or are not as the protocol has them."""

    def __str__(self) -> str:
        return "<damaged records: {}:{}@{}-{}>".format(*self.args[0])


class Secret(str):
    """A word that shows itself to nobody who prints what it stands in."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def open_consumer(options: Mapping[str, Any]) -> Any:
    """A consumer with those of the options that this version of kafka-python knows."""
    from kafka import KafkaConsumer

    known = KafkaConsumer.DEFAULT_CONFIG
    given = ready(options)
    consumer = KafkaConsumer(**{name: value for name, value in given.items() if name in known})
    unopened(consumer)
    return consumer


def fetch(
    consumer: Any,
    ranges: Sequence[Range],
    stall_timeout_s: float,
    when_quiet: Callable[[], None] = lambda: None,
) -> Iterator[tuple[int, list[Any]]]:
    """(number of its range, its next records, as `rows.to_chunks` takes them), in order within each
    range; no two ranges are of one partition. `when_quiet` is asked now and then while nothing
    comes, and may raise.

    Raises Stalled, Undecodable, Damaged, and what kafka-python raises: OffsetOutOfRangeError for
    what is not there."""
    from kafka import TopicPartition

    numbers = {TopicPartition(topic, n): at for at, (topic, n, _, _) in enumerate(ranges)}
    assert len(numbers) == len(ranges), "a partition has one range at a time"
    ends = {place: ranges[at][3] for place, at in numbers.items()}
    consumer.assign(list(numbers))
    positions = {}
    for place, at in numbers.items():
        positions[place] = ranges[at][2]
        consumer.seek(place, positions[place])
    moved_s = looked_s = time.monotonic()
    while positions:
        for place, wanted in _polled(consumer, positions, ends):
            if wanted:
                yield numbers[place], wanted
        now_s = time.monotonic()
        if _advance(consumer, positions, ends):
            moved_s = looked_s = now_s
        elif now_s - moved_s > stall_timeout_s:
            place = min(positions)
            raise Stalled(place.topic, place.partition, positions[place], ends[place])
        elif now_s - looked_s > min(QUIET_S, stall_timeout_s / 2):
            looked_s = now_s
            when_quiet()


def _polled(
    consumer: Any, positions: Mapping[Any, int], ends: Mapping[Any, int]
) -> list[tuple[Any, list[Any]]]:
    """What has come, by place. Records have no cycles: the collector, which looks at each new one
    for them, took a tenth of the time."""
    from kafka.errors import CorruptRecordError

    # What comes one by one is unpacked when it is polled: none that no range is short of.
    short = max(ends[place] - position for place, position in positions.items())
    collects = gc.isenabled()
    gc.disable()
    try:
        polled = consumer.poll(timeout_ms=POLL_MS, max_records=min(short, RECORDS_AT_ONCE))
        return [
            (place, _wanted(place, records, positions[place], ends[place]))
            for place, records in polled.items()
        ]
    except CorruptRecordError as error:
        left = [(one.topic, one.partition, positions[one], ends[one]) for one in sorted(positions)]
        raise _kind(error)(*left) from None
    finally:
        if collects:
            gc.enable()


def _wanted(place: Any, records: Sequence[Any], start: int, end: int) -> list[Any]:
    from kafka.errors import CorruptRecordError

    found: list[Any] = []
    try:
        for record in records:
            # Those before an error stay: they say where it is.
            for one in opened(record, start, end):
                found.append(one)
    except CorruptRecordError as error:
        at = last_offset(found[-1]) + 1 if found else start
        if at >= end:
            return found  # it is behind them, and nobody's here
        raise _kind(error)((place.topic, place.partition, at, end)) from None
    return found


def _kind(error: Exception) -> type[Undecodable]:
    return Undecodable if _NOT_UTF8 in str(error) else Damaged


def _advance(consumer: Any, positions: dict[Any, int], ends: dict[Any, int]) -> bool:
    """Take over the consumer's positions; what has reached its end leaves. Has any moved?"""
    now = {place: consumer.position(place) for place in positions}
    moved = now != positions
    positions.clear()
    positions.update((place, at) for place, at in now.items() if at < ends[place])
    # Let go of, and not paused: kafka-python (3.0.12) sets aside what it has of a paused partition,
    # and may neither give nor fetch that again once it is resumed.
    if positions and len(positions) < len(now):
        consumer.assign(list(positions))
    return moved
