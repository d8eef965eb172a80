"""Keys and values decoded by each reader, and what becomes of those that cannot be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

from connectors import KafkaInput
from connectors.kafka.errors import BadRecord
from connectors.kafka.rows import SCHEMA
from tests.connectors.kafka.json_cases import BAD, DDL, GOOD
from tests.connectors.kafka.reading import Row, ordered, running
from tests.connectors.kafka.world import Broker
from windowed.testing.input_run import InputRun
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowlog.contracts import Frame

ASIDE: dict[str, Any] = {"on_bad_record": "set_aside"}
JSON: dict[str, Any] = {"value": "json", "schema": DDL}
# Each with whether it is UTF-8, as the Unicode standard's table of well-formed bytes says.
TEXTS = [
    (b"", True),
    (b"plain", True),
    (b"a\x00b", True),
    ("na\u00efve \u20ac \U0001f40d \ufeff \ufffd \U0010ffff".encode(), True),
    (b"\xed\x9f\xbf\xee\x80\x80", True),
    (b"\xff", False),
    (b"a\x80", False),
    (b"\xc3", False),
    (b"\xe2\x82", False),
    (b"\xc0\x80", False),
    (b"\xc1\xbf", False),
    (b"\xe0\x80\xaf", False),
    (b"\xf0\x80\x80\xaf", False),
    (b"\xed\xa0\x80", False),
    (b"\xed\xbf\xbf", False),
    (b"\xed\xa0\xbd\xed\xb0\x8d", False),
    (b"\xf4\x90\x80\x80", False),
    (b"\xf5\x80\x80\x80", False),
    (b"\xf8\x88\x80\x80\x80", False),
]


def as_rows(frame: Frame) -> list[Row]:
    """A frame's rows in their order."""
    table = frame if isinstance(frame, pyarrow.Table) else frame.toArrow()
    return ordered(table.to_pylist())


def values_of(rows: list[Row]) -> list[Any]:
    """Their values. A map's entries have no order: that of the cases is that of their names."""
    values = [row["value"] for row in rows]
    for value in values:
        if value is not None and value["counts"]:
            value["counts"].sort()
    return values


def both(run: InputRun) -> tuple[list[Row], list[Row]]:
    """The next window's rows and rejects, not held."""
    rows, rejects = run.input.read_aside(run.plan(), ())  # type: ignore[attr-defined]
    return as_rows(rows), as_rows(rejects)


def test_every_reader_takes_the_same_json_and_refuses_the_same(
    broker: Broker, how: dict[str, Any]
) -> None:
    """All cases at once, with keys, headers and a tombstone; rejects are as they are in the
    topic."""
    topic = broker.create()
    values = [data for data, _ in (*GOOD, *BAD)]
    # Older records would be gone at once.
    now_ms = int(time.time()) * 1000
    more: dict[str, Any] = {"key": b"\xff", "headers": [("h", b"\x00")], "timestamp_ms": now_ms}
    broker.send(topic, *values, None, **more)
    with running(broker, topic, **how, **JSON, **ASIDE) as run:
        rows, rejects = both(run)
        if how["spark"] is None:
            assert run.rows(run.log(run.plan())) == rows
    expected = [*(value for _, value in GOOD), None]
    assert values_of(rows) == expected
    assert [row["reason"] for row in rejects] == [reason for _, reason in BAD]
    assert [row["value"] for row in rejects] == [data for data, _ in BAD]
    assert [row["offset"] for row in rows] == [*range(len(GOOD)), len(values)]
    assert [row["offset"] for row in rejects] == list(range(len(GOOD), len(values)))
    for row in (*rows, *rejects):
        assert (row["key"], row["headers"]) == (b"\xff", [{"key": "h", "value": b"\x00"}])
        assert (row["timestamp"].timestamp() * 1000, row["topic"]) == (now_ms, topic)
    assert list(rejects[0]) == [
        *("topic", "partition", "offset", "timestamp", "timestampType", "reason"),
        *("key", "value", "headers"),
    ]


def test_every_reader_takes_the_same_texts_and_refuses_the_same(
    broker: Broker, how: dict[str, Any]
) -> None:
    """Strict UTF-8 in keys and values; a key without a value, a value without a key."""
    topic = broker.create()
    for data, _ in TEXTS:
        broker.send(topic, data, key=data)
    broker.send(topic, b"\xff", key=b"fine")
    broker.send(topic, b"fine", key=b"\xff")
    broker.send(topic, None, key=b"fine")
    broker.send(topic, b"fine")
    with running(broker, topic, **how, value="utf8", key="utf8", **ASIDE) as run:
        rows, rejects = both(run)
    good = [data.decode() for data, right in TEXTS if right]
    assert [(row["key"], row["value"]) for row in rows] == [
        *((text, text) for text in good),
        ("fine", None),
        (None, "fine"),
    ]
    bad = [data for data, right in TEXTS if not right]
    assert [(row["key"], row["value"], row["reason"]) for row in rejects] == [
        *((data, data, "key is not UTF-8") for data in bad),
        (b"fine", b"\xff", "value is not UTF-8"),
        (b"\xff", b"fine", "key is not UTF-8"),
    ]


@pytest.mark.spark
def test_columns_are_the_same_by_each_reader(broker: Broker, spark: SparkSession) -> None:
    """For an empty plan too."""
    topic = broker.create()
    broker.send(topic, b'{"id": 1}')
    found = []
    for reader in ("driver", "executors", "spark"):
        with running(broker, topic, spark=spark, reader=reader, key="utf8", **JSON, **ASIDE) as run:
            for _ in range(2):
                plan = run.plan()
                rows, rejects = run.input.read_aside(plan, ())  # type: ignore[attr-defined]
                found.append((rows.schema, rejects.schema))
                run.hold(run.log(plan))
    assert all(one == found[0] for one in found)
    assert found[0][0].names == SCHEMA.names


@contextmanager
def settings(spark: SparkSession, **values: str) -> Iterator[None]:
    """The session with other settings, for a while; names with underscores for dots."""
    names = {name.replace("_", "."): value for name, value in values.items()}
    before = {name: spark.conf.get(name) for name in names}
    try:
        for name, value in names.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, old in before.items():
            assert old is not None
            spark.conf.set(name, old)


@pytest.mark.spark
@pytest.mark.parametrize("reader", ["driver", "executors"])
def test_no_setting_of_the_session_changes_a_value(
    broker: Broker, spark: SparkSession, reader: str
) -> None:
    """Time zone, ANSI, case, the default timestamp, Arrow in Python functions."""
    topic = broker.create()
    broker.send(topic, *(data for data, _ in GOOD), *(data for data, _ in BAD))
    found = []
    other = {
        "spark_sql_session_timeZone": "Pacific/Marquesas",
        "spark_sql_ansi_enabled": "false",
        "spark_sql_caseSensitive": "true",
        "spark_sql_timestampType": "TIMESTAMP_NTZ",
        "spark_sql_execution_pythonUDF_arrow_enabled": "true",
    }
    one = {
        "spark_sql_session_timeZone": "Asia/Kathmandu",
        "spark_sql_ansi_enforceReservedKeywords": "true",
    }
    for values in (one, other):
        with (
            settings(spark, **values),
            running(broker, topic, spark=spark, reader=reader, **JSON, **ASIDE) as run,
        ):
            found.append(both(run))
    assert found[0] == found[1]
    assert values_of(found[0][0]) == [value for _, value in GOOD]


def test_a_bad_record_is_an_error_that_names_it(broker: Broker, how: dict[str, Any]) -> None:
    """Of a value that the transform never looks at, too. The rows before it come to nothing."""
    topic = broker.create(2)
    broker.send(topic, b"fine", b"fine", b"\xff", partition=1)
    with running(broker, topic, **how, value="utf8") as run:
        window = run.log(run.plan())
        source: Any = run.input
        with pytest.raises(Exception, match="value is not UTF-8") as caught:
            source.read(window.plans["source"], ()).select("offset").where("offset > 5").toArrow()
        error = caught.value
        told = error if isinstance(error, BadRecord) else source.explain(error)
        place = (told.values["topic"], told.values["partition"], told.values["offset"])
        assert place == (topic, 1, 2)
        assert told.values["reason"] == "value is not UTF-8"
        assert "on_bad_record='set_aside'" in str(told)
        assert f"skip MODULE:PIPELINE 1 source --part {topic}:1@2-3 --reason WHY" in str(told)
        assert source.explain(ValueError("something else")) is None


@pytest.mark.spark
@pytest.mark.parametrize("reader", ["executors", "spark"])
def test_what_tasks_read_is_read_once(broker: Broker, spark: SparkSession, reader: str) -> None:
    """Both frames are of one reading; once the window is committed nothing is kept."""
    topic = broker.create()
    broker.send(topic, b'{"id": 1}', b"bad", b'{"id": 2}')
    with running(broker, topic, spark=spark, reader=reader, **JSON, **ASIDE) as run:
        window = run.log(run.plan())
        source: Any = run.input
        rows, rejects = source.read_aside(window.plans["source"], ())
        assert [row["value"]["id"] for row in as_rows(rows)] == [1, 2]
        broker.delete_records(topic, 3)
        assert [row["offset"] for row in as_rows(rejects)] == [1]
        run.hold(window)
        with pytest.raises(Exception, match=r".+"):
            rejects.toArrow()


@pytest.mark.parametrize(
    ("argument", "more"),
    [
        ("value", {"value": "json5"}),
        ("value", {"value": None}),
        ("key", {"key": "json"}),
        ("schema", {"value": "json"}),
        ("schema", {"value": "utf8", "schema": "a int"}),
        ("schema", {"value": "json", "schema": "a varchar(3)"}),
        ("on_bad_record", {"on_bad_record": "drop", "value": "utf8"}),
        ("on_bad_record", {"on_bad_record": "set_aside"}),
    ],
)
def test_what_cannot_be_decoded_so_is_a_bad_argument(argument: str, more: dict[str, Any]) -> None:
    """Found on construction."""
    with pytest.raises(BadArgument, match=f"^{argument}="):
        KafkaInput("a:1", ["t"], **more)
