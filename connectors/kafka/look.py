"""What the brokers tell at one moment: topics, partitions, offsets. Frozen values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeAlias

# Topic -> partition -> offset.
Offsets: TypeAlias = Mapping[str, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class PartitionLook:
    """A partition's offsets: `earliest` is the first that is left, `stable` that of the first open
    transaction, or `latest`, which is behind the last record. `cap`: where reading stops for good.
    """

    earliest: int
    stable: int
    latest: int
    cap: int | None = None

    @property
    def readable(self) -> int:
        """Up to where it is read now."""
        return self.stable if self.cap is None else min(self.stable, self.cap)

    @property
    def held_back(self) -> bool:
        """Whether a transaction is open below its end."""
        return self.stable < self.latest


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A transaction that is open: its first offset in a partition, and the time of the last record
    that its producer has sent there, in milliseconds."""

    topic: str
    partition: int
    first: int
    last_ms: int

    def told(self, name: str) -> str:
        """In words, for input `name`."""
        since = datetime.fromtimestamp(self.last_ms / 1000, UTC).isoformat("T", "seconds")
        return (
            f"input {name}: topic {self.topic}, partition {self.partition}: a transaction is open"
            f" since offset {self.first}, its last record is of {since}. What lies behind it is"
            " read once it is committed or aborted."
        )


@dataclass(frozen=True, slots=True)
class TopicLook:
    """A topic: its id, which no other topic ever has, and its partitions by number."""

    id: str
    partitions: tuple[PartitionLook, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """A cluster's topics, as far as they are read."""

    cluster: str
    topics: Mapping[str, TopicLook]

    def partitions(self) -> Iterator[tuple[str, int, PartitionLook]]:
        """All partitions, with topic and number, in order."""
        for name, topic in sorted(self.topics.items()):
            for number, partition in enumerate(topic.partitions):
                yield name, number, partition

    def until(self, caps: Offsets) -> Look:
        """The same, with each partition that `caps` names read up to there at most."""
        topics = {
            name: replace(topic, partitions=_capped(topic.partitions, caps.get(name, {})))
            for name, topic in self.topics.items()
        }
        return replace(self, topics=topics)


def _capped(
    partitions: tuple[PartitionLook, ...], caps: Mapping[int, int]
) -> tuple[PartitionLook, ...]:
    return tuple(
        replace(partition, cap=caps.get(number)) for number, partition in enumerate(partitions)
    )
