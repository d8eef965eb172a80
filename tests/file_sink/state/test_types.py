"""A state of every type of column is what it was after a restart."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

from file_sink import FileState
from tests.file_sink.state.totals import SCHEMA, WINDOWS, expected, held, made
from windowed import State
from windowed.testing import ListSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
DDL = (
    "b boolean, i byte, s short, n int, l long, f float, d double, m decimal(38,18), t string,"
    " x binary, day date, at timestamp, there timestamp_ntz, li array<int>,"
    " st struct<a: int, b: array<string>>, ma map<string, long>"
)
_AT = dt.datetime(1, 1, 1, 0, 0, 0, 1)  # noqa: DTZ001 (a column without a zone)
EVERY = [
    (
        *(True, -128, -32768, -(2**31), 2**63 - 1, 1.5, 1e300),
        Decimal("12345678901234567890.123456789012345678"),
        "é \0 \U0001f600",
        b"\xff\0",
        dt.date(1, 1, 1),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999, dt.UTC),
        _AT,
        [1, None],
        (1, ["x", None]),
        {"k": None},
    ),
    (None,) * 16,
]


def test_every_type_is_kept(tmp_path: Path, spark: SparkSession) -> None:
    """Two rows, one of NULLs: carried through windows and a restart."""
    seen: list[list[Any]] = []

    def keep(lines: DataFrame, state: State, window: Any) -> Any:
        if window.id == 1:
            return lines, state.replace(spark.createDataFrame(EVERY, DDL))
        seen.append(sorted((tuple(row) for row in state.frame.collect()), key=str))
        return lines, state.replace(state.frame)

    def run(count: int) -> None:
        state = FileState(tmp_path / "state", schema=DDL)
        made(tmp_path, WINDOWS[:count], ListSink(store), state=state, transform=keep).run(spark)

    store = ListSink().store
    run(2)
    run(3)
    wanted = spark.createDataFrame(EVERY, DDL).collect()
    assert seen == [sorted((tuple(row) for row in wanted), key=str)] * 2


def test_a_schema_of_arrow_is_the_same_state(tmp_path: Path, spark: SparkSession) -> None:
    """With a session it may be given either way, from run to run."""
    sink = ListSink()
    arrow = pyarrow.schema([("word", pyarrow.string()), ("n", pyarrow.int64())])
    for count, schema in ((3, SCHEMA), (5, arrow), (7, SCHEMA)):
        state = FileState(tmp_path / "state", schema=schema, key=["word"])
        summary = made(tmp_path, WINDOWS[:count], sink, state=state).run(spark)
        assert summary.windows_replayed == 0
    assert held(sink) == expected(WINDOWS)
