"""Ways from ranges to rows, with the same rows and schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow

from connectors.kafka.fetch import Range, fetch
from connectors.kafka.parts import OffsetRange
from connectors.kafka.rows import SCHEMA, to_chunks
from connectors.tasks import Chunks, shared_out

# Ranges share a task up to about so many records: 300,000 of them are read in a second of a core,
# and a task costs 0.1 s.
TASK_RECORDS = 100_000


def in_driver(
    consumer: Any,
    pieces: Sequence[OffsetRange],
    stall_timeout_s: float,
    when_quiet: Callable[[], None],
) -> pyarrow.Table:
    """The rows of all ranges in their order, all partitions at a time. Errors as in `fetch`."""
    whole = joined(pieces)
    found = [Chunks(SCHEMA) for _ in whole]
    for numbers in rounds(whole):
        ranges = [as_range(whole[number]) for number in numbers]
        for at, records in fetch(consumer, ranges, stall_timeout_s, when_quiet):
            topic, partition, _, _ = ranges[at]
            for chunk in to_chunks(records, topic, partition):
                found[numbers[at]].add(chunk)
    return pyarrow.Table.from_batches([chunk for one in found for chunk in one.all()], SCHEMA)


def grouped(pieces: Sequence[OffsetRange]) -> list[list[OffsetRange]]:
    """Consecutive ranges, a group for each task, of about equal size near TASK_RECORDS or half of
    it."""
    total = sum(piece.length for piece in pieces)
    return shared_out(pieces, -(-total // TASK_RECORDS))


def joined(pieces: Sequence[OffsetRange]) -> list[OffsetRange]:
    """The ranges, those that meet in one partition as one."""
    found: list[OffsetRange] = []
    for piece in pieces:
        if found and piece.start == found[-1].end and _same_partition(piece, found[-1]):
            found[-1] = replace(found[-1], end=piece.end)
        else:
            found.append(piece)
    return found


def _same_partition(one: OffsetRange, other: OffsetRange) -> bool:
    return (one.topic, one.partition) == (other.topic, other.partition)


def rounds(pieces: Sequence[OffsetRange]) -> list[list[int]]:
    """Numbers of ranges, so that each round has one of a partition at most, in their order."""
    found: list[list[int]] = []
    seen: dict[tuple[str, int], int] = {}
    for number, piece in enumerate(pieces):
        place = piece.topic, piece.partition
        seen[place] = seen.get(place, -1) + 1
        if seen[place] == len(found):
            found.append([])
        found[seen[place]].append(number)
    return found


def as_range(piece: OffsetRange) -> Range:
    """The range as `fetch` takes it."""
    return piece.topic, piece.partition, piece.start, piece.end
