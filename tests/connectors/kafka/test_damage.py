"""Records that a broker's disk has changed, and such that nobody here can unpack."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaProducer

from connectors import KafkaInput
from connectors.kafka.errors import CodecMissing, RecordsDamaged
from tests.connectors.kafka.reading import running, skipping, values
from tests.connectors.kafka.world import Broker
from windowed.testing.services import KafkaService

# So many of a packet are read in columns, and so many one by one.
COUNTS = [30, 4]


def packets(broker: Broker, topic: str, count: int, partition: int = 0) -> list[bytes]:
    """Four packets of so many records each; what was sent."""
    sent = [b"<%d>" % number for number in range(4 * count)]
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap, linger_ms=500)) as producer:
        for number, value in enumerate(sent):
            producer.send(topic, value, partition=partition)
            if number % count == count - 1:
                producer.flush()
    return sent


def change_on_disk(kafka: KafkaService, topic: str, partition: int, value: bytes) -> None:
    """A letter of this record becomes another one."""
    [segment] = Path(kafka.folder, "data", f"{topic}-{partition}").glob("*.log")
    with segment.open("r+b") as file:
        file.seek(file.read().index(value))
        file.write(b"#")


@pytest.mark.parametrize("count", COUNTS)
def test_records_that_a_disk_has_changed_are_told_with_their_place(
    kafka: KafkaService, broker: Broker, how: dict[str, Any], count: int
) -> None:
    """At once, and not as passing: which partition, where the packet begins, and a skip that lets
    the rest go on, also of just this packet, and of nothing before it."""
    topic = broker.create(3)
    fine = [packets(broker, topic, count, partition) for partition in (0, 2)]
    sent = packets(broker, topic, count, 1)
    change_on_disk(kafka, topic, 1, sent[2 * count + 1])
    with running(broker, topic, **how) as run:
        window = run.log(run.plan())
        with pytest.raises(Exception, match=topic) as caught:
            run.rows(window)
        assert isinstance(run.input, KafkaInput)
        told = run.input.explain(caught.value) or caught.value
        assert isinstance(told, RecordsDamaged)
        assert not told.passing
        assert f"topic {topic}, partition 1: the records from offset {2 * count} on" in str(told)
        assert f" --part {topic}:1@{2 * count}-{4 * count} " in str(told)
        just = skipping(window, f"{topic}:1@{2 * count}-{3 * count}")
        left = [*fine[0], *fine[1], *sent[: 2 * count], *sent[3 * count :]]
        assert sorted(map(bytes, values(run.rows(just)))) == sorted(left)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", COUNTS)
def test_a_window_that_ends_before_the_damage_is_read(
    kafka: KafkaService, broker: Broker, how: dict[str, Any], count: int
) -> None:
    """Although the same fetch brings it; the one behind stops, from inside of the packet too."""
    topic = broker.create()
    sent = packets(broker, topic, count)
    change_on_disk(kafka, topic, 0, sent[2 * count + 1])
    with running(broker, topic, max_records_per_window=2 * count, **how) as run:
        assert values(run.window()) == sent[: 2 * count]
        with pytest.raises(Exception, match=topic) as caught:
            run.window()
        assert isinstance(run.input, KafkaInput)
        told = run.input.explain(caught.value) or caught.value
        assert isinstance(told, RecordsDamaged)
    start = {topic: {0: 2 * count + 2}}
    with running(broker, topic, start=start, **how) as run:
        with pytest.raises(Exception, match=topic) as caught:
            run.window()
        assert isinstance(run.input, KafkaInput)
        told = run.input.explain(caught.value) or caught.value
        assert f" --part {topic}:0@{2 * count + 2}-{4 * count} " in str(told)


def test_a_codec_whose_package_is_missing_is_said(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not that brokers should be looked at: no wait makes it better."""
    topic = broker.create(compression_type="zstd")
    packets(broker, topic, 30)
    monkeypatch.setattr("kafka.codec.zstd", None)
    with running(broker, topic) as run, pytest.raises(CodecMissing, match="zstd") as caught:
        run.window()
    assert not caught.value.passing
    task = RuntimeError("kafka.errors.UnsupportedCodecError: " + _said(caught.value))
    assert isinstance(run.input, KafkaInput)
    assert isinstance(run.input.explain(task), CodecMissing)


def _said(error: BaseException) -> str:
    """What kafka-python has said."""
    assert error.__context__ is not None
    return str(error.__context__)
