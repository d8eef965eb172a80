"""What the next window reads: pure functions from a position and a look to ranges of offsets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from connectors.kafka.look import Look, PartitionLook, TopicLook
from connectors.kafka.parts import OffsetRange
from connectors.kafka.position import Position, TopicPosition

# A larger range is cut, so that tasks can share it: a second's work for kafka-python on a core.
RANGE_RECORDS_MAX = 100_000


def plan_ranges(position: Position, look: Look, limit: int) -> tuple[list[OffsetRange], Position]:
    """The next ranges, of `limit` offsets together at most, and the position behind them.

    Each partition goes up to what is readable by the look. One that is new begins at its beginning:
    in a topic that was seen before at offset 0, in a new one at its earliest. A partition that ends
    before its position has nothing new."""
    known = joined(position, look)
    places = [
        (name, number, known.topics[name].offsets[number], partition)
        for name, number, partition in look.partitions()
    ]
    lags = [max(0, partition.readable - offset) for _, _, offset, partition in places]
    taken = shares(lags, limit, turn=sum(offset for _, _, offset, _ in places))
    ends = {name: list(topic.offsets) for name, topic in known.topics.items()}
    found: list[OffsetRange] = []
    for (name, number, offset, _), count in zip(places, taken, strict=True):
        ends[name][number] = offset + count
        found += cut(OffsetRange(name, known.topics[name].id, number, offset, offset + count))
    if not found:
        return [], position
    topics = {name: TopicPosition(known.topics[name].id, tuple(ends[name])) for name in ends}
    return found, Position(look.cluster, topics)


def joined(position: Position, look: Look) -> Position:
    """The position with the look's new topics and partitions in it, each at its beginning."""
    topics = dict(position.topics)
    for name, topic in look.topics.items():
        old = topics.get(name)
        topics[name] = beginning(topic) if old is None else _grown(old, topic.partitions)
    return Position(look.cluster, topics)


def beginning(topic: TopicLook) -> TopicPosition:
    """A topic's earliest offsets."""
    return TopicPosition(topic.id, tuple(partition.earliest for partition in topic.partitions))


def _grown(old: TopicPosition, partitions: Sequence[PartitionLook]) -> TopicPosition:
    # It has come into being since: all that was ever in it is ours to read.
    new = len(partitions) - len(old.offsets)
    return TopicPosition(old.id, (*old.offsets, *(0 for _ in range(new))))


def shares(lags: Sequence[int], limit: int, *, turn: int) -> list[int]:
    """How much of each lag is taken, `limit` together or all of it.

    One of each first, so that no partition waits for ever behind longer ones; the rest in
    proportion to what is left, so that all catch up at the same time. Where there are more
    partitions than records, they take turns: `turn` grows by what is taken."""
    if sum(lags) <= limit:
        return list(lags)
    waiting = [number for number, lag in enumerate(lags) if lag]
    taken = [0] * len(lags)
    if len(waiting) >= limit:
        first = turn % len(waiting)
        for number in (waiting[first:] + waiting[:first])[:limit]:
            taken[number] = 1
        return taken
    left, total = limit - len(waiting), sum(lags) - len(waiting)
    for number in waiting:
        taken[number] = 1 + (lags[number] - 1) * left // total
    # What rounding down has left over: one each for those that lost most by it.
    over = limit - sum(taken)
    lost = sorted(waiting, key=lambda number: (-((lags[number] - 1) * left % total), number))
    for number in lost[:over]:
        taken[number] += 1
    return taken


def cut(piece: OffsetRange) -> list[OffsetRange]:
    """The range in equal pieces of at most RANGE_RECORDS_MAX offsets; none if it is empty."""
    count = -(-piece.length // RANGE_RECORDS_MAX)
    places = [piece.start + piece.length * n // count for n in range(count)] + [piece.end]
    return [
        OffsetRange(piece.topic, piece.topic_id, piece.partition, start, end)
        for start, end in pairwise(places)
    ]
