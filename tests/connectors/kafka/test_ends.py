"""Ranges end by offset, not by count: every kind of gap, read by every reader, row by row."""

from __future__ import annotations

import time
from typing import Any

import pytest
from kafka import KafkaProducer

from tests.connectors.kafka.reading import expected, noise, ordered, running, skipping, values
from tests.connectors.kafka.world import Broker, begin, numbered, until


def test_an_empty_topic_gives_an_empty_plan_and_no_rows(
    broker: Broker, how: dict[str, Any]
) -> None:
    """With all columns."""
    with running(broker, broker.create(2), **how) as run:
        plan = run.plan()
        assert plan.empty
        assert run.rows(run.log(plan)) == []


def test_rows_are_as_in_sparks_own_source(broker: Broker, how: dict[str, Any]) -> None:
    """Null key, null value (tombstone), empty ones, headers of one name, none; creation time."""
    topic = broker.create(2, retention_ms="-1")
    send = broker.producer.send
    sent = [
        send(topic, b"a", key=b"k", partition=1, timestamp_ms=1_000_000_000_123),
        send(topic, None, key=b"gone", partition=1, headers=[("h", b"1"), ("h", b"2")]),
        send(topic, b"", key=None, partition=1, headers=[("", b""), ("é", bytes(range(256)))]),
        send(topic, bytes(range(256)), key=b"", partition=0, timestamp_ms=0),
    ]
    for one in sent:
        one.get(timeout=20)
    with running(broker, topic, **how) as run:
        rows = ordered(run.window())
    assert rows == expected(broker, topic, 0, 1, 0) + expected(broker, topic, 0, 3, 1)
    assert [row["headers"] for row in rows[:2]] == [None, None]


def test_the_brokers_time_is_told_as_such(broker: Broker, how: dict[str, Any]) -> None:
    """LogAppendTime: type 1, and not what the producer says."""
    topic = broker.create(message_timestamp_type="LogAppendTime")
    broker.send(topic, *numbered(3), timestamp_ms=5)
    with running(broker, topic, **how) as run:
        rows = run.window()
    assert rows == expected(broker, topic, 0, 3)
    assert rows is not None
    assert {row["timestampType"] for row in rows} == {1}
    assert all(row["timestamp"].year > 2000 for row in rows)


def test_every_codec_is_read(broker: Broker, how: dict[str, Any]) -> None:
    """One in each partition; from the middle of a batch to the middle of a batch, too."""
    codecs = ("gzip", "snappy", "lz4", "zstd")
    topic = broker.create(len(codecs))
    for partition, codec in enumerate(codecs):
        producer = KafkaProducer(
            bootstrap_servers=broker.bootstrap, compression_type=codec, linger_ms=50
        )
        for value in numbered(100):
            producer.send(topic, value * 20, partition=partition)
        producer.close()
    with running(broker, topic, max_records_per_window=133, **how) as run:
        rows = ordered(run.drain())
        assert run.windows.newest == 4
    assert values(rows) == [value * 20 for value in numbered(100)] * len(codecs)


def test_a_range_that_holds_only_a_marker_gives_no_row(broker: Broker, how: dict[str, Any]) -> None:
    """And the next window is behind it. No read waits for what will not come."""
    topic = broker.create()
    broker.transact(topic, b"one")
    with running(broker, topic, max_records_per_window=1, **how) as run:
        assert values(run.window()) == [b"one"]
        started = time.monotonic()
        assert run.window() == []
        assert time.monotonic() - started < 5
        broker.send(topic, b"two")
        assert values(run.drain()) == [b"two"]


def test_holes_at_the_start_and_at_the_end_of_a_range(broker: Broker, how: dict[str, Any]) -> None:
    """An aborted transaction before the rows, another one behind them, markers and all."""
    topic = broker.create()
    broker.transact(topic, *numbered(5), commit=False)
    broker.send(topic, b"kept")
    broker.transact(topic, *numbered(5), commit=False)
    with running(broker, topic, **how) as run:
        plan = run.plan()
        assert (plan.records, broker.ends(topic)) == (13, [13])
        assert values(run.rows(run.log(plan))) == [b"kept"]


def test_an_aborted_run_longer_than_several_fetches(broker: Broker, how: dict[str, Any]) -> None:
    """1.5 MB without a row, in fetches of 100 kB; and inside it a window without rows."""
    topic = broker.create()
    broker.send(topic, b"before")
    broker.transact(topic, *noise(1500), commit=False)
    broker.send(topic, b"after")
    small = {"max_partition_fetch_bytes": 100_000}
    with running(broker, topic, client=small, max_records_per_window=501, **how) as run:
        held = [values(run.window()) for _ in range(3)]
        assert held == [[b"before"], [], [b"after"]]
        assert run.plan().empty


def test_a_window_ends_before_an_open_transaction(broker: Broker, how: dict[str, Any]) -> None:
    """Its rows come once it commits, and those behind it; none of one that aborts."""
    topic = broker.create()
    broker.send(topic, b"first")
    with running(broker, topic, **how) as run, broker.transactions() as producer:
        for word in (b"yes", b"no"):
            begin(producer, topic, word)
            broker.send(topic, b"behind " + word)
            rows = values(run.drain())
            assert rows == ([b"first"] if word == b"yes" else [])
            if word == b"yes":
                producer.commit_transaction()
                broker.settle(topic)
                assert values(run.drain()) == [b"yes", b"behind yes"]
        producer.abort_transaction()
        broker.settle(topic)
        assert values(run.drain()) == [b"behind no"]


def test_a_compacted_topic_with_most_offsets_gone(broker: Broker, how: dict[str, Any]) -> None:
    """Windows begin, end and lie wholly where no record is left."""
    topic = broker.create(
        cleanup_policy="compact",
        segment_ms="50",
        min_cleanable_dirty_ratio="0.001",
        delete_retention_ms="0",
    )
    for number in range(60):
        broker.send(topic, b"%d" % number, key=b"other" if number == 20 else b"same")
    time.sleep(0.1)
    broker.send(topic, b"end", key=b"active")
    until(lambda: len(broker.records(topic, 0, 61)) < 10)
    with running(broker, topic, max_records_per_window=13, **how) as run:
        rows = run.drain()
        assert run.windows.newest == 5
    assert rows == expected(broker, topic, 0, 61)
    assert b"20" in values(rows)


def test_records_larger_than_a_fetch(broker: Broker, how: dict[str, Any]) -> None:
    """Each comes whole."""
    topic = broker.create()
    large = [b"%d" % number * 20_000 for number in range(5)]
    broker.send(topic, *large)
    small = {"max_partition_fetch_bytes": 1000, "fetch_max_bytes": 1000}
    with running(broker, topic, client=small, max_records_per_window=2, **how) as run:
        assert values(run.drain()) == large


def test_a_large_range_is_read_in_pieces(
    broker: Broker, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut in the plan; each piece can be skipped, and a hole in a piece; the rest is read."""
    monkeypatch.setattr("connectors.kafka.planning.RANGE_RECORDS_MAX", 10)
    topic = broker.create(2)
    sent = [numbered(45), numbered(15, start=100)]
    for partition in (0, 1):
        broker.send(topic, *sent[partition], partition=partition)
    with running(broker, topic, **how) as run:
        window = run.log(run.plan())
        parts = [part.id for part in window.plans["source"].parts]
        assert parts == [f"{topic}:0@{at}" for at in (0, 9, 18, 27, 36)] + [
            f"{topic}:1@{at}" for at in (0, 7)
        ]
        assert values(ordered(run.rows(window))) == [*sent[0], *sent[1]]
        left = skipping(window, f"{topic}:0@9", f"{topic}:0@20-30", f"{topic}:1@0")
        kept = [*sent[0][:9], *sent[0][18:20], *sent[0][30:], *sent[1][7:]]
        assert values(ordered(run.rows(left))) == kept
        assert run.rows(skipping(window, topic)) == []
