"""Frames on their way through a window: schemas, and frames that several sinks share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

from tests.windowed.made import pipeline, rows, words
from windowed.errors import WrongOutputs
from windowed.frames import arrow_schema, is_frame, outputs_by_sink, shared
from windowed.testing.list_sink import ListSink
from windowed.testing.rows import RowsInput

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

TABLE = pyarrow.table({"n": [1, 2]})
SINKS = {"a": ListSink(), "b": ListSink()}


def test_one_frame_goes_to_every_sink() -> None:
    """A dict gives each its own."""
    other = pyarrow.table({"n": [3]})
    assert outputs_by_sink(TABLE, SINKS, "p") == {"a": TABLE, "b": TABLE}
    assert outputs_by_sink({"b": other, "a": TABLE}, SINKS, "p") == {"a": TABLE, "b": other}


def test_a_dict_must_name_every_sink_and_no_other() -> None:
    """The message says which it names, and which there are."""
    with pytest.raises(
        WrongOutputs, match=re.escape("frames for ['a', 'c']; the sinks are ['a', 'b']")
    ):
        outputs_by_sink({"a": TABLE, "c": TABLE}, SINKS, "p")


@pytest.mark.parametrize("value", [None, 1, "rows", [TABLE], TABLE.schema])
def test_what_is_no_frame(value: Any) -> None:
    """Only Arrow tables and DataFrames are."""
    assert not is_frame(value)
    assert is_frame(TABLE)


def test_the_schema_of_an_arrow_table_is_its_own() -> None:
    """With all its types."""
    assert arrow_schema(TABLE, "p") == TABLE.schema


class _Counted:
    """A DataFrame of Spark's shape that counts what is asked of it."""

    schema = "n long"

    def __init__(self, heard: list[str], name: str) -> None:
        self._heard, self._name = heard, name

    def toArrow(self) -> None:  # noqa: N802 (Spark's own name)
        """Never asked here."""

    def persist(self) -> None:
        """Keep it."""
        self._heard.append(f"persist {self._name}")

    def unpersist(self) -> None:
        """Let it go."""
        self._heard.append(f"unpersist {self._name}")


def test_only_a_frame_that_several_sinks_use_is_kept() -> None:
    """And let go of afterwards, also after a failure."""
    heard: list[str] = []
    once: Any = _Counted(heard, "once")
    twice: Any = _Counted(heard, "twice")
    frames = {"a": twice, "b": once, "c": twice, "d": TABLE, "e": TABLE}
    with shared(frames):
        assert heard == ["persist twice"]
    assert heard == ["persist twice", "unpersist twice"]
    with pytest.raises(ZeroDivisionError), shared(frames):
        1 / 0  # noqa: B018 (the failure is what is wanted)
    assert heard[2:] == ["persist twice", "unpersist twice"]


@pytest.mark.spark
def test_a_frame_that_two_sinks_use_is_computed_once(spark: SparkSession, tmp_path: Path) -> None:
    """A frame of its own for each sink is computed for each."""
    calls = spark.sparkContext.accumulator(0)

    def count(word: str) -> str:
        calls.add(1)
        return word

    from pyspark.sql.functions import udf

    counted = udf(count, "string", useArrow=False)

    def once(lines: Any) -> Any:
        return lines.select(counted("word").alias("word"))

    def twice(lines: Any) -> Any:
        return {"one": once(lines), "two": once(lines)}

    for transform, expected in ((once, 2), (twice, 4)):
        before = calls.value
        sinks = {"one": ListSink(), "two": ListSink()}
        pipeline(rows(["a", "b"]), sinks, transform=transform).run(spark)
        assert [words(sink) for sink in sinks.values()] == [["a", "b"], ["a", "b"]]
        assert calls.value - before == expected
    assert not spark.catalog.listTables()


@pytest.mark.spark
def test_the_schema_of_a_data_frame_is_that_of_its_rows(spark: SparkSession) -> None:
    """As toArrow() gives them."""
    columns = (
        "a string, b bigint, c decimal(29, 9), d timestamp, e array<struct<f: double>>, g date"
    )
    frame = spark.createDataFrame([], columns)
    assert arrow_schema(frame, "p") == frame.toArrow().schema
    assert is_frame(frame)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("interval '1-2' year to month", "YearMonthIntervalType"),
        ("array(interval '3' month)", "YearMonthIntervalType"),
        ("struct(1 as a, 2 as a)", "DUPLICATED_FIELD_NAME"),
    ],
)
def test_a_type_that_spark_does_not_hand_over_is_named_with_its_column(
    spark: SparkSession, expression: str, words: str
) -> None:
    """Spark's own error names only the type."""
    frame = spark.sql(f"SELECT 1 AS good, {expression} AS `odd one`")
    with pytest.raises(WrongOutputs, match=f"returned column odd one of a type .*{words}"):
        arrow_schema(frame, "p")


@pytest.mark.spark
def test_another_error_of_spark_passes_as_it_is(spark: SparkSession) -> None:
    """No column is to blame for a session that is unwell."""

    class Unwell:
        sparkSession = spark  # noqa: N815 (Spark's own name)
        schema = spark.range(1).schema

        def limit(self, rows: int) -> object:
            raise RuntimeError(f"no {rows} rows")

    with pytest.raises(RuntimeError, match="no 0 rows"):
        arrow_schema(Unwell(), "p")


@pytest.mark.spark
def test_rows_of_an_input_are_a_data_frame_when_there_is_a_session(spark: SparkSession) -> None:
    """The same pipeline runs with and without."""
    sink, source = ListSink(), RowsInput([[("a", 1)], []], schema="word string, count long")
    made = pipeline(source, {"out": sink}, transform=lambda lines: lines.where("count = 1"))
    summary = made.run(spark)
    assert (words(sink), summary.windows_run) == (["a"], 2)
