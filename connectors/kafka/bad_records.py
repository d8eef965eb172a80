"""A record that cannot be decoded, where that stops the window: the error, also as it is found
again in what Spark says.
"""

from __future__ import annotations

import re

import pyarrow

from connectors.kafka.errors import BadRecord
from windowlog.errors import pipeline_command

_FOUND = r"([\w.-]+):(\d+)@(\d+) (.*)"


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


def _bad_record(
    name: str, topic: str, partition: int, offset: int, reason: str, window_id: str
) -> BadRecord:
    part = f"{topic}:{partition}@{offset}-{offset + 1}"
    skip = pipeline_command("skip", window_id, name, "--part", part, "--reason", "WHY")
    keep = f"keep such records: on_bad_record='set_aside' makes them a frame, {name}_rejects"
    return BadRecord(
        input=name,
        topic=topic,
        partition=partition,
        offset=offset,
        reason=reason,
        window_id=window_id,
        choices=[(keep, ""), ("give up this one", skip)],
    )
