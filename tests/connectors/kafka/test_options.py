"""What kafka-python takes wrongly, and cannot read; and brokers that are too old."""

from __future__ import annotations

from typing import Any

import pytest

from connectors import KafkaInput
from connectors.kafka.errors import HeaderUnreadable
from connectors.kafka.position import from_json
from tests.connectors.kafka.reading import running, skipping, values
from tests.connectors.kafka.world import Broker, numbered
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


def test_a_header_that_kafka_python_cannot_read_is_said(
    broker: Broker, how: dict[str, Any]
) -> None:
    """At once, as no other try helps: where it is, which reader can, and the skip that lets the
    rest go on. Spark's reads it."""
    topic = broker.create(3)
    broker.send(topic, *numbered(2))
    broker.send(topic, *numbered(2, start=2), partition=1)
    broker.send(topic, b"bad", partition=1, headers=[(Latin("stra\xdfe"), b"x")])
    broker.send(topic, *numbered(2, start=4), partition=2)
    with running(broker, topic, **how) as run:
        window = run.log(run.plan())
        if how["reader"] == "spark":
            assert b"bad" in values(run.rows(window))
            return
        with pytest.raises(Exception, match=f"{topic}") as caught:
            run.rows(window)
        assert isinstance(run.input, KafkaInput)
        told = run.input.explain(caught.value) or caught.value
        assert isinstance(told, HeaderUnreadable)
        assert not told.passing
        assert f"topic {topic}, partition 1: kafka-python cannot read on at offset 2" in str(told)
        assert "reader='spark'" in str(told)
        part = f"{topic}:1@2-3"
        assert f" --part {part} " in str(told)
        assert sorted(map(str, values(run.rows(skipping(window, part))))) == [
            str(value) for value in numbered(6)
        ]
