"""Records of ranges, one reading after the other with one consumer."""

from __future__ import annotations

import gc
from contextlib import closing
from typing import Any

import pytest

from connectors.kafka import fetch as fetching
from connectors.kafka.fetch import Range, fetch, open_consumer
from connectors.kafka.options import for_consumers
from tests.connectors.kafka.test_planning import settings_of
from tests.connectors.kafka.world import Broker, numbered


@pytest.mark.parametrize("short", [0, 1])
def test_a_partition_that_was_read_in_part_goes_on_in_the_next_reading(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, short: int
) -> None:
    """Its records may lie in the consumer already, behind those that were wanted, while another
    partition is read on. Which of the two comes first is the broker's choice."""
    monkeypatch.setattr(fetching, "RECORDS_AT_ONCE", 3)
    topic = broker.create(2)
    for partition in (0, 1):
        broker.send(topic, *numbered(30), partition=partition)
    options = for_consumers(settings_of(bootstrap_servers=broker.bootstrap))

    def offsets(*ranges: Range) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for at, records in fetch(consumer, ranges, 3.0):
            found.setdefault(ranges[at][1], []).extend(record.offset for record in records)
        return found

    with closing(open_consumer(options)) as consumer:
        first = offsets((topic, short, 0, 3), (topic, 1 - short, 0, 30))
        assert first == {short: list(range(3)), 1 - short: list(range(30))}
        assert offsets((topic, short, 3, 30)) == {short: list(range(3, 30))}
        assert offsets((topic, short, 0, 30)) == {short: list(range(30))}


def test_no_more_is_unpacked_than_a_small_window_needs(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of long partitions: unpacking is what takes time. The collector is off for as long as that
    takes, and for nobody else."""
    topic, polled = broker.create(3), list[int]()
    for partition in range(3):
        broker.send(topic, *numbered(200), partition=partition)
    options = for_consumers(settings_of(bootstrap_servers=broker.bootstrap))
    with closing(open_consumer(options)) as consumer:
        poll = consumer.poll

        def counted(**given: Any) -> Any:
            assert not gc.isenabled()
            found = poll(**given)
            polled.append(sum(map(len, found.values())))
            return found

        monkeypatch.setattr(consumer, "poll", counted)
        ranges = [(topic, partition, 5, 15) for partition in range(3)]
        wanted = sum(len(records) for _, records in fetch(consumer, ranges, 3.0))
    assert wanted == sum(polled) == 30
    assert gc.isenabled()
