"""Where reading stands, as JSON: the next offset of every partition that was seen. Frozen values.

The cluster's id and each topic's id stand beside it: an address and a name may lead to others
tomorrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windowlog.values import Json


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


def from_json(end: Any) -> Position:
    """The position that `to_json` wrote."""
    topics = {
        name: TopicPosition(topic["id"], tuple(topic["offsets"]))
        for name, topic in end["topics"].items()
    }
    return Position(end["cluster"], topics)
