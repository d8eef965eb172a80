"""A record that cannot be decoded, where that stops the window: the error, also as it is found
again in what Spark says.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow

from connectors.kafka.errors import BadRecord
from windowlog.errors import pipeline_command

_FOUND = r"([\w.-]+):(\d+)@(\d+) (.*)"

_OF_SPARKS_SOURCE = (
    r"Record at topic ([\w.-]+) partition (\d+) offset (\d+)"
    r" (has timestamp value -?\d+ that overflows)"
)


def mark(name: str) -> tuple[str, str]:
    """What stands before and behind TOPIC:PARTITION@OFFSET REASON in an error of a task."""
    return f"<undecodable record of input {name}: ", ">"


def first_of(rejects: pyarrow.Table, name: str, window_id: str) -> BadRecord:
    """The error for the first of them."""
    row = rejects.slice(0, 1).to_pylist()[0]
    return _bad_record(
        name, row["topic"], row["partition"], row["offset"], row["reason"], window_id
    )


def found_in(error: BaseException, name: str, window_id: str) -> BadRecord | None:
    """The error that a task's error was about; None if it was about something else."""
    start, end = mark(name)
    match = re.search(f"{re.escape(start)}{_FOUND}{end}", str(error), re.ASCII)
    if match is None:
        return None
    return _bad_record(name, match[1], int(match[2]), int(match[3]), match[4], window_id)


def unreadable_in(
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
