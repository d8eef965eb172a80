"""KafkaService: a real Kafka for tests. That its broker ends when it should, test_daemon shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import KafkaTimeoutError, UnknownTopicOrPartitionError

from tests.machine import need_java
from windowed.testing.services import KafkaService, ServiceFailed


def test_it_tells_where_it_is(kafka: KafkaService) -> None:
    """Its own listener, and what `make services` writes."""
    assert kafka.addresses() == {"KAFKA_BOOTSTRAP": kafka.bootstrap}
    assert kafka.bootstrap.startswith("127.0.0.1:")
    with pytest.raises(KeyError):
        kafka.address("NOBODY")


def test_no_topic_comes_into_being_by_being_asked_for(kafka: KafkaService) -> None:
    """Neither by a reader nor by a writer."""
    admin = KafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    with pytest.raises(UnknownTopicOrPartitionError):
        admin.list_partition_offsets({TopicPartition("nowhere", 0): -1})
    admin.close()


def test_another_listener_is_the_same_broker(kafka: KafkaService) -> None:
    """It asks for a name there. That what was written is there after a restart, the tests of the
    Kafka input show."""
    secret = kafka.address("SECRET")
    assert secret != kafka.bootstrap
    with pytest.raises(KafkaTimeoutError):
        KafkaAdminClient(bootstrap_servers=secret, bootstrap_timeout_ms=500)


def test_settings_that_kafka_does_not_take_are_said(tmp_path: Path) -> None:
    """With what it said, and nothing is left running."""
    need_java()
    kafka = KafkaService(tmp_path / "kafka", more={"process.roles": "cook"})
    with pytest.raises(ServiceFailed, match="cook"):
        kafka.start()
    assert not kafka.broker.alive
