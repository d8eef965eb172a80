"""Topics of one broker, and what happens to them: made by kafka-python's own clients, not by the
code under test."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

SOON_S = 20.0


class Broker:
    """One broker's topics. Each name that it gives is new."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.admin = KafkaAdminClient(bootstrap_servers=bootstrap)
        self._producer: KafkaProducer | None = None

    @property
    def producer(self) -> KafkaProducer:
        """A plain one, for all tests."""
        if self._producer is None:
            self._producer = KafkaProducer(bootstrap_servers=self.bootstrap)
        return self._producer

    def forget_producer(self) -> None:
        """The next one knows what has changed."""
        if self._producer is not None:
            self._producer.close()
        self._producer = None

    def close(self) -> None:
        """Let go of it."""
        self.forget_producer()
        self.admin.close()

    def create(self, partitions: int = 1, name: str | None = None, **configs: str) -> str:
        """A topic; its settings with underscores for dots."""
        name = name or f"t-{secrets.token_hex(4)}"
        values = {key.replace("_", "."): value for key, value in configs.items()}
        topic = {"num_partitions": partitions, "replication_factor": 1, "configs": values}
        self.admin.create_topics({name: topic}, wait_for_metadata=True)
        return name

    def grow(self, topic: str, partitions: int) -> None:
        """More partitions."""
        self.admin.create_partitions({topic: partitions})
        until(lambda: len(self.admin.describe_topics([topic])[0]["partitions"]) == partitions)
        self.forget_producer()

    def delete(self, topic: str) -> None:
        """The topic goes, surely."""
        self.admin.delete_topics([topic])
        until(lambda: self.admin.describe_topics([topic])[0]["error_code"] != 0)

    def recreate(self, topic: str, partitions: int = 1) -> None:
        """Another topic of the same name."""
        self.delete(topic)
        self.create(partitions, topic)

    def send(self, topic: str, *values: bytes | None, partition: int = 0, **more: Any) -> None:
        """Records, one after the other, surely written."""
        sent = [self.producer.send(topic, value, partition=partition, **more) for value in values]
        for one in sent:
            one.get(timeout=SOON_S)

    def delete_records(self, topic: str, before: int, partition: int = 0) -> None:
        """What lies before an offset goes, as by retention."""
        self.admin.delete_records({TopicPartition(topic, partition): before})

    def topic_id(self, topic: str) -> str:
        """Its id."""
        return str(self.admin.describe_topics([topic])[0]["topic_id"])

    @contextmanager
    def transactions(self, **more: Any) -> Iterator[KafkaProducer]:
        """A transactional producer."""
        producer = KafkaProducer(
            bootstrap_servers=self.bootstrap,
            transactional_id=f"x-{secrets.token_hex(4)}",
            **more,
        )
        try:
            producer.init_transactions()
            yield producer
        finally:
            producer.close()

    def transact(
        self, topic: str, *values: bytes, partition: int = 0, commit: bool = True, **more: Any
    ) -> None:
        """One transaction, which ends."""
        with self.transactions(**more) as producer:
            begin(producer, topic, *values, partition=partition)
            if commit:
                producer.commit_transaction()
            else:
                producer.abort_transaction()
            self.settle(topic, partition)

    def settle(self, topic: str, partition: int = 0) -> None:
        """The markers of transactions that have ended come a moment later."""
        place = {TopicPartition(topic, partition): -1}
        until(
            lambda: (
                self.admin.list_partition_offsets(place, isolation_level="read_committed")
                == self.admin.list_partition_offsets(place)
            )
        )

    def records(self, topic: str, start: int, end: int, partition: int = 0) -> list[Any]:
        """An independent consumer's records of a range, committed ones only: read until its own
        position has passed the end."""
        consumer = KafkaConsumer(
            bootstrap_servers=self.bootstrap,
            isolation_level="read_committed",
            enable_auto_commit=False,
        )
        place = TopicPartition(topic, partition)
        found: list[Any] = []
        consumer.assign([place])
        consumer.seek(place, start)
        while consumer.position(place) < end:
            found += [one for some in consumer.poll(timeout_ms=50).values() for one in some]
        consumer.close()
        return [record for record in found if record.offset < end]

    def ends(self, topic: str, partitions: int = 1) -> list[int]:
        """The end of each partition, open transactions and all."""
        places = [TopicPartition(topic, number) for number in range(partitions)]
        found = self.admin.list_partition_offsets(dict.fromkeys(places, -1))
        return [found[place].offset for place in places]


def begin(producer: KafkaProducer, topic: str, *values: bytes, partition: int = 0) -> None:
    """Begin a transaction and write to it; it stays open."""
    producer.begin_transaction()
    for value in values:
        producer.send(topic, value, partition=partition)
    producer.flush()


def until(true: Callable[[], object]) -> None:
    """Wait for it, not for ever."""
    limit = time.monotonic() + SOON_S
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.02)


def numbered(count: int, start: int = 0) -> Sequence[bytes]:
    """Values, all different."""
    return [b"v%d" % number for number in range(start, start + count)]
