"""Records that cannot be decoded, in pipelines: they stop a window, or are rows of it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import duckdb
import pytest

from connectors import KafkaInput
from connectors.kafka.errors import BadRecord, TooManySetAside
from jdbc_sink import JdbcSink, append
from tests.connectors.kafka.pipelines import RUNNING, Died, commands
from tests.connectors.kafka.world import Broker
from windowed import Pipeline, Summary
from windowed.commands.app import main
from windowed.testing import ListSink
from windowlog import WindowLog
from windowlog.errors import BadArgument

FIVE = [b'{"id": 1}', b'{"id": 2}', b'{"id": "three"}', b'{"id": 4}', b'{"id": 5}']


class World:
    """A pipeline into two tables of one database, made anew for each run, as jobs are."""

    def __init__(self, broker: Broker, home: Path, how: dict[str, Any], **more: Any) -> None:
        self.broker, self.home, self.spark = broker, home, how["spark"]
        self.more = {"reader": how["reader"], "value": "json", "schema": "id int", **more}
        self.topic = broker.create()
        self.name = f"rejects-{self.topic}"
        self.dying = False

    def pipeline(self) -> Pipeline:
        """As a driver that starts now would make it."""
        tables = {"good": append()}
        if self.more.get("on_bad_record") == "set_aside":
            tables["bad"] = append()
        RUNNING[self.name] = Pipeline(
            "records",
            inputs={"orders": KafkaInput(self.broker.bootstrap, [self.topic], **self.more)},
            transform=self._both if "bad" in tables else self._rows,
            sinks={"tables": JdbcSink(f"duckdb:///{self.home}/x.duckdb", tables=tables)},
            log=self.home / "log",
            locator=f"tests.connectors.kafka.pipelines:running({self.name!r})",
        )
        return RUNNING[self.name]

    def _both(self, orders: Any, orders_rejects: Any) -> Any:
        columns = ["topic", "partition", "offset", "reason", "value", "timestamp"]
        return {"tables": {**self._rows(orders)["tables"], "bad": orders_rejects.select(columns)}}

    def _rows(self, orders: Any) -> Any:
        if self.dying:
            raise Died
        return {"tables": {"good": orders.select(["value", "offset"])}}

    def run(self) -> range:
        """Until all is drained: the windows."""
        return self.summary().window_ids

    def summary(self) -> Summary:
        """The same: what the run says of itself, on standard error too."""
        return self.pipeline().run(self.spark, progress=True)

    def good(self) -> list[int]:
        """What is written of the good ones; the table may not be there yet."""
        if not self.ask("SELECT 1 FROM duckdb_tables() WHERE table_name = 'good'"):
            return []
        return [row[0] for row in self.ask('SELECT "value".id FROM good ORDER BY 1')]

    def ask(self, query: str) -> list[Any]:
        """The database's own answer."""
        with duckdb.connect(f"{self.home}/x.duckdb", read_only=True) as connection:
            return connection.execute(query).fetchall()


def test_five_records_with_one_undecodable_are_four_rows_and_one_reject(
    broker: Broker, tmp_path: Path, how: dict[str, Any]
) -> None:
    """Of one window, whose replay gives the same: of what was planned, not of what has come since.
    Bad ones of the next window come with it."""
    world = World(broker, tmp_path, how, on_bad_record="set_aside", max_records_per_window=5)
    broker.send(world.topic, *FIVE)
    world.dying = True
    with pytest.raises(Died):
        world.run()
    world.dying = False
    broker.send(world.topic, b"more", b"of", b"it")
    assert list(world.run()) == [1, 2]
    rows = world.ask('SELECT "value".id, "offset" FROM good ORDER BY 2')
    assert rows == [(1, 0), (2, 1), (4, 3), (5, 4)]
    query = 'SELECT topic, "partition", "offset", reason, "value" FROM bad ORDER BY 3'
    first, *others = world.ask(query)
    assert first == (world.topic, 0, 2, "value.id is a string, not int", FIVE[2])
    assert [row[2] for row in others] == [5, 6, 7]
    assert world.ask("SELECT window_id FROM window_ledger") == [(2,)]


def test_a_bad_record_stops_the_window_and_a_skip_or_set_aside_lets_it_go_on(
    broker: Broker, tmp_path: Path, how: dict[str, Any]
) -> None:
    """Nothing is held, now and at the next run; then the rest is, without any other row."""
    world = World(broker, tmp_path, how)
    broker.send(world.topic, *FIVE)
    for _ in range(2 if how["spark"] is None else 1):
        with pytest.raises(BadRecord) as told:
            world.run()
        text = f"topic {world.topic}, partition 0, offset 2: value.id is a string, not int"
        assert f"Input orders: {text}" in str(told.value)
        assert world.good() == []
        assert world.ask("SELECT window_id FROM window_ledger") == [(0,)]
    [skip] = commands(told.value)
    assert main([*shlex.split(skip), "--apply"]) == 0
    assert list(world.run()) == [1]
    assert world.good() == [1, 2, 4, 5]
    # Nor is a skip of a piece, which only the input knows by name, a finding later.
    assert main(["verify", shlex.split(skip)[1]]) == 0


def test_more_than_max_rejects_stop_the_window(
    broker: Broker, tmp_path: Path, how: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A topic in another format is not set aside for ever: nothing is held, in a replay neither;
    once so many are allowed, run and progress say how many there were."""
    options = {"on_bad_record": "set_aside", "max_rejects": 2, "max_records_per_window": 5}
    world = World(broker, tmp_path, how, **options)
    broker.send(world.topic, FIVE[0], b"x", b"y", FIVE[2], FIVE[4], *FIVE)
    for _ in range(2):
        with pytest.raises(TooManySetAside) as told:
            world.run()
        text = str(told.value)
        assert "Input orders: 3 records of window 1 cannot be decoded" in text
        assert "no more than 2 of one window" in text
        for offset in (1, 2):
            assert f"{world.topic}:0@{offset} value is not JSON" in text
        assert f"{world.topic}:0@3 value.id is a string, not int" in text
        assert "raise max_rejects= to 3 or more" in text
        assert world.good() == []
        assert world.ask("SELECT window_id FROM window_ledger") == [(0,)]
    world.more["max_rejects"] = 3
    summary = world.summary()
    assert (list(summary.window_ids), summary.set_aside) == ([1, 2], 4)
    assert "4 records set aside" in str(summary)
    assert "10 records (4 set aside)" in capsys.readouterr().err
    assert world.good() == [1, 1, 2, 4, 5, 5]
    bad = world.ask('SELECT "offset" FROM bad ORDER BY 1')
    assert [row[0] for row in bad] == [1, 2, 3, 7]


@pytest.mark.spark
def test_without_spark_it_is_the_same(broker: Broker, tmp_path: Path) -> None:
    """Frames are Arrow tables then; a preview and a kept window have both frames, too."""
    world = World(broker, tmp_path, {"reader": "driver", "spark": None}, on_bad_record="set_aside")
    broker.send(world.topic, *FIVE)
    shown: Any = world.pipeline().preview(None)["tables"]
    assert (shown["good"].num_rows, shown["bad"].num_rows) == (4, 1)
    world.dying = True
    with pytest.raises(Died):
        world.run()
    frames: Any = world.pipeline().read_window(None, 1)
    assert [row["offset"] for row in frames["orders"].to_pylist()] == [0, 1, 3, 4]
    assert [row["offset"] for row in frames["orders_rejects"].to_pylist()] == [2]


def test_an_own_loop_has_the_second_frame(broker: Broker) -> None:
    """Under the same name."""
    topic = broker.create()
    broker.send(topic, *FIVE)
    source = KafkaInput(
        broker.bootstrap, [topic], value="json", schema="id int", on_bad_record="set_aside"
    )
    sink = ListSink()
    made = Pipeline("own", inputs={"x": source}, sinks={"out": sink}, log=WindowLog.in_memory())
    with made.open(None) as run:
        window = run.next()
        assert window is not None
        assert sorted(window.frames) == ["x", "x_rejects"]
        run.hold(window, window.frames["x_rejects"])
    assert [row["value"] for row in sink.rows] == [FIVE[2]]


def test_a_transform_that_does_not_take_what_is_set_aside_is_refused() -> None:
    """On construction: it would be lost without a word."""
    source = KafkaInput("a:1", ["t"], value="utf8", on_bad_record="set_aside")
    with pytest.raises(BadArgument, match=r"lines, lines_rejects as keyword arguments.*set aside"):
        Pipeline(
            "lost",
            inputs={"lines": source},
            transform=lambda lines: lines,
            sinks={"out": ListSink()},
            log=WindowLog.in_memory(),
        )
