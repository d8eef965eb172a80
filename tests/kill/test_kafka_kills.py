"""Kills around a topic of a real broker: of drivers that read it, and of producers that write to
it; those of brokers, and all moments, in `make soak`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kill import plain_gear, spark_gear, trouble_gear
from tests.kill.check import Checker
from tests.kill.clerk import Clerk
from tests.kill.second_broker import second_broker
from tests.kill.source import Violation
from tests.kill.tally import Tally
from tests.kill.topic import STARTS, Cluster, Topic
from tests.kill.variants import Variant, connected
from tests.kill.world import World
from tests.machine import need_java
from windowed.testing.services import KafkaService

pytestmark = [
    pytest.mark.kill,
    # Threads of other tests' clients do not come along into a fork, nor are they asked there.
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]
MOMENTS = ("looked", "planned", "log synced", "some records fetched", "after commit")


@pytest.fixture(scope="module")
def cluster(kafka: KafkaService) -> Iterator[Cluster]:
    """The shared broker, which is not killed."""
    with Clerk(kafka.bootstrap) as clerk:
        yield Cluster(clerk)


def _world(folder: Path, topic: Topic, seed: int) -> World:
    return World(folder / "world", plain_gear.new_rng(seed), Variant("sqlite"), topic)


@pytest.mark.parametrize("start", STARTS)
def test_a_driver_that_reads_a_topic_is_killed(
    quick_folder: Path, cluster: Cluster, start: str
) -> None:
    """At one moment each of the way from a look to a commit; whichever way it started, each state
    equals what another consumer finds in the planned ranges, which meet from the start on."""
    world = _world(quick_folder, Topic(cluster, start), seed=STARTS.index(start))
    checker, tally = Checker(world), Tally()
    plain_gear.one_round(world, checker, tally, MOMENTS[STARTS.index(start)])
    assert sum(tally.kills.values()) == 1
    plain_gear.drain(world)  # where "latest" is, may not have been logged before
    checker.check()
    world.produce(lines=20)
    plain_gear.drain(world)
    checker.check()
    checker.finished()
    assert checker.held > 1


@pytest.mark.parametrize(
    "trouble",
    [
        "partition added: looked",
        "group moved: group committed",
        "plain producer killed: planned",
        "producer of transactions killed: some records fetched",
    ],
)
def test_there_is_trouble_around_a_driver(
    quick_folder: Path, cluster: Cluster, trouble: str
) -> None:
    """A producer is killed in the middle of its work, or partitions come, while the driver is in
    the middle of its own."""
    world = _world(quick_folder, Topic(cluster), seed=len(trouble))
    checker, tally = Checker(world), Tally()
    trouble_gear.one_round(world, checker, tally, trouble)
    assert tally.kills == {trouble: 1}
    trouble_gear.finish(world, checker)
    assert checker.held > 1


def test_a_window_ends_before_what_a_killed_producer_left_open(
    quick_folder: Path, cluster: Cluster
) -> None:
    """And goes on behind it once that is aborted: none of its records counts."""
    topic = Topic(cluster)
    topic.transaction_timeout_ms = 600_000
    world = _world(quick_folder, topic, seed=4)
    checker = Checker(world)
    trouble_gear.one_round(world, checker, Tally(), "transaction left open: planned", kill=False)
    held = [checker.read[place] for place in sorted(checker.read)]
    topic.send([(number, "behind it") for number in range(len(held))])
    plain_gear.drain(world)
    checker.check()
    assert [checker.read[place] for place in sorted(checker.read)] == held == topic.ends_list()
    assert topic.clerk.ask("latest", topic=topic.name) > held
    topic.clerk.ask("fence", transactional_id=f"open of {topic.name}")
    trouble_gear.finish(world, checker)
    totals = sum(checker.windows.values(), Counter())
    assert totals["behind"] == len(held)
    assert totals["open"] == 0


def test_the_check_notices_ranges_that_do_not_meet(quick_folder: Path, cluster: Cluster) -> None:
    """A plan that begins elsewhere, one that goes too far, a group ahead of the sink, a record that
    counts twice."""
    topic = Topic(cluster)
    world = _world(quick_folder, topic, seed=6)
    world.produce(lines=30)
    plain_gear.drain(world)
    Checker(world).check()
    plan = world.archive / "000000000002.json"
    record = plan.read_bytes()
    (plan.parents[1] / "state" / "windows" / plan.name).unlink(missing_ok=True)
    for change in ({"start": 1}, {"end": -1}, {"end": 1_000_000}, {"partition": 5}):
        plan.write_bytes(_changed(record, change))
        with pytest.raises(Violation):
            Checker(world).check()
    plan.write_bytes(record)
    Checker(world).check()
    with connected(world.root, "sqlite") as connection:
        connection.execute("UPDATE word_counts SET count = count + 1 WHERE word = 'old'")
        connection.commit()
    with pytest.raises(Violation, match="'old'"):
        Checker(world).check()


def test_the_check_notices_a_group_that_is_ahead(quick_folder: Path, cluster: Cluster) -> None:
    """Of what the sink holds."""
    topic = Topic(cluster)
    world = _world(quick_folder, topic, seed=6)
    topic.clerk.ask("commit", group=topic.group, topic=topic.name, offsets=[1])
    with pytest.raises(Violation, match="group at 1"):
        Checker(world).check()


def _changed(record: bytes, change: dict[str, int]) -> bytes:
    """A plan whose first part says otherwise; a number below 0 counts from what it was."""
    head, _, body = record.partition(b"\n")
    plan = json.loads(body)
    part = plan["plans"]["lines"]["parts"][0]
    for name, value in change.items():
        part[name] = part[name] + value if value <= 1 else value
    part["id"] = f"{part['topic']}:{part['partition']}@{part['start']}"
    return head + b"\n" + json.dumps(plan).encode()


@pytest.mark.soak
@pytest.mark.spark
@pytest.mark.parametrize("reader", ["driver", "executors", "spark"])
def test_a_spark_driver_that_reads_a_topic_is_killed(
    tmp_path: Path, cluster: Cluster, reader: str
) -> None:
    """A kill of a real driver, and a run to the end, with each reader."""
    world = World(tmp_path / "world", plain_gear.new_rng(8), None, Topic(cluster, reader=reader))
    assert spark_gear.run(world, rounds=1).windows > 1


@pytest.mark.soak
def test_brokers_are_killed_around_a_driver(quick_folder: Path) -> None:
    """The only one, and the leader of some partitions, while the driver wants something of them."""
    need_java()
    with (
        KafkaService(quick_folder / "kafka") as first,
        Clerk(first.bootstrap) as clerk,
    ):
        clerk.ask("warm")
        with second_broker(first) as second:
            world = _world(quick_folder, Topic(Cluster(clerk, first, second)), seed=9)
            checker, tally = Checker(world), Tally()
            for trouble in ("broker killed: planned", "leader killed: some records fetched"):
                trouble_gear.one_round(world, checker, tally, trouble)
            trouble_gear.finish(world, checker)
            assert sum(tally.kills.values()) == 2
