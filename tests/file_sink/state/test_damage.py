"""Files of checkpoints that are damaged; rows that the driver does not see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from file_sink import FileState
from file_sink.errors import CountsDiffer
from tests.file_sink.state.totals import (
    SCHEMA,
    WINDOWS,
    checkpoints,
    expected,
    held,
    made,
    states,
)
from tests.file_sink.test_spark import Elsewhere
from windowed import State
from windowed.testing import ListSink
from windowlog.state_store import StateContext

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


def _one_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "one bit": (_one_bit, "has a damaged file"),
    "cut": (_cut, "has a damaged file"),
    "gone": (Path.unlink, "lacks its file"),
}


# The others in `make soak`; StateContract has them for each kind of frame.
@pytest.mark.parametrize(
    "damage",
    ["one bit", *(pytest.param(name, marks=pytest.mark.soak) for name in ("cut", "gone"))],
)
def test_the_older_checkpoint_is_used(tmp_path: Path, spark: SparkSession, damage: str) -> None:
    """Whatever happened to a file of the newest; the plans since the older one are there."""
    sink = ListSink()
    made(tmp_path, WINDOWS[:5], sink).run(spark)
    assert checkpoints(tmp_path / "state") == ["000000000004.json", "000000000005.json"]
    newest = states(tmp_path / "state")[-1]
    assert newest.name.startswith("000000000005.")
    do, said = DAMAGES[damage]
    do(min(newest.glob("*.parquet")))
    state = FileState(tmp_path / "state", schema=SCHEMA, key=["word"])
    state.open(StateContext(spark, "totals", newest.parent.parent.name, "look"))
    problems = {one.window_id: one.problem for one in state.checkpoints()}
    assert problems[4] == ""
    assert said in problems[5]
    summary = made(tmp_path, WINDOWS, sink).run(spark)
    assert (summary.window_ids[0], summary.windows_replayed) == (5, 1)
    assert held(sink) == expected(WINDOWS)


def test_rows_that_the_driver_does_not_see(tmp_path: Path, spark: SparkSession) -> None:
    """Executors on another machine wrote into a folder of that machine: the window fails before it
    is held, long before a checkpoint is due."""
    sink = ListSink()
    state = FileState(tmp_path / "state", schema=SCHEMA, storage=Elsewhere("00001-"))

    def spread(lines: DataFrame, state: State) -> Any:
        rows = lines.selectExpr("word", "1L AS n")
        return rows, state.replace(rows.repartition(2))

    pipeline = made(tmp_path, ["a b c d e f g"], sink, state=state, transform=spread, every=100)
    with pytest.raises(CountsDiffer, match="wrote 7 rows of window 1"):
        pipeline.run(spark)
    assert (sink.store.windows, states(tmp_path / "state")) == ({}, [])
