"""Which reader is chosen, what each needs, and how ranges become tasks."""

from __future__ import annotations

import contextlib
import io
import pickle
import secrets
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark import cloudpickle

from connectors import KafkaInput
from connectors.kafka import read as ways
from connectors.kafka import reading as readers
from connectors.kafka import source, spark_source
from connectors.kafka.errors import BadRecord
from connectors.kafka.options import for_consumers
from connectors.kafka.parts import OffsetRange
from connectors.kafka.rows import SCHEMA, to_chunks
from tests.connectors.kafka.reading import running, skipping, values
from tests.connectors.kafka.test_planning import settings_of
from tests.connectors.kafka.world import Broker, numbered
from windowlog import WindowLog
from windowlog.contracts import InputContext
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HIDDEN = secrets.token_urlsafe()


@st.composite
def pieces(draw: st.DrawFn) -> list[OffsetRange]:
    """Ranges of some partitions, with holes and without."""
    found = []
    for partition in range(draw(st.integers(0, 4))):
        at = 0
        for gap, length in draw(
            st.lists(st.tuples(st.integers(0, 1), st.integers(1, 250_000)), max_size=5)
        ):
            found.append(OffsetRange("t", "A", partition, at + gap, at + gap + length))
            at += gap + length
    return found


@given(pieces())
def test_tasks_are_all_ranges_in_their_order(ranges: list[OffsetRange]) -> None:
    """In groups that are not larger than twice what a task should have, but for one range."""
    groups = ways.grouped(ranges)
    assert [piece for group in groups for piece in group] == ranges
    for group in groups:
        length = sum(piece.length for piece in group)
        assert group
        assert len(group) == 1 or length <= 2 * ways.TASK_RECORDS + max(p.length for p in group)


@given(pieces())
def test_ranges_that_meet_are_one_and_each_round_has_a_partition_once(
    ranges: list[OffsetRange],
) -> None:
    """No offset is lost or doubled by that."""
    whole = ways.joined(ranges)
    assert offsets(whole) == offsets(ranges)
    assert all(a.end < b.start for a, b in pairwise(whole) if same(a, b))
    rounds = ways.rounds(whole)
    assert sorted(number for numbers in rounds for number in numbers) == list(range(len(whole)))
    for numbers in rounds:
        partitions = [whole[number].partition for number in numbers]
        assert len(set(partitions)) == len(partitions)


def offsets(ranges: list[OffsetRange]) -> list[tuple[int, int]]:
    """Borders where reading begins or ends, without those that meet."""
    borders: dict[tuple[int, int], int] = {}
    for piece in ranges:
        for at in ((piece.partition, piece.start), (piece.partition, piece.end)):
            borders[at] = borders.get(at, 0) + 1
    return sorted(at for at, count in borders.items() if count == 1)


def same(one: OffsetRange, other: OffsetRange) -> bool:
    """Of one partition."""
    return one.partition == other.partition


@pytest.mark.spark
def test_the_columns_are_those_of_sparks_own_source(broker: Broker, spark: SparkSession) -> None:
    """Names, types and order, for an empty plan too."""
    topic = broker.create()
    broker.send(topic, b"one")
    own = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", broker.bootstrap)
        .option("subscribe", topic)
        .option("includeHeaders", "true")
        .load()
    )
    for reader in ("driver", "executors", "spark"):
        with running(broker, topic, spark=spark, reader=reader) as run:
            plan = run.plan()
            assert run.input.read(plan, ()).schema == own.schema
            run.hold(run.log(plan))
            assert run.input.read(run.plan(), ()).schema == own.schema
    with running(broker, topic) as run:
        assert run.input.read(run.plan(), ()).schema == SCHEMA


@pytest.mark.spark
def test_auto_reads_little_in_the_driver_and_much_in_tasks(
    broker: Broker, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By Spark's own source, unless it is not there, or the client's options are not its own."""
    monkeypatch.setattr(readers, "DRIVER_RECORDS_MAX", 3)
    topic = broker.create()
    broker.send(topic, *numbered(7))
    with running(broker, topic, spark=spark, max_records_per_window=3) as run:
        assert "LocalTableScan" in plan_of(run.input.read(run.plan(), ()))
    with running(broker, topic, spark=spark) as run:
        frame = run.input.read(run.plan(), ())
        assert "KafkaRelation" in plan_of(frame) or "kafka" in plan_of(frame).lower()
        assert "windowed_kafka" not in plan_of(frame)
        monkeypatch.setattr(spark_source, "is_there", lambda session: False)
        assert "windowed_kafka" in plan_of(run.input.read(run.plan(), ()))
        monkeypatch.undo()
    monkeypatch.setattr(readers, "DRIVER_RECORDS_MAX", 3)
    unknown = {"max_in_flight_requests_per_connection": 5}
    with running(broker, topic, spark=spark, client=unknown) as run:
        frame = run.input.read(run.plan(), ())
        assert "windowed_kafka" in plan_of(frame)
        assert sorted(row.value for row in frame.collect()) == numbered(7)


def plan_of(frame: object) -> str:
    """All that Spark tells of how it would be read."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        frame.explain(extended=True)  # type: ignore[attr-defined]
    return out.getvalue()


def test_tasks_get_the_log_in_with_the_code_and_nobody_sees_it() -> None:
    """It survives the way, by value, and is in no repr. Other options are another source."""
    given_ = {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "somebody",
        "sasl_plain_password": HIDDEN,
    }
    options = for_consumers(settings_of(client=given_))
    assert HIDDEN not in repr(options)
    assert options["sasl_plain_password"] == HIDDEN
    one = source.source_with(options, 60.0)
    assert HIDDEN not in f"{vars(one)!r} {one!r} {one.name()}"
    reader = one({"tasks": "[]"}).reader(None)
    sent: bytes = cloudpickle.dumps(reader)  # type: ignore[no-untyped-call]
    again = pickle.loads(sent)
    assert again._consumer["sasl_plain_password"] == HIDDEN
    assert source.source_with(dict(options), 60.0) is one
    other = for_consumers(settings_of(client=given_ | {"sasl_plain_password": "else"}))
    assert source.source_with(other, 60.0) is not one


def test_a_record_without_headers_beside_one_with_some_has_none() -> None:
    """Null, not an empty list, as in Spark."""
    common = {"key": None, "value": b"", "timestamp": 5, "timestamp_type": 0}
    given_ = enumerate([[("h", None)], []])
    some = [SimpleNamespace(**common, offset=at, headers=headers) for at, headers in given_]
    [chunk] = to_chunks(some, "t", 0)
    rows = chunk.to_pylist()
    assert [row["headers"] for row in rows] == [[{"key": "h", "value": None}], None]


@pytest.mark.parametrize("reader", ["executors", "spark"])
def test_a_reader_that_needs_spark_is_refused_without_it(reader: str) -> None:
    """When the run begins."""
    memory = WindowLog.in_memory().memory("topic")
    context = InputContext(None, "topic", memory, lambda window_id: iter(()))
    with pytest.raises(BadArgument, match=f"reader='{reader}'"):
        KafkaInput("a:1", ["t"], reader=reader).open(context)


@pytest.mark.spark
def test_sparks_source_is_refused_where_it_is_not(
    broker: Broker, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the package that has it, in the version of this Spark. A format that is nowhere stands
    for it."""
    topic = broker.create()
    broker.send(topic, b"one")
    assert spark_source.is_there(spark)
    monkeypatch.setattr(spark_source, "_FORMAT", "kafka_of_nowhere")
    with running(broker, topic, spark=spark, reader="spark") as run:
        plan = run.plan()
        with pytest.raises(BadArgument, match=f"spark-sql-kafka-0-10_2.13:{spark.version}[.]"):
            run.input.read(plan, ())


def test_options_that_sparks_client_does_not_have_are_refused_with_its_reader() -> None:
    """Only their names are told."""
    client = {"socket_options": [HIDDEN]}
    with pytest.raises(BadArgument, match="socket_options") as told:
        KafkaInput("a:1", ["t"], reader="spark", client=client)
    assert HIDDEN not in str(told.value)


def test_options_that_kafka_python_does_not_have_are_refused(broker: Broker) -> None:
    """When it is connected first."""
    topic = broker.create()
    with running(broker, topic, client={"socket_option": HIDDEN}) as run:
        with pytest.raises(BadArgument, match="socket_option") as told:
            run.plan()
        assert HIDDEN not in str(told.value)


@pytest.mark.spark
def test_a_task_that_comes_no_further_fails(broker: Broker, spark: SparkSession) -> None:
    """What is planned beyond the end does not come: no row is made of what does."""
    topic = broker.create()
    broker.send(topic, *numbered(3))
    consumer = for_consumers(settings_of(bootstrap_servers=broker.bootstrap))
    frame = source.load(spark, [[(topic, 0, 0, 5)]], source.source_with(consumer, 1.0))
    with pytest.raises(Exception, match=rf"Stalled: \('{topic}', 0, 3, 5\)"):
        frame.collect()


def test_a_time_that_no_row_can_hold_is_told_with_its_place(
    broker: Broker, how: dict[str, Any]
) -> None:
    """As of producers that send nanoseconds. The skip of just this record lets the rest go on."""
    topic = broker.create(message_timestamp_after_max_ms=str(2**63 - 1))
    broker.send(topic, b"before")
    broker.send(topic, b"nano", timestamp_ms=10**18)
    broker.send(topic, b"after")
    with running(broker, topic, **how) as run:
        window = run.log(run.plan())
        with pytest.raises(Exception, match=f"{topic}.*{10**18}") as caught:
            run.rows(window)
        assert isinstance(run.input, KafkaInput)
        told = run.input.explain(caught.value) or caught.value
        assert isinstance(told, BadRecord)
        assert f"topic {topic}, partition 0, offset 1: has " in str(told)
        assert f"--part {topic}:0@1-2 " in str(told)
        assert "set_aside" not in str(told)
        assert values(run.rows(skipping(window, f"{topic}:0@1-2"))) == [b"before", b"after"]
