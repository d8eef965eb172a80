"""`state.change` and `state.replace` of Spark's frames, against dicts of Python."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from file_sink import FileState
from tests.file_sink.state.totals import WINDOWS, checkpoints, expected, held, made, totals
from windowed import State
from windowed.errors import WrongOutputs
from windowed.testing import ListSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
DDL = "k double, name string, n long"
NAN = float("nan")
ROWS = [(1.0, "a", 1), (1.0, None, 2), (None, "a", 3), (None, None, 4), (NAN, "a", 5), (2.0, "", 6)]


def dict_of(rows: list[Any]) -> dict[Any, int]:
    """(k, name) -> n, with NaN equal to itself; a key that is there twice is an error."""
    pairs = [(("NaN" if k is not None and math.isnan(k) else k, name), n) for k, name, n in rows]
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


PUT = [(1.0, None, 20), (None, None, 40), (NAN, "a", 50), (3.0, "new", 70)]
DELETE = [(None, "a", 0), (2.0, "", 0), (NAN, "a", 0), (9.0, "unknown", 0), (9.0, "unknown", 1)]


@pytest.mark.parametrize(("put", "delete"), [(PUT, []), ([], DELETE), (PUT, DELETE), ([], [])])
def test_a_change_is_that_of_a_dict(spark: SparkSession, put: list[Any], delete: list[Any]) -> None:
    """NULL and NaN are keys like any others; a key that is put and deleted is put; what is deleted
    may be there twice, or not at all."""
    key = ["k", "name"]
    state = State(spark.createDataFrame(ROWS, DDL), key)
    following = state.change(
        put=spark.createDataFrame(put, DDL), delete=spark.createDataFrame(delete, DDL)
    )
    found = [tuple(row) for row in state.after(following).collect()]
    wanted = dict_of(ROWS)
    for name in dict_of(delete[:4]):
        wanted.pop(name, None)
    assert dict_of(found) == wanted | dict_of(put)


def test_what_is_put_may_be_made_of_the_state(spark: SparkSession) -> None:
    """A frame joined with the frame it comes from: Spark is not confused, nor are columns with
    strange names, in another order."""
    frame = spark.createDataFrame([("a", 1), ("b", 2)], "`a b` string, `n.n` long")
    state = State(frame, ["a b"])
    more = frame.where("`n.n` > 1").selectExpr("`n.n` + 1 AS `n.n`", "`a b`")
    gone = frame.where("`n.n` = 1").select("`a b`")
    rows = state.after(state.change(put=more, delete=gone)).collect()
    assert [tuple(row) for row in rows] == [("b", 3)]
    assert state.after(state.replace(more)).columns == ["a b", "n.n"]


def test_a_key_that_is_put_twice_fails_the_window(tmp_path: Path, spark: SparkSession) -> None:
    """Nothing of it is held or saved, the message says what to do, and a mended transform goes
    on."""
    sink = ListSink()

    def twice(lines: DataFrame, state: State, window: Any) -> Any:
        if window.id < 3:
            return totals(lines, state)
        put = lines.selectExpr("word", "1L AS n")
        return put, state.change(put=put)

    with pytest.raises(WrongOutputs, match="two rows of one key") as refused:
        made(tmp_path, WINDOWS, sink, transform=twice).run(spark)
    assert '{"word":"a"}; group by the key' in str(refused.value)
    assert sorted(sink.store.windows) == [1, 2]
    assert checkpoints(tmp_path / "state") == ["000000000002.json"]
    made(tmp_path, WINDOWS, sink).run(spark)
    assert held(sink) == expected(WINDOWS)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["word", "cast(n AS int) AS n"], "column n as int, not bigint"),
        (["word"], "no column n (bigint)"),
        (["word", "n", "1 AS more"], "a column more that the state does not have"),
        (["word", "n", "n AS N"], "column n 2 times"),
    ],
)
def test_other_columns_are_named(spark: SparkSession, columns: list[str], said: str) -> None:
    """Before anything is written."""
    frame = spark.createDataFrame([("a", 1)], "word string, n long")
    state, other = State(frame, ["word"], "p"), frame.selectExpr(*columns)
    for say in ("replace", "put"):
        with pytest.raises(WrongOutputs) as refused:
            state.replace(other) if say == "replace" else state.change(put=other)
        assert said in str(refused.value)


def test_what_is_deleted_may_have_more_columns(spark: SparkSession) -> None:
    """Only the key's are looked at, and must be there, with its types."""
    frame = spark.createDataFrame([("a", 1)], "word string, n long")
    state = State(frame, ["word"], "p")
    more = frame.selectExpr("word", "cast(n AS int) AS n", "1 AS more")
    assert state.after(state.change(delete=more)).collect() == []
    with pytest.raises(WrongOutputs, match="column word as int, not string"):
        state.change(delete=frame.selectExpr("1 AS word"))


def test_another_error_of_spark_is_not_taken_for_a_key_twice(
    tmp_path: Path, spark: SparkSession
) -> None:
    """It quotes the plan, with our own words for that: here a key of a type that has no order."""

    def put(lines: DataFrame, state: State) -> Any:
        return lines, state.change(put=lines.selectExpr("map('a', 1) AS k", "1L AS n"))

    state = FileState(tmp_path / "state", schema="k map<string, int>, n long", key=["k"])
    with pytest.raises(AnalysisException, match="does not support ordering"):
        made(tmp_path, WINDOWS, ListSink(), state=state, transform=put).run(spark, progress=False)
