"""Records of ranges, one reading after the other with one consumer."""

from __future__ import annotations

from contextlib import closing

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
