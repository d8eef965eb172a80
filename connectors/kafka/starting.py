"""Where the first window starts. Pure: what has to be asked for is handed in."""

from __future__ import annotations

from datetime import datetime

from connectors.kafka.look import Look, Offsets, PartitionLook
from connectors.kafka.position import Position, TopicPosition
from connectors.kafka.settings import Settings
from windowlog.errors import BadArgument


def first_position(settings: Settings, look: Look, asked: Offsets) -> Position:
    """The first offset of every partition that is there. `asked` are the offsets that belong to the
    moment `start`, or that the group has committed."""
    start = settings.start
    if isinstance(start, str) and start != "group":
        return _position(look, {}, start)
    if isinstance(start, datetime):
        # Nothing that young is there yet: what comes is younger.
        return _position(look, asked, "latest")
    if start == "group":
        return _position(look, asked, settings.fallback)
    assert not isinstance(start, str)
    _check(settings, start, look)
    return _position(look, start, settings.fallback)


def milliseconds(moment: datetime) -> int:
    """A moment as Kafka counts: milliseconds since 1970, rounded up, so that nothing older is
    taken for it."""
    return -int(-moment.timestamp() * 1000 // 1)


def _check(settings: Settings, offsets: Offsets, look: Look) -> None:
    for topic, partitions in offsets.items():
        if topic in settings.topics and topic not in look.topics:
            continue  # TopicMissing, if a second look says so too
        there = len(look.topics[topic].partitions) if topic in look.topics else 0
        wrong = [number for number in partitions if number >= there]
        if wrong or not there:
            allowed = f"partitions that are there; topic {topic} has {there}"
            raise BadArgument(argument="start", value={topic: wrong}, allowed=allowed)


def _position(look: Look, given: Offsets, otherwise: str) -> Position:
    def at(topic: str, number: int, partition: PartitionLook) -> int:
        end = partition.earliest if otherwise == "earliest" else partition.stable
        return given.get(topic, {}).get(number, end)

    topics = {
        name: TopicPosition(
            topic.id, tuple(at(name, n, partition) for n, partition in enumerate(topic.partitions))
        )
        for name, topic in look.topics.items()
    }
    return Position(look.cluster, topics)
