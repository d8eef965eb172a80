"""Rows for which csv has no line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest

from file_sink.errors import FrameUnsuitable
from tests.file_sink.bench import Bench

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_row_for_which_csv_has_no_line_is_refused(tmp_path: Path) -> None:
    """Null alone is an empty line, which readers pass over; beside a partition, too."""
    for days in ({}, {"day": ["m", "m"]}):
        bench = Bench(tmp_path / f"{len(days)}", format="csv", partition_by=[*days])
        window, table = bench.story.window(), pyarrow.table({"word": ["a", None], **days})
        bench.sink.prepare(table.schema)
        with pytest.raises(FrameUnsuitable, match="1 rows have nothing in word, the only column"):
            bench.sink.stage(window, table)
        bench.sink.stage(window, pyarrow.table({"word": ["a", ""], **days}))
        bench.sink.hold(window)
        bench.sink.committed(window.id)
        assert (bench.path / bench.published()[0]).read_text() == '"a"\n""\n'


@pytest.mark.spark
@pytest.mark.parametrize(
    ("options", "lost"),
    [
        ({}, {None}),
        ({"header": True}, {None}),
        ({"nullValue": " "}, {None}),
        ({"emptyValue": ""}, {None, "", "  "}),
        ({"NULLVALUE": "NULL", "EmptyValue": " "}, {"", "  "}),
        ({"nullValue": "NULL"}, set()),
        ({"quoteAll": True, "emptyValue": ""}, set()),
    ],
)
def test_a_row_of_which_spark_makes_no_line_is_refused(
    tmp_path: Path, spark: SparkSession, options: dict[str, Any], lost: set[str | None]
) -> None:
    """A csv of one column: Spark leaves such a row out, unsaid. Lines of headers, and of values
    with line ends, hide that; of compressed files nobody counts them."""
    for at, value in enumerate((None, "", "  ", "x")):
        bench = Bench(tmp_path / f"{at}", format="csv", options=options, compression="gzip")
        frame = spark.createDataFrame([("a\nb",), (value,)], "t string").coalesce(1)
        if value in lost:
            with pytest.raises(FrameUnsuitable, match="1 rows have nothing in t, the only column"):
                bench.publish(frame)
            continue
        bench.publish(frame)
        reader = spark.read.options(multiLine=True, header="header" in options).schema("t string")
        assert reader.csv(str(bench.path)).count() == 2
