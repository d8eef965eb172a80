"""A process of its own that writes to topics and reads from them with plain clients of
kafka-python, and nothing of the kit; gears may fork as they like, without its threads.

Asked on standard input, one JSON object a line; answers on standard output. While a broker is away
it tries again; a record may so come twice, as with any producer, and is read twice by everybody.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]
# A broker that was killed is back long before.
PATIENCE_S = 90.0
_POLL_MS = 50


class Clerk:
    """`with Clerk(BOOTSTRAP) as clerk: clerk.ends("topic")`."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.kill.clerk", self.bootstrap],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def ask(self, verb: str, **given: Any) -> Any:
        """One of `Desk`'s methods."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([verb, given]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"the clerk has ended, asked for {verb}"
        return json.loads(answer)


class Desk:
    """What the clerk does."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._clients: dict[str, Any] = {}

    def warm(self) -> None:
        """Let brokers make what they keep for groups and for transactions."""
        name = f"warm-{secrets.token_hex(4)}"
        self.create(name, 1, 1)
        self.transact(name, [(0, "warm")], commit=True)
        self.commit(name, name, [0])

    def create(self, topic: str, partitions: int, replicas: int) -> None:
        """A topic."""
        from kafka.errors import TopicAlreadyExistsError

        asked = {topic: {"num_partitions": partitions, "replication_factor": replicas}}
        with suppress(TopicAlreadyExistsError):
            self._admin().create_topics(asked, wait_for_metadata=True)

    def grow(self, topic: str, partitions: int) -> None:
        """Up to so many partitions. Producers learn of them anew."""
        if self.partitions(topic) < partitions:
            self._admin().create_partitions({topic: partitions})
        while self.partitions(topic) < partitions:
            time.sleep(0.02)
        self.drop()

    def partitions(self, topic: str) -> int:
        """How many there are."""
        return len(self._admin().describe_topics([topic])[0]["partitions"])

    def send(self, topic: str, records: Sequence[tuple[int, str | None]]) -> None:
        """Without a transaction: (partition, text) each; no text is a tombstone."""
        producer = self._client("plain", _producer, enable_idempotence=False, acks="all")
        for sent in [_sent(producer, topic, *record) for record in records]:
            sent.get(timeout=PATIENCE_S)

    def transact(self, topic: str, records: Sequence[tuple[int, str | None]], commit: bool) -> None:
        """In a transaction, which is committed or aborted."""
        name = f"transactions of {topic}"
        producer = self._client(name, _producer, transactional_id=name)
        producer.begin_transaction()
        for record in records:
            _sent(producer, topic, *record)
        producer.flush()
        if commit:
            producer.commit_transaction()
        else:
            producer.abort_transaction()

    def fence(self, transactional_id: str) -> None:
        """What a producer of that id has left open is aborted, as when it starts again."""
        producer = _producer(self._bootstrap, transactional_id=transactional_id)
        producer.init_transactions()
        producer.close()

    def ends(self, topic: str) -> list[int]:
        """What an application could read now that reads committed records only."""
        return self._ends(topic, "read_committed")

    def latest(self, topic: str) -> list[int]:
        """The ends, open transactions and all."""
        return self._ends(topic, "read_uncommitted")

    def _ends(self, topic: str, isolation: str) -> list[int]:
        from kafka import TopicPartition

        places = [TopicPartition(topic, number) for number in range(self.partitions(topic))]
        consumer = self._client(isolation, _consumer, isolation_level=isolation)
        found = consumer.end_offsets(places)
        return [found[place] for place in places]

    def read(self, topic: str, partition: int, start: int, end: int) -> list[str]:
        """The texts of a range: read until the consumer's own position has passed the end."""
        from kafka import TopicPartition

        consumer = self._client(
            "reader", _consumer, isolation_level="read_committed", fetch_max_wait_ms=10
        )
        place = TopicPartition(topic, partition)
        consumer.assign([place])
        consumer.seek(place, start)
        texts: list[str] = []
        while consumer.position(place) < end:
            for record in consumer.poll(timeout_ms=_POLL_MS).get(place, ()):
                if record.offset < end and record.value is not None:
                    texts.append(record.value.decode())
        return texts

    def commit(self, group: str, topic: str, offsets: Sequence[int]) -> None:
        """As a consumer of that group would."""
        from kafka import TopicPartition
        from kafka.structs import OffsetAndMetadata

        consumer = _consumer(self._bootstrap, group_id=group)
        wanted = {
            TopicPartition(topic, number): OffsetAndMetadata(offset, "", -1)
            for number, offset in enumerate(offsets)
        }
        consumer.assign(list(wanted))
        consumer.commit(wanted)
        consumer.close()

    def committed(self, group: str, topic: str) -> dict[int, int]:
        """Partition -> what the group has committed, where it has."""
        found = self._admin().list_group_offsets({group: None})[group]
        return {
            place.partition: at.offset
            for place, at in found.items()
            if place.topic == topic and at.offset >= 0
        }

    def _admin(self) -> Any:
        from kafka import KafkaAdminClient

        return self._client("admin", lambda where: KafkaAdminClient(bootstrap_servers=where))

    def _client(self, name: str, make: Callable[..., Any], **options: Any) -> Any:
        if name not in self._clients:
            self._clients[name] = make(self._bootstrap, **options)
            if "transactional_id" in options:
                self._clients[name].init_transactions()
        return self._clients[name]

    def drop(self) -> None:
        """Whatever state clients are in: new ones."""
        clients, self._clients = self._clients, {}
        for client in clients.values():
            with suppress(Exception):
                client.close()


def _producer(bootstrap: str, **options: Any) -> Any:
    from kafka import KafkaProducer

    return KafkaProducer(bootstrap_servers=bootstrap, **options)


def _consumer(bootstrap: str, **options: Any) -> Any:
    from kafka import KafkaConsumer

    return KafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False, **options)


def _sent(producer: Any, topic: str, partition: int, text: str | None) -> Any:
    if text is None:
        return producer.send(topic, None, key=b"gone", partition=partition)
    return producer.send(topic, text.encode(), partition=partition)


def main() -> None:
    """Answer until nobody asks."""
    desk = Desk(sys.argv[1])
    for line in sys.stdin:
        verb, given = json.loads(line)
        print(json.dumps(_patiently(desk, verb, given)), flush=True)


def _patiently(desk: Desk, verb: str, given: dict[str, Any]) -> Any:
    from kafka.errors import KafkaError

    limit = time.monotonic() + PATIENCE_S
    while True:
        try:
            return getattr(desk, verb)(**given)
        except (KafkaError, AssertionError, OSError):
            desk.drop()
            if time.monotonic() > limit:
                raise
            time.sleep(0.2)


if __name__ == "__main__":
    main()
