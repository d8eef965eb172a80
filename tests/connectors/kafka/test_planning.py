"""Planning, without a broker: shares, ranges, new partitions, cuts, starts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.kafka.decoding import Decoding
from connectors.kafka.look import Look, PartitionLook, TopicLook
from connectors.kafka.parts import OffsetRange
from connectors.kafka.planning import RANGE_RECORDS_MAX, cut, plan_ranges, shares
from connectors.kafka.position import Position, TopicPosition, from_json, to_json
from connectors.kafka.settings import Settings, checked
from connectors.kafka.starting import first_position, milliseconds
from windowlog.errors import BadArgument

BIG = 10**9


def look(*ends: int, name: str = "t", topic_id: str = "A", earliest: int = 0) -> Look:
    """One topic whose partitions end there, nothing of it open."""
    partitions = tuple(PartitionLook(earliest, end, end) for end in ends)
    return Look("C", {name: TopicLook(topic_id, partitions)})


def at(*offsets: int, name: str = "t", topic_id: str = "A") -> Position:
    """The position in one topic."""
    return Position("C", {name: TopicPosition(topic_id, offsets)})


def test_shares_are_whole_within_the_limit_and_fair() -> None:
    """All small cases: the sum is the limit or all there is, none exceeds its lag, equal lags
    differ by one at most, a longer one never gets less, and with room none gets nothing."""
    for lags in product(range(5), repeat=4):
        for limit, turn in product(range(1, 18), range(4)):
            taken = shares(lags, limit, turn=turn)
            assert sum(taken) == min(limit, sum(lags))
            assert all(0 <= got <= lag for got, lag in zip(taken, lags, strict=True))
            waiting = sum(map(bool, lags))
            if waiting < limit:
                assert all(got for got, lag in zip(taken, lags, strict=True) if lag)
                pairs = product(zip(lags, taken, strict=True), repeat=2)
                assert all(got >= other - 1 for (a, got), (b, other) in pairs if a >= b)


@given(st.lists(st.integers(0, 10**12), max_size=30), st.integers(1, 10**9), st.integers(0))
def test_shares_are_in_proportion(lags: list[int], limit: int, turn: int) -> None:
    """Each within one of its part of the limit, beside the one that each gets first."""
    taken = shares(lags, limit, turn=turn)
    waiting = sum(map(bool, lags))
    assert sum(taken) == min(limit, sum(lags))
    if waiting < limit < sum(lags):
        for lag, got in zip(lags, taken, strict=True):
            exact = (lag - 1) * (limit - waiting) / (sum(lags) - waiting) + 1 if lag else 0
            assert abs(got - exact) < 1 + 1e-6 * exact


def test_where_there_are_more_partitions_than_records_they_take_turns() -> None:
    """A partition with one record is read though all others are always longer."""
    offsets = [0] * 5
    ends = [1, BIG, BIG, BIG, BIG]
    for _ in range(3):
        _, position = plan_ranges(at(*offsets), look(*ends), 2)
        offsets = list(position.topics["t"].offsets)
    assert offsets[0] == 1
    assert max(offsets) - min(offsets[1:]) <= 1


@given(st.lists(st.integers(0, 300), min_size=1, max_size=6), st.integers(1, 50))
def test_windows_meet_exactly_and_end_at_the_stable_end(ends: list[int], limit: int) -> None:
    """Each partition's ranges, one behind the other, are all its offsets, none twice."""
    position, read = at(*(0 for _ in ends)), dict.fromkeys(range(len(ends)), 0)
    while True:
        pieces, position = plan_ranges(position, look(*ends), limit)
        if not pieces:
            break
        assert sum(piece.length for piece in pieces) <= limit
        for piece in pieces:
            assert piece.start == read[piece.partition]
            read[piece.partition] = piece.end
    assert list(read.values()) == ends
    assert position == at(*ends)


def test_a_position_without_news_is_repeated() -> None:
    """Also where a partition seems to end before it, as an old answer may say."""
    for ends in ((5, 7), (3, 7), (0, 0)):
        pieces, position = plan_ranges(at(5, 7), look(*ends), 10)
        assert (pieces, position) == ([], at(5, 7))


def test_a_new_partition_begins_at_offset_0_even_where_that_is_gone() -> None:
    """So that what was removed before we came is a loss, and is said."""
    pieces, position = plan_ranges(at(2), look(2, 9, earliest=1), BIG)
    assert [(piece.partition, piece.start, piece.end) for piece in pieces] == [(1, 0, 9)]
    assert position == at(2, 9)


def test_a_new_topic_begins_at_its_earliest_offset() -> None:
    """It may be older than the pipeline: what it has lost was never ours."""
    new = look(9, earliest=4, name="u", topic_id="B")
    both = Look("C", {**look(2).topics, **new.topics})
    pieces, position = plan_ranges(at(2), both, BIG)
    assert [(piece.topic, piece.start, piece.end) for piece in pieces] == [("u", 4, 9)]
    assert position.topics["u"] == TopicPosition("B", (9,))
    assert position.topics["t"] == TopicPosition("A", (2,))


def test_a_position_without_topics_belongs_to_no_cluster() -> None:
    """The first topic decides which one it is."""
    pieces, position = plan_ranges(Position("old", {}), look(3), BIG)
    assert (len(pieces), position) == (1, at(3))


def test_a_topic_that_is_no_longer_read_keeps_its_place() -> None:
    """If it is named again, it goes on there."""
    _, position = plan_ranges(at(2), look(3, name="u", topic_id="B"), BIG)
    assert position.topics["t"] == TopicPosition("A", (2,))


@given(st.integers(0, 10**15), st.integers(0, 5_000_000))
def test_a_large_range_is_cut_into_equal_pieces(start: int, length: int) -> None:
    """They meet, none is larger than the limit or much smaller than another."""
    pieces = cut(OffsetRange("t", "A", 0, start, start + length))
    assert sum(piece.length for piece in pieces) == length
    assert all(a.end == b.start for a, b in pairwise(pieces))
    sizes = [piece.length for piece in pieces]
    assert not sizes or (max(sizes) <= RANGE_RECORDS_MAX and max(sizes) - min(sizes) <= 1)
    assert len(pieces) == -(-length // RANGE_RECORDS_MAX)


def test_a_position_survives_the_log() -> None:
    """As JSON, with several topics."""
    position = Position("C", {**at(1, 2).topics, **at(BIG, name="u.v-w_x").topics})
    assert from_json(to_json(position)) == position


def test_stop_at_is_an_end_that_nothing_passes() -> None:
    """0 is one too. A partition that it does not name goes up to its stable end, and so does one
    whose end is still to come."""
    capped = look(9, 9, 9, 9).until({"t": {0: 4, 1: 0, 3: 99}})
    pieces, _ = plan_ranges(at(1, 0, 0, 0), capped, BIG)
    assert [(piece.partition, piece.end) for piece in pieces] == [(0, 4), (2, 9), (3, 9)]
    assert plan_ranges(at(6, 0, 9, 9), capped, BIG)[0] == []


@pytest.mark.parametrize(
    ("start", "fallback", "expected"),
    [
        ("earliest", "latest", (3, 3)),
        ("latest", "earliest", (8, 8)),
        ("group", "earliest", (5, 3)),
        ("group", "latest", (5, 8)),
        (datetime(2001, 2, 3, tzinfo=UTC), "earliest", (5, 8)),
        ({"t": {1: 6}}, "earliest", (3, 6)),
        ({"t": {1: 6}}, "latest", (8, 6)),
    ],
)
def test_each_start_says_where_each_partition_starts(
    start: object, fallback: str, expected: tuple[int, int]
) -> None:
    """Group and time have answered for partition 0 alone. The stable end is 8, the latest 9."""
    partitions = (PartitionLook(3, 8, 9), PartitionLook(3, 8, 9))
    settings = settings_of(start=start, fallback=fallback)
    found = first_position(settings, Look("C", {"t": TopicLook("A", partitions)}), {"t": {0: 5}})
    assert found == at(*expected)


def test_a_start_in_a_partition_that_is_not_there_is_a_bad_argument() -> None:
    """Not silently nothing."""
    with pytest.raises(BadArgument, match="topic t has 2"):
        first_position(settings_of(start={"t": {2: 0}}), look(1, 1), {})


def test_a_moment_is_never_rounded_down() -> None:
    """A record of one millisecond before is older than it."""
    moment = datetime(2001, 2, 3, tzinfo=UTC)
    assert milliseconds(moment) == 981158400000
    assert milliseconds(moment + timedelta(microseconds=1)) == 981158400001
    assert milliseconds(moment + timedelta(milliseconds=1)) == 981158400001


def settings_of(**more: Any) -> Settings:
    """The settings of an input, most of them the same each time."""
    given: dict[str, Any] = {
        "bootstrap_servers": "a:1",
        "topics": ["t"],
        "pattern": None,
        "start": "earliest",
        "fallback": "earliest",
        "stop_at": None,
        "max_records_per_window": 10,
        "group_id": "g",
        "reader": "auto",
        "stall_timeout_s": 60,
        "client": None,
        "decoding": Decoding(),
    }
    return checked(**(given | more))
