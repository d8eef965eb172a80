"""Which ranges one task reads: each range once, in order, and no task much more than another."""

from __future__ import annotations

import pytest

from connectors.files.identity import FileId
from connectors.files.parts import FileRange
from connectors.files.read import TASK_BYTES, grouped

MIB = 2**20


def pieces(*sizes: int) -> list[FileRange]:
    """Ranges of these sizes, each of a file of its own."""
    return [
        FileRange(f"{n}.txt", FileId(1, n, 0), size, 0, 0, size, "", "")
        for n, size in enumerate(sizes)
    ]


# Sizes in MiB of a window's parts -> how many tasks. Of 64 MiB, four of 16 MiB.
CASES = [
    ([], 0),
    ([1], 1),
    ([4] * 4, 1),
    ([4] * 5, 2),
    ([4, 4, 2] * 6 + [4], 4),
    ([4] * 17, 8),
    ([256], 1),
    ([1] * 3 + [256], 2),
]


@pytest.mark.parametrize(("sizes", "count"), CASES)
def test_tasks_are_of_one_size(sizes: list[int], count: int) -> None:
    """But for what a part more or less makes; none is much larger than TASK_BYTES, unless one part
    is."""
    given = pieces(*[size * MIB for size in sizes])
    groups = grouped(given)
    assert [piece for group in groups for piece in group] == given
    assert len(groups) == count
    assert all(groups)
    read = [sum(piece.length for piece in group) for group in groups]
    part = max((piece.length for piece in given), default=0)
    assert all(size <= TASK_BYTES + part for size in read)
    assert max(read, default=0) - min(read, default=0) <= 2 * part


def test_parts_without_bytes_are_read_too() -> None:
    """An empty range is a range."""
    assert grouped(pieces(0, 0)) == [pieces(0, 0)]
