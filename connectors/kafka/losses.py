"""What is gone: a position, or a logged plan, compared with a look. Pure functions that give an
error, which names the numbers and the commands, or None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    for topic in sorted(read):
        new = look.topics.get(topic)
        if new is None:
            return _missing(topic, position.topics.get(topic), name, servers)
        if topic in position.topics:
            error = _lost_of_topic(topic, known.topics[topic], new, name)
            if error is not None:
                return error
    return None


def lost_before_reading(
    pieces: Sequence[OffsetRange], look: Look, name: str, window_id: str
) -> SourceChanged | None:
    """What of a logged plan the look no longer has, with the command that gives up just that."""
    for piece in pieces:
        topic = look.topics.get(piece.topic)
        if topic is None or topic.id != piece.topic_id:
            found = "no such topic" if topic is None else f"a topic of that name with id {topic.id}"
            return _changed(piece, found, piece.topic, piece.length, name, window_id)
        if piece.partition >= len(topic.partitions):
            found = f"{len(topic.partitions)} partitions"
            return _changed(piece, found, piece.id, piece.length, name, window_id)
        error = _gone(piece, topic.partitions[piece.partition], name, window_id)
        if error is not None:
            return error
    return None


def other_topic(
    pieces: Sequence[OffsetRange], ids: Mapping[str, str], name: str, window_id: str
) -> SourceChanged | None:
    """The first range whose topic is not, or no longer, the one that was planned."""
    for piece in pieces:
        if ids.get(piece.topic) != piece.topic_id:
            found = "no such topic"
            if piece.topic in ids:
                found = f"a topic of that name with id {ids[piece.topic]}"
            return _changed(piece, found, piece.topic, piece.length, name, window_id)
    return None


def _gone(
    piece: OffsetRange, now: PartitionLook, name: str, window_id: str
) -> SourceChanged | None:
    left = max(piece.start, min(now.earliest, piece.end)), min(piece.end, now.latest)
    lost = piece.length - max(0, left[1] - left[0])
    if not lost:
        return None
    low, high = (piece.start, left[0]) if left[0] > piece.start else (left[1], piece.end)
    part = piece.id if lost == piece.length else f"{piece.topic}:{piece.partition}@{low}-{high}"
    found = f"earliest {now.earliest}, latest {now.latest}"
    return _changed(
        piece, found, part, high - low if lost < piece.length else lost, name, window_id
    )


def _changed(
    piece: OffsetRange, found: str, part: str, lost: int, name: str, window_id: str
) -> SourceChanged:
    return SourceChanged(
        input=name,
        part=f"part {piece.id}",
        window_id=window_id,
        expected=(
            f"offsets {piece.start} to {piece.end} of topic {piece.topic} (id {piece.topic_id}),"
            f" partition {piece.partition}"
        ),
        found=f"{found}: {records(lost)} are gone",
        remedy="",
        choices=[(f"give up {part}", _skip(name, window_id, part))],
    )


def _lost_of_topic(topic: str, old: TopicPosition, new: TopicLook, name: str) -> KitError | None:
    if old.id != new.id:
        return _recreated(topic, old, new, name)
    # Fewer partitions under the same id are an old answer of a broker that will catch up.
    for number, (offset, now) in enumerate(zip(old.offsets, new.partitions, strict=False)):
        place = f"{topic}:{number}"
        values = {"input": name, "topic": topic, "partition": number, "wanted": offset}
        values |= {"earliest": now.earliest, "latest": now.latest}
        if offset < now.earliest:
            go_on = _reset(name, f"{place}@{now.earliest}")
            choices = [("go on at the earliest that is left", go_on)]
            lost = records(now.earliest - offset)
            return OffsetsLost(**values, lost=lost, choices=choices)
        if offset > now.latest:
            lost = records(offset - now.latest)
            again = _reset(name, f"{place}@{now.latest}")
            choices = [
                ("go on at its end: what gets the lost offsets now is read", again),
                ("read the partition again", _reset(name, f"{place}@beginning")),
            ]
            return OffsetsTruncated(**values, lost=lost, choices=choices)
    return None


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


def _skip(name: str, window_id: str, part: str) -> str:
    """The command that gives up `part` of a logged window."""
    return pipeline_command("skip", window_id, name, "--part", part, "--reason", "WHY")
