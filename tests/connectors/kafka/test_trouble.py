"""Brokers that are down, come back, hang, say no, or are not the same any more."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ResourcePattern,
    ResourceType,
)

from connectors import KafkaInput
from connectors.kafka.connection import Connection
from connectors.kafka.errors import (
    AccessDenied,
    BrokerUnavailable,
    ClusterChanged,
    OffsetsTruncated,
    ReadStalled,
)
from connectors.kafka.look import Look
from connectors.kafka.rows import to_chunks
from tests.connectors.kafka.pipelines import KafkaWorld
from tests.connectors.kafka.reading import noise, running, values
from tests.connectors.kafka.test_losses import caught
from tests.connectors.kafka.test_planning import settings_of
from tests.connectors.kafka.test_starts import commit
from tests.connectors.kafka.world import Broker, numbered
from tests.machine import need_java
from windowed.testing.services import KafkaService
from windowed.testing.services.daemon import free_port
from windowlog.errors import SourceChanged
from windowlog.values import Bounds


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaService]:
    """A broker of this file: it is killed, paused and replaced."""
    need_java()
    with KafkaService(tmp_path_factory.mktemp("own")) as service:
        yield service


@pytest.fixture
def mine(own: KafkaService) -> Iterator[Broker]:
    """Its topics."""
    broker = Broker(own.bootstrap)
    yield broker
    broker.close()


def test_a_broker_that_is_down_at_the_start_is_an_error() -> None:
    """Soon, with its address; it is passing, and nothing is logged."""
    nowhere = f"127.0.0.1:{free_port()}"
    source = KafkaInput(nowhere, ["t"], stall_timeout_s=1)
    started = time.monotonic()
    with pytest.raises(BrokerUnavailable, match=nowhere) as told:
        source.bounds()
    assert time.monotonic() - started < 5
    assert told.value.passing
    source.close()


def test_it_is_said_how_often_and_how_long_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that fails after more than `stall_timeout_s` has had one try, and no 60 s of them."""
    now_s = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now_s[0], sleep=lambda _: None)
    monkeypatch.setattr("connectors.kafka.connection.time", clock)
    connection = Connection(settings_of(stall_timeout_s=60), "topic")

    def failing_after(seconds: float) -> None:
        now_s[0] += seconds
        raise ConnectionResetError

    for seconds, told in ((100, "tried once, which took 100.0 s"), (25, "tried 3 times in 75.0 s")):
        with pytest.raises(BrokerUnavailable, match=told):
            connection.call("a read", partial(failing_after, seconds))


def test_a_broker_killed_while_it_is_read_from_gives_the_same_rows(
    own: KafkaService, mine: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first rows have come; it is back in time, on its old address."""
    topic = mine.create()
    sent = noise(300)
    mine.send(topic, *sent)
    small = {"max_partition_fetch_bytes": 20_000, "fetch_max_bytes": 20_000}
    starter = threading.Thread(target=own.broker.start)
    came: list[int] = []

    def kill_after_the_first(records: Any, *place: Any) -> Any:
        if not came:
            own.broker.kill()
            starter.start()
        came.append(len(records))
        return to_chunks(records, *place)

    monkeypatch.setattr("connectors.kafka.read.to_chunks", kill_after_the_first)
    with running(mine, topic, stall_timeout_s=60, client=small) as run:
        window = run.log(run.plan())
        assert values(run.rows(window)) == sent
        assert came[0] < len(sent)
        starter.join()
        run.hold(window)


def test_a_read_that_comes_no_further_is_an_error(own: KafkaService, mine: Broker) -> None:
    """The broker hangs: partition, position and end are named; the next run replays."""
    topic = mine.create()
    sent = numbered(5)
    mine.send(topic, *sent)
    with running(mine, topic, stall_timeout_s=2) as run:
        window = run.log(run.plan())
        own.broker.pause()
        started = time.monotonic()
        told = f"topic {topic}, partition 0: .* at offset 0 of 5"
        with pytest.raises((ReadStalled, BrokerUnavailable), match=f"{told}|tried .* s"):
            run.rows(window)
        assert time.monotonic() - started < 12
        own.broker.resume()
        run.crash().start()
        assert values(run.replay()) == sent


def test_a_broker_that_answers_from_old_knowledge_is_asked_again(broker: Broker) -> None:
    """An end before the position, a topic of before: no loss, as a second look says otherwise; and
    nothing new."""
    topic = broker.create(2)
    broker.send(topic, *numbered(3))
    with running(broker, topic) as run:
        run.drain()
        now = run.input.bounds().detail
        assert isinstance(now, Look)
        here = now.topics[topic]
        old_end = replace(here.partitions[0], stable=1, latest=1)
        for old in (
            {topic: replace(here, partitions=(old_end, here.partitions[1]))},
            {topic: replace(here, partitions=here.partitions[:1])},
            {},
        ):
            plan = run.input.plan(run.after, Bounds(replace(now, topics=old)))
            assert (plan.parts, plan.end) == ((), run.after)


@pytest.mark.parametrize("start", ["latest", "offsets", "group", "moment"])
def test_a_first_look_that_lacks_a_topic_pins_no_start(broker: Broker, start: str) -> None:
    """A broker that has just come up does not know it yet. It starts where it was told, not later
    at its beginning, as topics that join do."""
    topic, group = broker.create(), f"g-{secrets.token_hex(4)}"
    broker.send(topic, *numbered(3))
    commit(broker, group, topic, 0, 3)
    where = {"latest": "latest", "offsets": {topic: {0: 3}}, "group": "group"}
    chosen = where.get(start, datetime.now(UTC) + timedelta(minutes=1))
    with running(broker, topic, start=chosen, group_id=group) as run:
        now = run.input.bounds().detail
        assert isinstance(now, Look)
        run.hold(run.log(run.plan(Bounds(replace(now, topics={})))))
        broker.send(topic, b"new")
        assert values(run.drain()) == [b"new"]


def test_a_topic_that_may_not_be_read_is_an_error(broker: Broker) -> None:
    """It may be described, so it can be planned; reading says no."""
    topic = broker.create()
    broker.send(topic, *numbered(3))
    denied = ACL(
        "User:ANONYMOUS",
        "*",
        ACLOperation.READ,
        ACLPermissionType.DENY,
        ResourcePattern(ResourceType.TOPIC, topic),
    )
    with running(broker, topic) as run:
        window = run.log(run.plan())
        broker.admin.create_acls([denied])
        with pytest.raises(AccessDenied, match=topic):
            run.rows(window)
        everything = ACLFilter(
            None,
            None,
            ACLOperation.ANY,
            ACLPermissionType.ANY,
            ResourcePattern(ResourceType.TOPIC, topic),
        )
        broker.admin.delete_acls([everything])
        assert len(run.rows(window)) == 3


def test_a_broker_that_comes_back_is_waited_for(own: KafkaService, mine: Broker) -> None:
    """Down while a plan is made; the connection of before is of no use any more."""
    topic = mine.create()
    mine.send(topic, b"one")
    with running(mine, topic, stall_timeout_s=60) as run:
        run.window()
        mine.send(topic, b"two")
        own.broker.kill()
        starter = threading.Timer(0.5, own.broker.start)
        starter.start()
        assert values(run.window()) == [b"two"]
        starter.join()


def test_a_partition_that_was_truncated_is_an_error(own: KafkaService, mine: Broker) -> None:
    """Its log was lost while the broker was down: what was planned, and what comes next."""
    topic, other = mine.create(), mine.create()
    for name in (topic, other):
        mine.send(name, *numbered(5))
    world, planned = KafkaWorld(mine, topic), KafkaWorld(mine, other)
    world.run()
    planned.plan_and_die()
    own.broker.kill()
    for name in (topic, other):
        for file in (own.folder / "data" / f"{name}-0").glob("0*"):
            file.unlink()
    own.broker.start()
    mine.forget_producer()
    mine.send(topic, b"new", b"er")
    told = f"topic {topic}, partition 0", "offset 5", "ends at 2 (earliest 0)", "at most 3 records"
    go_on, again = caught(OffsetsTruncated, world.run, *told)
    assert (go_on.split()[-1], again.split()[-1]) == (f"{topic}:0@2", f"{topic}:0@beginning")
    assert world.command(again) == 0
    world.run()
    assert world.values() == [*numbered(5), b"new", b"er"]
    (skip,) = caught(SourceChanged, planned.run, "earliest 0, latest 0", "5 records are gone")
    assert f"--part {other}:0@0 " in skip


def test_another_cluster_at_the_same_address_is_an_error(own: KafkaService, mine: Broker) -> None:
    """Though it has a topic of that name, with as many records."""
    topic = mine.create()
    mine.send(topic, *numbered(5))
    world = KafkaWorld(mine, topic)
    world.run()
    own.broker.kill()
    shutil.rmtree(own.folder / "data")
    own.start()
    replaced = Broker(own.bootstrap)
    replaced.create(name=topic)
    replaced.send(topic, *numbered(6, start=100))
    beginning, end = caught(ClusterChanged, world.run, own.bootstrap)
    assert (beginning.split()[-1], end.split()[-1]) == ("beginning", "end")
    assert world.command(end) == 0
    replaced.send(topic, b"later")
    world.run()
    assert world.values() == [*numbered(5), b"later"]
    replaced.close()


def test_without_kafka_python_it_says_what_to_install(tmp_path: Path) -> None:
    """In a process that has none."""
    (tmp_path / "kafka").mkdir()
    (tmp_path / "kafka" / "__init__.py").write_text("raise ImportError('none here')\n")
    code = "from connectors import KafkaInput; KafkaInput('a:1', ['t']).bounds()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "pip install 'windowed-connectors[kafka]'. Nothing was changed. [KF1]" in done.stderr
