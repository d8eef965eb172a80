"""Records of ranges, one reading after the other with one consumer; in packets, and one by one as
an unknown kafka-python gives them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from kafka import KafkaProducer

from connectors.kafka import fetch as fetching
from connectors.kafka import packets
from connectors.kafka.columns import Columns, columns
from connectors.kafka.connection import Connection
from connectors.kafka.fetch import Range, Undecodable, fetch, open_consumer
from connectors.kafka.options import for_consumers
from connectors.kafka.packets import Packet
from connectors.kafka.rows import to_chunks
from tests.connectors.kafka.test_options import Latin
from tests.connectors.kafka.test_planning import settings_of
from tests.connectors.kafka.world import Broker, numbered


@pytest.fixture(params=["in packets", "one by one"])
def opener(
    request: pytest.FixtureRequest, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Any]:
    """Makes a consumer."""
    if request.param == "one by one":
        monkeypatch.setattr(fetching, "unopened", lambda _: None)
    options = for_consumers(settings_of(bootstrap_servers=broker.bootstrap))
    return lambda: closing(open_consumer(options))


@pytest.mark.parametrize("short", [0, 1])
def test_a_partition_that_was_read_in_part_goes_on_in_the_next_reading(
    broker: Broker, opener: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, short: int
) -> None:
    """Its records may lie in the consumer already, behind those that were wanted, while another
    partition is read on. Which of the two comes first is the broker's choice."""
    monkeypatch.setattr(fetching, "RECORDS_AT_ONCE", 3)
    topic = broker.create(2)
    for partition in (0, 1):
        broker.send(topic, *numbered(30), partition=partition)

    def offsets(*ranges: Range) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for at, records in fetch(consumer, ranges, 3.0):
            [chunk] = to_chunks(records, topic, ranges[at][1])
            found.setdefault(ranges[at][1], []).extend(chunk.column("offset").to_pylist())
        return found

    with opener() as consumer:
        first = offsets((topic, short, 0, 3), (topic, 1 - short, 0, 30))
        assert first == {short: list(range(3)), 1 - short: list(range(30))}
        assert offsets((topic, short, 3, 30)) == {short: list(range(3, 30))}
        assert offsets((topic, short, 0, 30)) == {short: list(range(30))}


def test_no_more_is_unpacked_than_a_small_window_needs(
    broker: Broker, opener: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of long partitions: unpacking is what takes time. The collector is off for as long as that
    takes, and for nobody else."""
    topic, unpacked = broker.create(3), list[int]()
    for partition in range(3):
        broker.send(topic, *numbered(200), partition=partition)
    original = columns

    def counted_columns(*given: Any) -> Any:
        assert not gc.isenabled()
        found = original(*given)
        unpacked.append(len(found or ()))
        return found

    monkeypatch.setattr(packets, "columns", counted_columns)
    with opener() as consumer:
        poll = consumer.poll

        def counted(**given: Any) -> Any:
            assert not gc.isenabled()
            found = poll(**given)
            records = [record for some in found.values() for record in some]
            unpacked.append(sum(not isinstance(record.value, Packet) for record in records))
            return found

        monkeypatch.setattr(consumer, "poll", counted)
        ranges = [(topic, partition, 5, 15) for partition in range(3)]
        wanted = sum(
            chunk.num_rows
            for _, records in fetch(consumer, ranges, 3.0)
            for chunk in to_chunks(records, topic, 0)
        )
    assert wanted == sum(unpacked) == 30
    assert gc.isenabled()


@pytest.mark.parametrize("where", ["driver", "task"])
def test_this_kafka_python_gives_packets(broker: Broker, where: str) -> None:
    """Many records come as columns, few one by one; markers and aborted records not at all."""
    topic = broker.create()
    for count, commit in ((40, True), (30, False), (5, True)):
        broker.transact(topic, *numbered(count), commit=commit, linger_ms=500)
    settings = settings_of(bootstrap_servers=broker.bootstrap)
    made = Connection(settings, "t").consumer if where == "driver" else None
    with closing(made or open_consumer(for_consumers(settings))) as consumer:
        found = [one for _, some in fetch(consumer, [(topic, 0, 2, 78)], 3.0) for one in some]
    assert isinstance(found[0], Columns)
    assert found[0].offsets == list(range(2, 40))
    assert [one.offset for one in found[1:]] == list(range(72, 77))


@pytest.mark.parametrize("before", [3, 30])
def test_a_header_that_cannot_be_unpacked_is_told_with_its_place(
    broker: Broker, opener: Callable[[], Any], before: int
) -> None:
    """Behind others of its packet, whose range may end before it. One by one, kafka-python does not
    say of which partition."""
    topic = broker.create(2)
    headers = [(Latin("stra\xdfe"), b"")]
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap, linger_ms=500)) as producer:
        for value in numbered(before):
            producer.send(topic, value, partition=1)
        producer.send(topic, b"odd", partition=1, headers=headers)
    ranges = [(topic, 0, 0, 1), (topic, 1, 1, before + 1)]
    broker.send(topic, b"fine")
    with opener() as consumer:
        with pytest.raises(Undecodable) as caught:
            list(fetch(consumer, ranges, 3.0))
        assert caught.value.args[-1] == (topic, 1, before, before + 1)
    with opener() as consumer:
        some = [
            chunk
            for _, found in fetch(consumer, [(topic, 1, 0, before)], 3.0)
            for chunk in to_chunks(found, topic, 1)
        ]
    assert sum(chunk.num_rows for chunk in some) == before
