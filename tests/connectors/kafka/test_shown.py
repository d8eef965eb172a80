"""What a person is shown of positions, and inputs that cannot be beside each other."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from connectors import KafkaInput
from connectors.kafka.position import Position, TopicPosition, in_words
from tests.connectors.kafka.pipelines import KafkaWorld
from tests.connectors.kafka.world import Broker, numbered
from windowed import Pipeline
from windowed.commands.app import main
from windowed.testing import ListSink
from windowlog import WindowLog
from windowlog.errors import BadArgument


def test_show_sums_up_what_its_table_has_no_room_for(
    broker: Broker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is cut off: a few places, or partitions and records by topic; JSON has all."""
    monkeypatch.setenv("COLUMNS", "200")
    small, large = broker.create(2), broker.create(12)
    broker.send(small, *numbered(3), partition=1)
    broker.send(large, *numbered(1204), partition=7)
    for topic, told in (
        (small, f"{small}:0@0, {small}:1@3"),
        (large, f"{large}: 12 partitions, at most 1,204 records before it"),
    ):
        world = KafkaWorld(broker, topic)
        world.run()
        assert main(["show", world.locator]) == 0
        shown = " ".join(re.sub("[│┃]", " ", capsys.readouterr().out).split())
        assert told in shown
        assert "…" not in shown
        assert main(["show", world.locator, "--json"]) == 0
        [source] = json.loads(capsys.readouterr().out)["inputs"]
        parts = 2 if topic == small else 12
        assert source["position"]["topics"][topic]["offsets"] == broker.ends(topic, parts)


def test_many_topics_are_told_as_far_as_there_is_room() -> None:
    """And how many there are."""
    topics = {f"t{number:02}": TopicPosition("id", (1000,)) for number in range(30)}
    told = in_words(Position("c", topics))
    assert told.startswith("t00: 1 partition, at most 1,000 records before it; t01: ")
    assert told.endswith("; and 20 topics more")
    assert in_words(Position("c", {})) == "no topic yet"


def _two(one: dict[str, Any], two: dict[str, Any]) -> Pipeline:
    inputs = {
        name: KafkaInput(**{"bootstrap_servers": "a:1,b:1"} | given)
        for name, given in (("one", one), ("two", two))
    }
    sinks = {"out": ListSink()}
    return Pipeline("clash", inputs=inputs, sinks=sinks, log=WindowLog.in_memory())


@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        ({"topics": ["t", "u"]}, {"topics": ["u"]}, "topic u"),
        ({"topics": "t"}, {"pattern": "t.*"}, "topic t"),
        ({"pattern": "t.*"}, {"topics": "t"}, "topic t"),
        ({"pattern": "a.*"}, {"pattern": "b.*"}, "both patterns"),
    ],
)
def test_two_inputs_that_commit_for_one_group_are_refused(
    one: dict[str, Any], two: dict[str, Any], shared: str
) -> None:
    """On construction, where they may read a topic in common: each would write over what the other
    one has committed."""
    with pytest.raises(BadArgument, match=f"'two'.*'lag' is another input's.*{shared}"):
        _two({**one, "group_id": "lag"}, {**two, "group_id": "lag"})


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"topics": "t", "group_id": "a"}, {"topics": "t", "group_id": "b"}),
        ({"topics": "t", "group_id": "a"}, {"topics": "u", "group_id": "a"}),
        ({"topics": "t"}, {"topics": "t"}),
        (
            {"topics": "t", "group_id": "a"},
            {"topics": "t", "group_id": "a", "bootstrap_servers": "c:1"},
        ),
    ],
)
def test_two_inputs_that_do_no_harm_are_taken(one: dict[str, Any], two: dict[str, Any]) -> None:
    """Groups of their own, topics of their own, no group, other brokers."""
    assert len(_two(one, two).inputs) == 2
