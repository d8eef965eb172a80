"""What the session is set to does not change a state: its options are the person's, for all that
they read and write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from file_sink import FileState
from file_sink.errors import FrameUnsuitable
from tests.file_sink.state.totals import WINDOWS, expected, held, made, states, totals
from windowed import State
from windowed.testing import ListSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
FORGIVING = {
    "spark.sql.files.ignoreMissingFiles": "true",
    "spark.sql.files.ignoreCorruptFiles": "true",
}


@contextmanager
def configured(spark: SparkSession, options: Mapping[str, str]) -> Iterator[None]:
    """While inside, the session has these options."""
    before = {name: spark.conf.get(name, None) for name in options}
    for name, value in options.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


# The second reader of Parquet, which a session may choose, has its own code for these options.
@pytest.mark.parametrize(("loss", "reader"), [("gone", "parquet"), ("torn", "")])
def test_a_session_that_reads_past_lost_files_does_not_make_a_smaller_state(
    tmp_path: Path, spark: SparkSession, loss: str, reader: str
) -> None:
    """A file of the state goes while a window runs: that fails, the next run goes on from the
    checkpoint, and the totals are those of every word."""

    def losing(lines: DataFrame, state: State, window: Any) -> Any:
        for folder in states(tmp_path / "state") if window.id == 4 else ():
            for file in folder.glob("*"):
                if loss == "gone":
                    file.unlink()
                else:
                    file.write_bytes(b"PAR1" + bytes(file.stat().st_size - 8) + b"PAR1")
        return totals(lines, state)

    sink = ListSink()
    options = {**FORGIVING, "spark.sql.sources.useV1SourceList": reader}
    with configured(spark, options):
        with pytest.raises(Exception, match=r"parquet|Parquet"):
            made(tmp_path, WINDOWS, sink, transform=losing).run(spark, progress=False)
        made(tmp_path, WINDOWS, sink, every=9).run(spark)
    assert held(sink) == expected(WINDOWS)


def test_large_types_of_arrow_are_the_same_columns(tmp_path: Path, spark: SparkSession) -> None:
    """A session that hands over large_string instead of string makes no other state."""
    sink = ListSink()
    for count, large in ((3, "false"), (5, "true"), (7, "false")):
        with configured(spark, {"spark.sql.execution.arrow.useLargeVarTypes": large}):
            assert made(tmp_path, WINDOWS[:count], sink).run(spark).windows_replayed == 0
    assert held(sink) == expected(WINDOWS)


def test_timestamps_are_not_cut(tmp_path: Path, spark: SparkSession) -> None:
    """A session that writes milliseconds is told so; one that writes INT96 loses nothing."""
    seen: list[list[Any]] = []
    sink = ListSink()

    def keep(lines: DataFrame, state: State) -> Any:
        seen.append([row[0] for row in state.frame.selectExpr("unix_micros(at)").collect()])
        return lines, state.replace(spark.sql("SELECT timestamp_micros(123456789) AS at"))

    def run(kind: str) -> None:
        state = FileState(tmp_path / "state", schema="at timestamp")
        pipeline = made(tmp_path, WINDOWS[:2], sink, state=state, transform=keep)
        with configured(spark, {"spark.sql.parquet.outputTimestampType": kind}):
            pipeline.run(spark, progress=False)

    with pytest.raises(FrameUnsuitable, match="set it to TIMESTAMP_MICROS"):
        run("timestamp_millis")
    assert not (tmp_path / "state").exists()
    run("INT96")
    assert seen == [[], [], [123456789]]
