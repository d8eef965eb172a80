"""Addresses: one of several servers hangs; one that brokers advertise is reached by nobody."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest

from connectors.kafka.connection import Connection
from connectors.kafka.errors import BrokerUnavailable
from connectors.kafka.knock import Door
from tests.connectors.kafka.reading import running, values
from tests.connectors.kafka.test_planning import settings_of
from tests.connectors.kafka.world import Broker
from windowed.testing.services.daemon import free_port


def test_a_server_that_hangs_is_passed_by(broker: Broker) -> None:
    """It takes connections and says nothing. kafka-python would wait for it, until all is over."""
    topic = broker.create()
    broker.send(topic, b"one")
    with closing(socket.create_server(("127.0.0.1", 0), backlog=100)) as mute:
        hanging = [f"127.0.0.1:{mute.getsockname()[1]}"] * 2
        servers = [*hanging, broker.bootstrap]
        with running(broker, topic, bootstrap_servers=servers, stall_timeout_s=9) as run:
            assert values(run.drain()) == [b"one"]


def test_an_address_that_leads_nowhere_is_told(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brokers advertise it: what was given as bootstrap_servers is right, and that is not."""
    nowhere = free_port()
    monkeypatch.setattr(Door, "brokers", lambda _: [("127.0.0.1", nowhere)])
    settings = settings_of(bootstrap_servers=broker.bootstrap, stall_timeout_s=1)
    connection = Connection(settings, "topic")

    def fail() -> None:
        assert connection.admin
        raise ConnectionResetError

    with pytest.raises(BrokerUnavailable, match=rf"127.0.0.1:{nowhere} \(.*advertised.listeners"):
        connection.call("a read", fail)
