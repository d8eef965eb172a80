"""Sessions that are made from others: what one knows, they know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from connectors import FileInput
from windowed import Pipeline, drained
from windowed.testing import ListSink
from windowlog import WindowLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def _lines(spark: Any, folder: Path) -> list[str]:
    """Read by tasks."""
    sink = ListSink()
    pipeline = Pipeline(
        "sessions",
        inputs={"lines": FileInput(folder, quiet_s=0, reader="executors")},
        transform=lambda lines: lines.select("value"),
        sinks={"out": sink},
        log=WindowLog.in_memory(),
    )
    pipeline.run(spark, until=drained(), progress=False)
    return sorted(str(row["value"]) for row in sink.rows)


def test_a_session_that_was_born_with_the_data_source_reads_too(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Spark refuses to be told of it a second time."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("a\nb\n")
    assert _lines(spark, folder) == ["a", "b"]
    assert _lines(spark.newSession(), folder) == ["a", "b"]
