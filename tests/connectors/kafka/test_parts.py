"""Names of parts, of pieces, of topics: what a skip takes away, without a broker."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.kafka.parts import OffsetRange, named, ranges, to_part, without


def piece(start: int, end: int, partition: int = 0, topic: str = "t.a-b_c") -> OffsetRange:
    """A range."""
    return OffsetRange(topic, "A", partition, start, end)


def left_of(pieces: list[OffsetRange]) -> set[tuple[str, int, int]]:
    """Its offsets, one by one."""
    return {(p.topic, p.partition, offset) for p in pieces for offset in range(p.start, p.end)}


def test_a_piece_takes_away_its_offsets_and_no_other() -> None:
    """All small cases: every range and every name, also names that lie outside or are empty."""
    for start, end, low, high in product(range(6), repeat=4):
        if start >= end:
            continue
        before = [piece(start, end), piece(start, end, partition=1), piece(start, end, topic="u")]
        after = without(before, [f"t.a-b_c:0@{low}-{high}"])
        gone = {("t.a-b_c", 0, offset) for offset in range(low, high)}
        assert left_of(after) == left_of(before) - gone
        assert all(p.start < p.end for p in after)
        assert named(before, f"t.a-b_c:0@{low}-{high}") == len(left_of(before) & gone)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=5))
def test_several_skips_add_up(skips: list[tuple[int, int]]) -> None:
    """In any order, overlapping or not."""
    names = [f"t.a-b_c:0@{low}-{high}" for low, high in skips]
    gone = {("t.a-b_c", 0, offset) for low, high in skips for offset in range(low, high)}
    for order in (names, names[::-1]):
        after = without([piece(0, 10), piece(10, 25)], order)
        assert left_of(after) == left_of([piece(0, 25)]) - gone


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("t.a-b_c", ["u:0@3"]),
        ("u", ["t.a-b_c:0@0", "t.a-b_c:0@5", "t.a-b_c:1@0"]),
        ("t.a-b_c:0@0", ["t.a-b_c:0@5", "t.a-b_c:1@0", "u:0@3"]),
        ("u:0@3", ["t.a-b_c:0@0", "t.a-b_c:0@5", "t.a-b_c:1@0"]),
        *(
            (name, ["t.a-b_c:0@0", "t.a-b_c:0@5", "t.a-b_c:1@0", "u:0@3"])
            for name in ("", "t", "t.a-b_c:0", "t.a-b_c:0@1", "t.a-b_c:0@", "u:0@3-", "u:0@-4")
        ),
    ],
)
def test_parts_and_topics_go_as_a_whole_and_other_names_name_nothing(
    name: str, left: list[str]
) -> None:
    """A part by its id, a topic by its name."""
    pieces = [piece(0, 5), piece(5, 9), piece(0, 2, partition=1), piece(3, 4, topic="u")]
    assert [p.id for p in without(pieces, [name])] == left
    assert (named(pieces, name) == 0) == (len(left) == len(pieces))


def test_a_part_survives_the_log() -> None:
    """As it is stored."""
    pieces = [piece(0, 5), piece(3, 4, topic="u")]
    assert ranges([to_part(one) for one in pieces]) == pieces
    assert to_part(pieces[0]).id == "t.a-b_c:0@0"
