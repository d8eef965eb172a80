"""Records that cannot be decoded, where that stops the window: the error, also as it is found again
in what Spark says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow

from connectors.kafka.errors import (
    BadRecord,
    CodecMissing,
    HeaderUnreadable,
    RecordsDamaged,
    TooManySetAside,
)
from connectors.kafka.parts import OffsetRange
from windowlog.errors import KitError, pipeline_command

# Enough to see whether they are of one kind.
SHOWN = 3
_FOUND = r"([\w.-]+):(\d+)@(\d+) (.*)"

_OF_SPARKS_SOURCE = (
    r"Record at topic ([\w.-]+) partition (\d+) offset (\d+)"
    r" (has timestamp value -?\d+ that overflows)"
)
# Of Kafka's client for Java, which says where a packet begins.
_DAMAGED_FOR_SPARK = (
    r"Record(?: \w+)? for partition ([\w.-]+)-(\d+) at offset (\d+) is invalid, cause: Record is"
)
_NO_CODEC = r"UnsupportedCodecError: Libraries for (\w+) compression codec not found"


def mark(name: str) -> tuple[str, str]:
    """What stands before and behind TOPIC:PARTITION@OFFSET REASON in an error of a task."""
    return f"<undecodable record of input {name}: ", ">"


def first_of(rejects: pyarrow.Table, name: str, window_id: str) -> BadRecord:
    """The error for the first of them."""
    row = rejects.slice(0, 1).to_pylist()[0]
    return _bad_record(
        name, row["topic"], row["partition"], row["offset"], row["reason"], window_id
    )


def _found_in(error: BaseException, name: str, window_id: str) -> BadRecord | None:
    """The error that a task's error was about; None if it was about something else."""
    start, end = mark(name)
    match = re.search(f"{re.escape(start)}{_FOUND}{end}", str(error), re.ASCII)
    if match is None:
        return None
    return _bad_record(name, match[1], int(match[2]), int(match[3]), match[4], window_id)


def _unreadable_in(
    error: BaseException, name: str, window_id: str, is_read: Callable[[str], bool]
) -> BadRecord | None:
    """The error for a record that is no row, found in `rows.Unreadable` or in a task's error about
    it: that does not say whose input's it was, so the topic must do."""
    match = re.search(f"<unreadable record: {_FOUND}>", str(error), re.ASCII)
    if match is None:
        match = re.search(_OF_SPARKS_SOURCE, str(error), re.ASCII)
    if match is None or not is_read(match[1]):
        return None
    place = match[1], int(match[2]), int(match[3])
    return _bad_record(name, *place, match[4], window_id, may_be_kept=False)


def explained(
    error: BaseException,
    name: str,
    window_id: str,
    is_read: Callable[[str], bool],
    pieces: Sequence[OffsetRange],
) -> KitError | None:
    """Whichever of these a task has failed for that read these ranges."""
    return (
        _found_in(error, name, window_id)
        or _unreadable_in(error, name, window_id, is_read)
        or _undecodable_in(error, name, window_id, is_read)
        or _damaged_in(error, name, window_id, is_read, pieces)
        or _packed_in(error, name, window_id)
    )


def _damaged_in(
    error: BaseException,
    name: str,
    window_id: str,
    is_read: Callable[[str], bool],
    pieces: Sequence[OffsetRange],
) -> RecordsDamaged | None:
    """The error for `fetch.Damaged`, or for what Kafka's client for Java says. That begins where
    the packet does, which may be before what is read, and has no end: the range's own is taken."""
    match = re.search(r"<damaged records: ([\w.-]+):(\d+)@(\d+)-\d+>", str(error), re.ASCII)
    match = match or re.search(_DAMAGED_FOR_SPARK, str(error), re.ASCII)
    if match is None or not is_read(match[1]):
        return None
    topic, partition, position = match[1], int(match[2]), int(match[3])
    ranges = [one for one in pieces if (one.topic, one.partition) == (topic, partition)]
    behind = [one for one in ranges if one.end > position]
    if not behind:
        return None
    position, end = max(position, behind[0].start), behind[0].end
    part = f"{topic}:{partition}@{position}-{end}"
    return RecordsDamaged(
        input=name,
        topic=topic,
        partition=partition,
        position=position,
        end=end,
        window_id=window_id,
        choices=[
            ("let a replica that is whole lead this partition, if there is one", ""),
            (
                "give up what is left of this part of the window; an earlier end may do",
                pipeline_command("skip", window_id, name, "--part", part, "--reason", "WHY"),
            ),
        ],
    )


def _packed_in(error: BaseException, name: str, window_id: str) -> CodecMissing | None:
    match = re.search(_NO_CODEC, f"{type(error).__name__}: {error}", re.ASCII)
    return match and CodecMissing(input=name, codec=match[1], window_id=window_id)


def _undecodable_in(
    error: BaseException, name: str, window_id: str, is_read: Callable[[str], bool]
) -> HeaderUnreadable | None:
    """The same for records that kafka-python cannot unpack, found in `fetch.Undecodable` or in a
    task's error about it."""
    match = re.search(r"<undecodable records: ([\w.-]+):(\d+)@(\d+)-(\d+)>", str(error), re.ASCII)
    if match is None or not is_read(match[1]):
        return None
    topic, partition, position, end = match.groups()
    part = f"{topic}:{partition}@{position}-{end}"
    skip = pipeline_command("skip", window_id, name, "--part", part, "--reason", "WHY")
    return HeaderUnreadable(
        input=name,
        topic=topic,
        partition=int(partition),
        position=int(position),
        end=int(end),
        window_id=window_id,
        choices=[
            ("let Spark's own source read it, which takes such names: reader='spark'", ""),
            ("give up what is left of this partition in this window; an earlier end may do", skip),
        ],
    )


def too_many(
    count: int, first: Sequence[Mapping[str, Any]], most: int, name: str, window_id: str
) -> TooManySetAside:
    """The error for more of them than may be set aside. `first` are rows of rejects."""
    shown = [f"{r['topic']}:{r['partition']}@{r['offset']} {r['reason']}" for r in first]
    return TooManySetAside(
        input=name,
        count=count,
        window_id=window_id,
        max_rejects=most,
        first="; ".join(shown),
        choices=[
            ("correct value=, key= or schema=, if they are what is wrong", ""),
            (f"raise max_rejects= to {count} or more, if so many are to be expected", ""),
        ],
    )


def _bad_record(
    name: str,
    topic: str,
    partition: int,
    offset: int,
    reason: str,
    window_id: str,
    *,
    may_be_kept: bool = True,
) -> BadRecord:
    part = f"{topic}:{partition}@{offset}-{offset + 1}"
    skip = pipeline_command("skip", window_id, name, "--part", part, "--reason", "WHY")
    correct = "correct value=, key= or schema=, if they are what is wrong"
    keep = f"keep such records: on_bad_record='set_aside' makes them a frame, {name}_rejects"
    return BadRecord(
        input=name,
        topic=topic,
        partition=partition,
        offset=offset,
        reason=reason,
        window_id=window_id,
        choices=[
            *([(correct, ""), (keep, "")] if may_be_kept else []),
            ("give up this one", skip),
        ],
    )
