"""What is gone: a position, or a logged plan, compared with a look. Pure functions that give an
error, which names the numbers and the commands, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from connectors.kafka.errors import (
    ClusterChanged,
    OffsetsLost,
    OffsetsTruncated,
    TopicMissing,
    TopicRecreated,
)
from connectors.kafka.look import Look, PartitionLook, TopicLook
from connectors.kafka.parts import OffsetRange
from connectors.kafka.planning import joined
from connectors.kafka.position import Position, TopicPosition
from windowlog.errors import Choice, KitError, SourceChanged, pipeline_command


def lost_before_starting(
    position: Position, look: Look, read: Sequence[str], name: str, servers: str
) -> KitError | None:
    """What of a first position the look does not have: nothing can be reset yet."""
    error = lost_before_planning(position, look, read, name, servers)
    if isinstance(error, OffsetsLost | OffsetsTruncated):
        choices = [("give other offsets, or another moment or word, in start=", "")]
        return type(error)(**error.values, choices=choices)
    return error


def lost_before_planning(
    position: Position, look: Look, read: Sequence[str], name: str, servers: str
) -> KitError | None:
    """What of the position the look no longer has. `read` are the topics that are wanted by name,
    or that were read by pattern."""
    if position.topics and position.cluster != look.cluster:
        return _other_cluster(position, look, name, servers)
    known = joined(position, look)
    found: list[_Lost] = []
    for topic in sorted(read):
        old, new = position.topics.get(topic), look.topics.get(topic)
        other = _missing(topic, old, name, servers) if new is None else None
        if new is not None and old is not None and old.id != new.id:
            other = _recreated(topic, known.topics[topic], new, name)
        if other is not None and not found:
            return other
        if other is None and new is not None and old is not None:
            found += _lost_of_topic(topic, known.topics[topic], new)
    return _lost(found, name) if found else None


def lost_before_reading(
    pieces: Sequence[OffsetRange], look: Look, name: str, window_id: str
) -> SourceChanged | None:
    """What of a logged plan the look no longer has, with the command that gives up just that."""
    ids = {topic: now.id for topic, now in look.topics.items()}
    found = _of_other_topics(pieces, ids)
    for piece in pieces:
        if ids.get(piece.topic) == piece.topic_id:
            partitions = look.topics[piece.topic].partitions
            if piece.partition >= len(partitions):
                there = f"{len(partitions)} partitions"
                found.append(_Gone(piece, there, piece.id, piece.length))
            else:
                found += _gone(piece, partitions[piece.partition])
    return _changed(found, name, window_id) if found else None


def other_topic(
    pieces: Sequence[OffsetRange], ids: Mapping[str, str], name: str, window_id: str
) -> SourceChanged | None:
    """The ranges whose topic is not, or no longer, the one that was planned."""
    found = _of_other_topics(pieces, ids)
    return _changed(found, name, window_id) if found else None


@dataclass(frozen=True, slots=True)
class _Gone:
    """Of a logged range: what was found, what a skip calls what is gone, and how much that is."""

    piece: OffsetRange
    found: str
    part: str
    lost: int

    @property
    def expected(self) -> str:
        """What was planned."""
        piece = self.piece
        return (
            f"offsets {piece.start} to {piece.end} of topic {piece.topic} (id {piece.topic_id}),"
            f" partition {piece.partition}"
        )


def _of_other_topics(pieces: Sequence[OffsetRange], ids: Mapping[str, str]) -> list[_Gone]:
    """One for each topic, with all that was planned of it."""
    found: dict[str, _Gone] = {}
    for piece in pieces:
        if ids.get(piece.topic) != piece.topic_id:
            there = "no such topic"
            if piece.topic in ids:
                there = f"a topic of that name with id {ids[piece.topic]}"
            first = found.get(piece.topic, _Gone(piece, there, piece.topic, 0))
            found[piece.topic] = replace(first, lost=first.lost + piece.length)
    return list(found.values())


def _gone(piece: OffsetRange, now: PartitionLook) -> list[_Gone]:
    left = max(piece.start, min(now.earliest, piece.end)), min(piece.end, now.latest)
    lost = piece.length - max(0, left[1] - left[0])
    if not lost:
        return []
    low, high = (piece.start, left[0]) if left[0] > piece.start else (left[1], piece.end)
    part = piece.id if lost == piece.length else f"{piece.topic}:{piece.partition}@{low}-{high}"
    found = f"earliest {now.earliest}, latest {now.latest}"
    return [_Gone(piece, found, part, high - low if lost < piece.length else lost)]


def _changed(found: Sequence[_Gone], name: str, window_id: str) -> SourceChanged:
    first, others = found[0], found[1:]
    more = "; ".join(
        f"{one.piece.id} to {one.piece.end}, {one.found}, {records(one.lost)}" for one in others
    )
    total = records(sum(one.lost for one in found))
    parts = [one.part for one in found]
    shown = f"{parts[0]} and {len(others)} more" if others else parts[0]
    return SourceChanged(
        input=name,
        part=f"part {first.piece.id}",
        window_id=window_id,
        expected=first.expected,
        found=f"{first.found}: {records(first.lost)} are gone",
        remedy=f"So it is with {len(others)} more: {more}. In all {total}." if others else "",
        choices=[(f"give up {shown}", _skip(name, window_id, parts))],
    )


@dataclass(frozen=True, slots=True)
class _Lost:
    """A partition that has no longer the offset where reading goes on."""

    topic: str
    partition: int
    wanted: int
    now: PartitionLook

    @property
    def place(self) -> str:
        """What commands call it."""
        return f"{self.topic}:{self.partition}"

    @property
    def removed(self) -> bool:
        """From its beginning; else from its end."""
        return self.wanted < self.now.earliest

    @property
    def count(self) -> int:
        """How many offsets are gone."""
        return self.now.earliest - self.wanted if self.removed else self.wanted - self.now.latest

    def __str__(self) -> str:
        left = f"earliest {self.now.earliest}, latest {self.now.latest}"
        return f"{self.place} wanted {self.wanted}, {left}, {records(self.count)}"


def _lost_of_topic(topic: str, old: TopicPosition, new: TopicLook) -> list[_Lost]:
    # Fewer partitions under the same id are an old answer of a broker that will catch up.
    return [
        _Lost(topic, number, offset, now)
        for number, (offset, now) in enumerate(zip(old.offsets, new.partitions, strict=False))
        if not now.earliest <= offset <= now.latest
    ]


def _lost(found: Sequence[_Lost], name: str) -> KitError:
    """One error for all partitions that have lost in the same way as the first."""
    first = found[0]
    same = [one for one in found if one.removed == first.removed]
    others = same[1:]
    more = ""
    if others:
        total = records(sum(one.count for one in same))
        told = "; ".join(map(str, others))
        more = f" So it is with {len(others)} more: {told}. In all {total}."
    values = {"input": name, "topic": first.topic, "partition": first.partition}
    values |= {"wanted": first.wanted, "earliest": first.now.earliest, "latest": first.now.latest}
    values |= {"lost": records(first.count), "more": more}

    def reset(word: Callable[[_Lost], object]) -> str:
        return _reset(name, ",".join(f"{one.place}@{word(one)}" for one in same))

    them = "the partition" if not others else "these partitions"
    if first.removed:
        choices = [
            ("go on at the earliest that is left", reset(lambda one: one.now.earliest)),
            (
                "start over: all that is left of all topics is read, what was held already too",
                _reset(name, "beginning"),
            ),
        ]
        return OffsetsLost(**values, choices=choices)
    choices = [
        (
            "go on at its end: what gets the lost offsets now is read",
            reset(lambda one: one.now.latest),
        ),
        (f"read {them} again", reset(lambda _: "beginning")),
    ]
    return OffsetsTruncated(**values, choices=choices)


def _recreated(topic: str, old: TopicPosition, new: TopicLook, name: str) -> KitError:
    partitions = ", ".join(
        f"{topic}:{number} from {now.earliest} to {now.latest}"
        for number, now in enumerate(new.partitions)
    )
    stood = ", ".join(f"{topic}:{number} behind {at}" for number, at in enumerate(old.offsets))
    return TopicRecreated(
        input=name,
        topic=topic,
        found=new.id,
        wanted=old.id,
        lost=f"all that came in {stood}, how many records cannot be known",
        partitions=partitions,
        choices=[
            ("read the new topic from its beginning", _reset(name, f"{topic}@beginning")),
            ("pass over what is in it now", _reset(name, f"{topic}@end")),
        ],
    )


def _missing(topic: str, old: TopicPosition | None, name: str, servers: str) -> KitError:
    known, choices = "", [("create it, correct its name, or take it out of topics=", "")]
    if old is not None:
        stood = ", ".join(f"{topic}:{number} up to {at}" for number, at in enumerate(old.offsets))
        known = f". It was read: {stood}; what came later is lost"
        choices = [
            ("bring it back", ""),
            (
                "forget it, and begin anew if one of its name comes (until then not in topics=)",
                _reset(name, f"{topic}@gone"),
            ),
        ]
    return TopicMissing(input=name, topic=topic, servers=servers, known=known, choices=choices)


def _other_cluster(position: Position, look: Look, name: str, servers: str) -> KitError:
    choices: list[Choice] = [
        ("name the brokers of the old cluster in bootstrap_servers=", ""),
        ("read all topics of this one from their beginning", _reset(name, "beginning")),
        ("pass over what is in them now", _reset(name, "end")),
    ]
    wanted, found = position.cluster, look.cluster
    return ClusterChanged(input=name, servers=servers, found=found, wanted=wanted, choices=choices)


def records(count: int) -> str:
    """So many offsets, as what they can hold."""
    return f"at most {count} record{'' if count == 1 else 's'}"


def _reset(name: str, place: str) -> str:
    """The command that lets input `name` go on at `place`, in this input's words."""
    return pipeline_command("reset", name, "--to", place)


def _skip(name: str, window_id: str, parts: Sequence[str]) -> str:
    """The command that gives up these parts of a logged window."""
    named = [word for part in parts for word in ("--part", part)]
    return pipeline_command("skip", window_id, name, *named, "--reason", "WHY")
