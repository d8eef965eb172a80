"""What is gone is an error that says what, how much, and the command that gets past it; the command
is run, and the pipeline goes on."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from typing import Any

import pytest
from kafka import TopicPartition

from connectors.kafka.errors import OffsetsLost, TopicMissing, TopicRecreated
from tests.connectors.kafka.pipelines import KafkaWorld, commands
from tests.connectors.kafka.reading import running, skipping, values
from tests.connectors.kafka.world import Broker, numbered, until
from windowlog.errors import BadArgument, SourceChanged


def caught(kind: type[Exception], work: Callable[[], Any], *words: object) -> list[str]:
    """The commands of the error, whose message has the words."""
    with pytest.raises(kind) as told:
        work()
    text = str(told.value)
    assert [word for word in words if str(word) not in text] == [], text
    return commands(told.value)


def test_removed_records_of_a_plan_are_a_loss_of_exactly_these(broker: Broker) -> None:
    """The skip in the message gives up just them, once: the next loss asks again."""
    topic = broker.create()
    broker.send(topic, *numbered(10))
    world = KafkaWorld(broker, topic)
    world.plan_and_die()
    broker.delete_records(topic, 4)
    told = f"offsets 0 to 10 of topic {topic}", "partition 0", "earliest 4, latest 10", "4 records"
    (skip,) = caught(SourceChanged, world.run, *told)
    assert f" 1 topic --part {topic}:0@0-4 " in skip
    assert world.command(skip) == 0
    broker.delete_records(topic, 6)
    (skip,) = caught(SourceChanged, world.run, "offsets 4 to 10", "2 records")
    assert world.command(skip) == 0
    broker.send(topic, b"more")
    world.run()
    assert world.values() == [*numbered(4, start=6), b"more"]


def test_a_skip_is_honoured_by_every_replay(broker: Broker, how: dict[str, Any]) -> None:
    """By each reader: the loss is told before a row is given, and what is left is the same rows
    again."""
    topic = broker.create()
    broker.send(topic, *numbered(6))
    with running(broker, topic, **how) as run:
        window = run.log(run.plan())
        broker.delete_records(topic, 2)
        (skip,) = caught(SourceChanged, lambda: run.rows(window), f"part {topic}:0@0 ")
        skipped = skipping(window, skip.split(" --part ")[1].split()[0])
        first = run.rows(skipped)
        assert values(first) == numbered(4, start=2)
        run.crash().start()
        assert run.rows(skipped) == first
        run.hold(skipped)


def test_a_plan_that_is_wholly_gone_is_skipped_as_a_part(broker: Broker) -> None:
    """Retention has passed it: earliest is behind its end."""
    topic = broker.create()
    broker.send(topic, *numbered(10))
    world = KafkaWorld(broker, topic, max_records_per_window=5)
    world.plan_and_die()
    broker.delete_records(topic, 7)
    told = "offsets 0 to 5", "earliest 7, latest 10", "5 records"
    (skip,) = caught(SourceChanged, world.run, *told)
    assert f"--part {topic}:0@0 " in skip
    assert world.command(skip) == 0
    # Behind it two more were never planned.
    told = "wanted is offset 5", "earliest left is 7 (latest 10)", "at most 2 records"
    reset, over = caught(OffsetsLost, world.run, topic, "partition 0", *told)
    assert over.endswith(" topic --to beginning")
    assert world.command(reset) == 0
    world.run()
    assert world.values() == numbered(3, start=7)


def test_records_removed_by_retention_before_they_were_planned_are_a_loss(broker: Broker) -> None:
    """By time, as Kafka does it: all of a partition may go."""
    topic = broker.create(retention_ms="200", segment_ms="100")
    broker.send(topic, b"read")
    world = KafkaWorld(broker, topic)
    world.run()
    broker.send(topic, *numbered(3))
    place = TopicPartition(topic, 0)
    until(lambda: broker.admin.list_partition_offsets({place: -2})[place].offset == 4)
    reset, _ = caught(OffsetsLost, world.run, "wanted is offset 1", "3 records")
    assert reset.endswith(f" topic --to {topic}:0@4")


def test_all_partitions_with_a_loss_are_told_at_once(broker: Broker) -> None:
    """Of several topics, in a plan and before one: one command gets past all of them."""
    one, two = sorted([broker.create(2), broker.create(2)])
    places = [(one, 0), (one, 1), (two, 0), (two, 1)]
    for topic, partition in places:
        broker.send(topic, *numbered(5), partition=partition)
    world = KafkaWorld(broker, one, two)
    world.plan_and_die()
    for topic, partition in places[1:]:
        broker.delete_records(topic, 2, partition)
    told = f"part {one}:1@0 is not", f"{two}:0@0 to 5, earliest 2, latest 5", "In all at most 6"
    (skip,) = caught(SourceChanged, world.run, *told)
    parts = [word for word in shlex.split(skip) if "@" in word]
    assert parts == [f"{one}:1@0-2", f"{two}:0@0-2", f"{two}:1@0-2"]
    assert world.command(skip) == 0
    world.run()
    assert len(world.values()) == 5 + 3 * 3
    for topic, partition in places:
        broker.send(topic, *numbered(5), partition=partition)
    for topic, partition in places[:3]:
        broker.delete_records(topic, 7 + partition, partition)
    first = f"topic {one}, partition 0: wanted is offset 5", "earliest left is 7 (latest 10)"
    more = f"{one}:1 wanted 5, earliest 8, latest 10, at most 3 records", f"{two}:0 wanted 5"
    reset, _ = caught(OffsetsLost, world.run, *first, *more, "In all at most 7 records")
    assert reset.endswith(f" topic --to {one}:0@7,{one}:1@8,{two}:0@7")
    assert world.command(reset) == 0
    world.run()
    assert len(world.values()) == 14 + 3 + 2 + 3 + 5


def test_several_places_are_reached_at_once_and_each_once(broker: Broker) -> None:
    """What they cost is added up; of two for one partition nobody knows which is meant."""
    one, two = broker.create(2), broker.create()
    for topic, partition in ((one, 0), (one, 1), (two, 0)):
        broker.send(topic, *numbered(5), partition=partition)
    with running(broker, one, two) as run:
        run.drain()
        seek = run.input.seek(f"{one}:0@1, {one}:1@beginning,{two}@end", run.after)
        assert (seek.again, seek.passed_over) == (9, 0)
        topics: Any = seek.end["topics"]  # type: ignore[index, call-overload]
        assert [topics[one]["offsets"], topics[two]["offsets"]] == [[1, 0], [5]]
        twice = f"{one}:0@1,{one}:0@2", f"{one}@end,{one}:0@2"
        for wrong in ("end,end", f"{one}:0@1,", ",", *twice):
            with pytest.raises(BadArgument, match="each partition once"):
                run.input.seek(wrong, run.after)


@pytest.mark.parametrize("count", [2, 3, 5], ids=["smaller", "equal", "larger"])
@pytest.mark.parametrize("way", ["beginning", "end"])
def test_a_recreated_topic_is_another_one(broker: Broker, count: int, way: str) -> None:
    """Whatever its size: nothing of it is read before somebody says from where."""
    topic = broker.create()
    broker.send(topic, *numbered(3))
    world = KafkaWorld(broker, topic)
    world.run()
    old = broker.topic_id(topic)
    broker.recreate(topic)
    new = numbered(count, start=100)
    broker.send(topic, *new)
    told = topic, old, broker.topic_id(topic), f"{topic}:0 behind 3", f"{topic}:0 from 0 to {count}"
    resets = caught(TopicRecreated, world.run, *told)
    assert world.values() == numbered(3)
    assert world.command(next(line for line in resets if line.endswith(f"{topic}@{way}"))) == 0
    broker.send(topic, b"later")
    world.run()
    assert world.values() == [*numbered(3), *(new if way == "beginning" else []), b"later"]


def test_a_topic_recreated_with_fewer_partitions_is_another_one(broker: Broker) -> None:
    """Partitions never go away otherwise."""
    topic = broker.create(3)
    broker.send(topic, b"old", partition=2)
    world = KafkaWorld(broker, topic)
    world.run()
    broker.recreate(topic, 1)
    told = f"{topic}:2 behind 1", f"The new one has {topic}:0 from 0 to 0."
    assert len(caught(TopicRecreated, world.run, *told)) == 2


def test_no_reader_waits_for_what_is_gone(broker: Broker, how: dict[str, Any]) -> None:
    """The topic is deleted, or another one, though the frame was made before."""
    topic = broker.create()
    broker.send(topic, *numbered(3))
    with running(broker, topic, **how) as run:
        window = run.log(run.plan())
        broker.recreate(topic)
        broker.send(topic, *numbered(9, start=100))
        caught(SourceChanged, lambda: run.input.verify(window.plans["source"], ()), topic)
        broker.delete(topic)
        started = time.monotonic()
        caught(SourceChanged, lambda: run.rows(window), "no such topic")
        assert time.monotonic() - started < 8


@pytest.mark.parametrize("count", [2, 5], ids=["smaller", "larger"])
def test_a_topic_recreated_after_it_was_planned_gives_no_row(broker: Broker, count: int) -> None:
    """Though it has records at the planned offsets: `verify` looks at its id. Nor, where it is too
    small to be read, a skip of the rest alone."""
    topic = broker.create()
    broker.send(topic, *numbered(3))
    world = KafkaWorld(broker, topic)
    world.plan_and_die()
    broker.recreate(topic)
    broker.send(topic, *numbered(count, start=100))
    told = "offsets 0 to 3", "a topic of that name with id", "3 records are gone"
    (skip,) = caught(SourceChanged, world.run, *told)
    assert world.values() == []
    assert f"--part {topic} " in skip
    assert world.command(skip) == 0
    assert world.command(caught(TopicRecreated, world.run)[0]) == 0
    world.run()
    assert world.values() == numbered(count, start=100)


def test_a_topic_deleted_after_it_was_planned_is_a_loss(broker: Broker) -> None:
    """With several parts: one skip names them all. Then it is forgotten, by name."""
    topic, other = broker.create(2), broker.create()
    for partition in (0, 1):
        broker.send(topic, *numbered(3), partition=partition)
    broker.send(other, b"kept")
    world = KafkaWorld(broker, pattern=f"{topic}|{other}")
    world.plan_and_die()
    broker.delete(topic)
    (skip,) = caught(SourceChanged, world.run, "no such topic", topic)
    assert world.command(skip) == 0
    (reset,) = caught(TopicMissing, world.run, topic, f"{topic}:0 up to 3, {topic}:1 up to 3")
    assert reset.endswith(f"--to {topic}@gone")
    assert world.command(reset) == 0
    world.run()
    assert world.values() == [b"kept"]
    broker.create(name=topic)
    broker.send(topic, b"new")
    world.run()
    assert world.values() == [b"kept", b"new"]


def test_a_topic_that_is_not_there_is_an_error_and_is_not_created(broker: Broker) -> None:
    """Nothing is logged: once it is there, the pipeline begins."""
    world = KafkaWorld(broker, "not-there")
    assert caught(TopicMissing, world.run, "not-there", broker.bootstrap) == []
    assert broker.admin.describe_topics(["not-there"])[0]["error_code"] == 3
    assert world.log.within("plans").list() == []
    broker.create(name="not-there")
    broker.send("not-there", b"one")
    world.run()
    assert world.values() == [b"one"]


def test_names_of_pieces_that_are_not_there_are_refused(
    broker: Broker, capsys: pytest.CaptureFixture[str]
) -> None:
    """A skip is recorded only for what the plan has."""
    topic = broker.create()
    broker.send(topic, *numbered(10))
    world = KafkaWorld(broker, topic)
    world.plan_and_die()
    for part in (f"{topic}:0@10-20", f"{topic}:1@0-5", f"{topic}:0@5-5", "other", f"{topic}:0@5"):
        words = f"skip {shlex.quote(world.locator)} 1 topic --part {part} --reason why"
        assert world.command(words) != 0
    assert "that is no part of window 1" in capsys.readouterr().err
