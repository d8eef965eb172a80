"""Where reading stands, as JSON: the next offset of every partition that was seen. Frozen values.

The cluster's id and each topic's id stand beside it: an address and a name may lead to others
tomorrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windowlog.values import Json

# What a line or two of a table have room for.
_PLACES_SHOWN, _TOPICS_SHOWN = 4, 10


@dataclass(frozen=True, slots=True)
class TopicPosition:
    """The next offset of each partition of one topic, by the partition's number."""

    id: str
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """The next offsets of all topics that were seen, those too that are no longer read."""

    cluster: str
    topics: Mapping[str, TopicPosition]


def to_json(position: Position) -> Json:
    """The position as a plan's `end`."""
    topics: dict[str, Json] = {
        name: {"id": topic.id, "offsets": list(topic.offsets)}
        for name, topic in sorted(position.topics.items())
    }
    return {"cluster": position.cluster, "topics": topics}


def in_words(position: Position) -> str:
    """The position for a person: each offset, or what is before it by topic."""
    places = [
        f"{name}:{number}@{offset}"
        for name, topic in sorted(position.topics.items())
        for number, offset in enumerate(topic.offsets)
    ]
    if len(places) <= _PLACES_SHOWN:
        return ", ".join(places) or "no topic yet"
    topics = sorted(position.topics.items())
    told = [
        f"{name}: {len(topic.offsets)} partition{'s' if len(topic.offsets) > 1 else ''},"
        f" at most {sum(topic.offsets):,} records before it"
        for name, topic in topics[:_TOPICS_SHOWN]
    ]
    more = len(topics) - len(told)
    return "; ".join(told) + (f"; and {more} topics more" if more else "")


def from_json(end: Any) -> Position:
    """The position that `to_json` wrote."""
    topics = {
        name: TopicPosition(topic["id"], tuple(topic["offsets"]))
        for name, topic in end["topics"].items()
    }
    return Position(end["cluster"], topics)
