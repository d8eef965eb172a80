"""What kafka-python takes wrongly, and cannot read; and brokers that are too old."""

from __future__ import annotations

from typing import Any

import pytest

from connectors.kafka.errors import BrokerUnavailable
from connectors.kafka.position import from_json
from tests.connectors.kafka.reading import running, values
from tests.connectors.kafka.world import Broker
from windowlog.errors import BadArgument


@pytest.mark.parametrize(
    "client",
    [
        {"request_timeout_ms": "30000"},
        {"metadata_max_age_ms": "1"},
        {"check_crcs": "false"},
        {"fetch_max_bytes": None},
        {"kafka_client": None},
        {"connections_max_idle_ms": 5000},
        {"fetch_max_wait_ms": 600_000},
    ],
    ids=repr,
)
def test_an_option_that_serves_nothing_is_named(broker: Broker, client: dict[str, Any]) -> None:
    """At once: no error of Python's, no waiting for what cannot come, and none that is passing."""
    topic = broker.create()
    broker.send(topic, b"one")
    told = r"client=.*" + next(iter(client))
    with running(broker, topic, client=client) as run, pytest.raises(BadArgument, match=told):
        run.drain()


def test_a_broker_before_topic_ids_is_refused(broker: Broker) -> None:
    """Another topic of the same name could not be told from it."""
    topic = broker.create()
    told = r"bootstrap_servers=.*Kafka 2\.8"
    old = {"api_version": (2, 0)}
    with running(broker, topic, client=old) as run, pytest.raises(BadArgument, match=told):
        run.plan()


def test_brokers_before_3_7_are_read(broker: Broker) -> None:
    """Their answer about the cluster lacks what kafka-python wants of it."""
    topic = broker.create()
    broker.send(topic, b"one")
    with (
        running(broker, topic) as run,
        running(broker, topic, client={"api_version": (2, 8)}) as old,
    ):
        assert values(old.drain()) == [b"one"]
        assert from_json(old.plan().end).cluster == from_json(run.plan().end).cluster


class Latin(str):
    """A name that is sent in another encoding."""

    __slots__ = ()

    def encode(self, encoding: str = "", errors: str = "") -> bytes:
        """As its sender likes it."""
        return super().encode("latin-1")


def test_a_header_that_kafka_python_cannot_read_is_said(broker: Broker) -> None:
    """And which reader can."""
    topic = broker.create()
    broker.send(topic, b"one", headers=[(Latin("stra\xdfe"), b"x")])
    told = r"CorruptRecordError.*reader='spark'"
    with running(broker, topic) as run, pytest.raises(BrokerUnavailable, match=told):
        run.drain()
