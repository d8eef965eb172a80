"""Where windows start, what joins later, where reading stops, and what is told to the brokers."""

from __future__ import annotations

import secrets
import time
import warnings
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kafka import TopicPartition
from kafka.structs import OffsetAndMetadata

from connectors.kafka import KafkaInput
from connectors.kafka.errors import (
    GroupTaken,
    NothingMatches,
    OffsetsLost,
    OffsetsTruncated,
    TransactionOpen,
)
from connectors.kafka.position import from_json
from tests.connectors.kafka.reading import running, values
from tests.connectors.kafka.world import Broker, begin, numbered, until
from windowlog.errors import BadArgument


def kafka_input(run: Any) -> KafkaInput:
    """The run's input, as what it is."""
    assert isinstance(run.input, KafkaInput)
    return run.input


def test_the_first_window_pins_the_start(broker: Broker) -> None:
    """`latest` is where the first window was planned, though it is empty and the driver dies."""
    topic = broker.create(2)
    broker.send(topic, b"before")
    with running(broker, topic, start="latest") as run:
        first = run.log(run.plan())
        broker.send(topic, b"after")
        run.crash().start()
        assert run.replay() == []
        assert first.plans["source"].empty
        assert values(run.drain()) == [b"after"]


def test_latest_is_before_an_open_transaction(broker: Broker) -> None:
    """Its records are not there yet: they come once it commits."""
    topic = broker.create()
    with broker.transactions() as producer:
        begin(producer, topic, b"later")
        with running(broker, topic, start="latest") as run:
            run.hold(run.log(run.plan()))
            producer.commit_transaction()
            broker.settle(topic)
            assert values(run.drain()) == [b"later"]


def test_a_time_is_where_the_first_record_is_not_older(broker: Broker) -> None:
    """A partition without one that young starts at its end."""
    topic = broker.create(2, retention_ms="-1")
    moment = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
    for minutes in (-1, 0, 1):
        at_ms = int((moment + timedelta(minutes=minutes)).timestamp() * 1000)
        broker.send(topic, b"%d" % minutes, timestamp_ms=at_ms)
        broker.send(topic, b"old", timestamp_ms=5, partition=1)
    with running(broker, topic, start=moment) as run:
        assert values(run.drain()) == [b"0", b"1"]


def test_given_offsets_are_where_it_starts(broker: Broker) -> None:
    """Others start at the fallback."""
    topic = broker.create(2)
    for partition in (0, 1):
        broker.send(topic, *numbered(4, start=10 * partition), partition=partition)
    with running(broker, topic, start={topic: {1: 2}}, fallback="latest") as run:
        assert values(run.drain()) == [b"v12", b"v13"]


@pytest.mark.parametrize(("offset", "error"), [(1, OffsetsLost), (9, OffsetsTruncated)])
def test_a_given_offset_that_is_not_there_is_an_error(
    broker: Broker, offset: int, error: type[Exception]
) -> None:
    """It says what there is, and no command: nothing is logged that could be reset."""
    topic = broker.create()
    broker.send(topic, *numbered(5))
    broker.delete_records(topic, 3)
    with running(broker, topic, start={topic: {0: offset}}) as run:
        with pytest.raises(error, match=r"(?s)earliest .*3.*start=") as caught:
            run.plan()
        assert "python -m windowed" not in str(caught.value)


def test_a_group_is_where_it_had_come_to(broker: Broker) -> None:
    """A partition of which it has committed nothing starts at the fallback."""
    topic, group = broker.create(2), f"g-{secrets.token_hex(4)}"
    for partition in (0, 1):
        broker.send(topic, *numbered(4, start=10 * partition), partition=partition)
    commit(broker, group, topic, 0, 3)
    with running(broker, topic, start="group", group_id=group) as run:
        assert values(run.drain()) == [b"v3", b"v10", b"v11", b"v12", b"v13"]


def test_the_position_is_committed_for_the_group_and_never_read_again(broker: Broker) -> None:
    """Lag tools see it; moving it moves nothing, before a plan (a start has committed it anew) and
    between plan and read."""
    topic, group = broker.create(2), f"g-{secrets.token_hex(4)}"
    broker.send(topic, *numbered(3))
    with running(broker, topic, group_id=group, max_records_per_window=2) as run:
        run.window()
        assert committed(broker, group, topic) == {0: 2, 1: 0}
        commit(broker, group, topic, 0, 0)
        run.crash().start()
        commit(broker, group, topic, 0, 0)
        window = run.log(run.plan())
        assert values(run.rows(window)) == [b"v2"]
        commit(broker, group, topic, 0, 3)
        assert values(run.rows(window)) == [b"v2"]
        run.hold(window)
        assert committed(broker, group, topic) == {0: 3, 1: 0}


def test_a_group_with_members_is_refused(broker: Broker) -> None:
    """Its offsets are theirs. The window is held all the same."""
    from kafka import KafkaConsumer

    topic, group = broker.create(), f"g-{secrets.token_hex(4)}"
    member = KafkaConsumer(topic, bootstrap_servers=broker.bootstrap, group_id=group)

    def joined() -> bool:
        member.poll(timeout_ms=50)
        return bool(broker.admin.describe_groups([group])[group]["group_state"] == "Stable")

    until(joined)
    broker.send(topic, b"one")
    with running(broker, topic, group_id=group) as run:
        with pytest.raises(GroupTaken, match=group):
            run.window()
        assert run.input.folded() == 1
    member.close()


def test_new_partitions_are_read_from_their_beginning(broker: Broker) -> None:
    """Whatever the start was, what came into them before they were seen, too."""
    topic = broker.create()
    broker.send(topic, b"old")
    with running(broker, topic, start="latest") as run:
        run.hold(run.log(run.plan()))
        broker.grow(topic, 3)
        broker.send(topic, b"early", partition=2)
        assert values(run.drain()) == [b"early"]
        broker.send(topic, b"late", partition=1)
        assert values(run.drain()) == [b"late"]


def test_a_loss_in_a_new_partition_is_a_loss(broker: Broker) -> None:
    """It was removed before it was ever seen, and it was ours to read."""
    topic = broker.create()
    with running(broker, topic) as run:
        run.hold(run.log(run.plan()))
        broker.grow(topic, 2)
        broker.send(topic, *numbered(3), partition=1)
        broker.delete_records(topic, 2, partition=1)
        with pytest.raises(OffsetsLost, match=r"partition 1: wanted is offset 0.* 2 records"):
            run.plan()


def test_new_topics_of_a_pattern_join_at_their_beginning(broker: Broker) -> None:
    """Whole names match, not parts, and none of Kafka's own."""
    stem = f"p-{secrets.token_hex(4)}"
    broker.create(name=f"{stem}-a")
    broker.create(name=f"x{stem}-a")
    broker.send(f"{stem}-a", b"old")
    pattern = rf"({stem}-.|__.*)"
    with running(broker, pattern=pattern, start="latest") as run:
        run.hold(run.log(run.plan()))
        broker.create(2, name=f"{stem}-b")
        broker.send(f"{stem}-b", b"new", partition=1)
        broker.send(f"x{stem}-a", b"other")
        assert values(run.drain()) == [b"new"]
        assert set(from_json(run.after).topics) == {f"{stem}-a", f"{stem}-b"}


def test_a_pattern_that_matches_nothing_waits_for_something(broker: Broker) -> None:
    """An empty plan, and what comes is read from its beginning. Told once in a run: a slip in the
    pattern looks like topics in which nothing is new."""
    stem = f"p-{secrets.token_hex(4)}"
    with running(broker, pattern=stem) as run:
        with pytest.warns(NothingMatches, match=f"matches pattern='{stem}' as a whole yet") as told:
            run.hold(run.log(run.plan()))
        assert len(told) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run.plan()
        broker.create(name=stem)
        broker.send(stem, b"first")
        assert values(run.drain()) == [b"first"]
    with running(broker, pattern=f"{stem}.*") as run, warnings.catch_warnings():
        warnings.simplefilter("error")
        run.plan()


def test_reading_stops_at_offsets(broker: Broker) -> None:
    """Of the partitions that it names."""
    topic = broker.create(2)
    for partition in (0, 1):
        broker.send(topic, *numbered(4, start=10 * partition), partition=partition)
    with running(broker, topic, stop_at={topic: {0: 0, 1: 2}}) as run:
        assert values(run.drain()) == [b"v10", b"v11"]


def test_reading_stops_at_a_time(broker: Broker) -> None:
    """Before the first record that is not older; where there is none yet, it goes on."""
    topic = broker.create(2, retention_ms="-1")
    moment = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
    for minutes in (-1, 0, -1):
        at_ms = int((moment + timedelta(minutes=minutes)).timestamp() * 1000)
        broker.send(topic, b"%d" % minutes, timestamp_ms=at_ms)
        broker.send(topic, b"old", timestamp_ms=5, partition=1)
    with running(broker, topic, stop_at=moment) as run:
        assert values(run.drain()) == [b"-1", b"old", b"old", b"old"]


@pytest.mark.parametrize("start", ["latest", "moment"])
def test_where_reading_stops_moves_no_start(broker: Broker, start: str) -> None:
    """Though it stops before it would begin: what lies between is not read once it may go on."""
    topic = broker.create()
    broker.send(topic, *numbered(5))
    broker.delete_records(topic, 3)
    later = datetime.now(UTC) + timedelta(minutes=1)
    more: dict[str, Any] = {"start": later if start == "moment" else start}
    with running(broker, topic, stop_at={topic: {0: 1}}, **more) as run:
        first = run.plan()
        assert (first.parts, from_json(first.end).topics[topic].offsets) == ((), (5,))


def test_lag_is_what_could_be_read_now(broker: Broker) -> None:
    """Of each partition, new ones too, up to an open transaction."""
    topic = broker.create()
    broker.send(topic, *numbered(5))
    with running(broker, topic, max_records_per_window=2) as run, broker.transactions() as open_:
        assert kafka_input(run).lag() == {f"{topic}:0": 5}
        run.window()
        assert kafka_input(run).lag() == {f"{topic}:0": 3}
        begin(open_, topic, b"open")
        broker.grow(topic, 2)
        broker.send(topic, b"new", partition=1)
        assert kafka_input(run).lag() == {f"{topic}:0": 3, f"{topic}:1": 1}
        open_.abort_transaction()


def test_a_transaction_that_is_open_for_long_is_reported_once(broker: Broker) -> None:
    """With topic, partition and first open offset; one that is young is not."""
    topic = broker.create()
    broker.send(topic, b"before")
    with broker.transactions() as producer:
        begin(producer, topic, b"open")
        with running(broker, topic, stall_timeout_s=1) as run:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert values(run.drain()) == [b"before"]
            time.sleep(1)
            expected = rf"topic {topic}, partition 0: .* open since offset 1,"
            with pytest.warns(TransactionOpen, match=expected):
                run.plan()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                run.plan()
        producer.abort_transaction()


def test_a_start_of_a_topic_that_is_not_read_is_a_bad_argument() -> None:
    """A typing mistake must not start somewhere else."""
    for argument in ("start", "stop_at"):
        with pytest.raises(BadArgument, match=argument):
            KafkaInput("a:1", ["t"], **{argument: {"T": {0: 1}}})  # type: ignore[arg-type]


def commit(broker: Broker, group: str, topic: str, partition: int, offset: int) -> None:
    """As somebody else does it. A group's first use takes the broker a moment."""
    from kafka.errors import NoError, RetriableError

    place = TopicPartition(topic, partition)
    for _ in range(200):
        try:
            at = OffsetAndMetadata(offset, "", -1)
            if broker.admin.alter_group_offsets(group, {place: at}) == {place: NoError}:
                return
        except RetriableError:
            pass
        time.sleep(0.05)
    raise AssertionError("not committed")


def committed(broker: Broker, group: str, topic: str) -> dict[int, int]:
    """What the group has committed of a topic."""
    found = broker.admin.list_group_offsets({group: None})[group]
    return {place.partition: at.offset for place, at in found.items() if place.topic == topic}
