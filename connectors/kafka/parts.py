"""A part of a plan: one range of offsets of one partition. The only place that knows a part's field
names, and how a person names a part, a piece of one, or all parts of a topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from windowlog.values import Part

# orders | orders:3@1000 | orders:3@1000-1500. Kafka's topics have no colon.
_NAME = re.compile(
    r"(?P<topic>[\w.-]+)(?::(?P<partition>\d+)@(?P<start>\d+)(?:-(?P<end>\d+))?)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Offsets [start, end) of one partition. Not every one has a record: markers of transactions,
    aborted records and compaction leave gaps."""

    topic: str
    topic_id: str
    partition: int
    start: int
    end: int

    @property
    def id(self) -> str:
        """The part's name: TOPIC:PARTITION@START."""
        return f"{self.topic}:{self.partition}@{self.start}"

    @property
    def length(self) -> int:
        """Its offsets, and so the most records it can have."""
        return self.end - self.start


def to_part(piece: OffsetRange) -> Part:
    """The range as a part of a plan."""
    return Part(
        piece.id,
        {
            "topic": piece.topic,
            "topic_id": piece.topic_id,
            "partition": piece.partition,
            "start": piece.start,
            "end": piece.end,
        },
    )


def ranges(parts: Iterable[Part]) -> list[OffsetRange]:
    """The ranges of a plan, in its order."""
    return [_from_detail(part.detail) for part in parts]


def _from_detail(detail: Any) -> OffsetRange:
    return OffsetRange(
        detail["topic"], detail["topic_id"], detail["partition"], detail["start"], detail["end"]
    )


def without(pieces: Iterable[OffsetRange], names: Iterable[str]) -> list[OffsetRange]:
    """The ranges less what the names name: a part by its id, TOPIC:PARTITION@START-END, or a TOPIC
    as a whole. What is left of a range keeps its place."""
    left = list(pieces)
    for name in names:
        left = [rest for piece in left for rest in _less(piece, name)]
    return left


def named(pieces: Iterable[OffsetRange], name: str) -> int:
    """How many offsets of the ranges a name names; 0 if it names none of them."""
    pieces = list(pieces)
    return _total(pieces) - _total(without(pieces, [name]))


def _total(pieces: Iterable[OffsetRange]) -> int:
    return sum(piece.length for piece in pieces)


def _less(piece: OffsetRange, name: str) -> Iterator[OffsetRange]:
    match = _NAME.fullmatch(name)
    if name == piece.id or (match is not None and name == piece.topic):
        return
    if match is None or match["end"] is None or not _same_partition(piece, match):
        yield piece
        return
    low = int(match["start"])
    high = max(low, int(match["end"]))
    for start, end in ((piece.start, min(low, piece.end)), (max(high, piece.start), piece.end)):
        if start < end:
            yield replace(piece, start=start, end=end)


def _same_partition(piece: OffsetRange, match: re.Match[str]) -> bool:
    return (piece.topic, piece.partition) == (match["topic"], int(match["partition"]))
