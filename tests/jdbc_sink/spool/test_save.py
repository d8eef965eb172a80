"""The Spark job: real tasks, a real manifest; and a window of ten million rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from jdbc_sink import JdbcSink
from jdbc_sink.spool.files import take
from jdbc_sink.spool.save import MANIFEST, save
from windowed import Pipeline
from windowed.testing import RowsInput
from windowlog import WindowLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DRIVER_MB_MAX = 512


@pytest.mark.spark
def test_tasks_write_what_the_driver_takes(spark: SparkSession, tmp_path: Path) -> None:
    """Every row once, the same values as through the driver, files of at most so many rows."""
    frame = spark.range(0, 1000, 1, 3).selectExpr(
        "id",
        "if(id % 7 = 0, null, concat('w', id)) AS word",
        "cast(id / 3 AS decimal(38, 10)) AS amount",
        "timestamp_seconds(id * 86400 * 365) AS at",
        "array(id, null) AS list",
        "map('id', id) AS map",
        "named_struct('a', id, 'b', cast(id AS string)) AS struct",
        "make_dt_interval(0, 0, 0, id) AS duration",
    )
    expected = frame.toArrow()
    spool = save(frame, tmp_path, expected.schema, 100)
    assert spool.read().sort_by("id") == expected.sort_by("id")
    assert spool.nulls == {"word": 143}  # 0, 7 … 994
    assert max(file.rows for file in spool.files) == 100
    assert take(tmp_path, MANIFEST, expected.schema) == spool


@pytest.mark.spark
def test_a_pipeline_loads_through_executors(spark: SparkSession, tmp_path: Path) -> None:
    """Windows one after the other, also an empty one; nothing stays beside the database."""
    path = tmp_path / "x.duckdb"
    windows: list[list[tuple[str, int]]] = [[("a", 1), ("b", 2)], [], [("c", 3)]]
    pipeline = Pipeline(
        "spooled",
        inputs={"rows": RowsInput(windows, schema="word string, n bigint")},
        sinks={"out": JdbcSink(f"duckdb:///{path}", table="words", load="executors")},
        log=WindowLog.in_memory(),
        transform=lambda rows: rows.selectExpr("word", "n"),
    )
    pipeline.run(spark, progress=False)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    with duckdb.connect(str(path)) as connection:
        found = connection.execute("SELECT word, n FROM words ORDER BY word").fetchall()
    assert found == [("a", 1), ("b", 2), ("c", 3)]


@pytest.mark.spark
@pytest.mark.soak
def test_ten_million_rows_take_little_of_the_drivers_memory(tmp_path: Path) -> None:
    """Peak resident memory of the driver's Python with DuckDB in it, from its start to the end."""
    command = [sys.executable, "-m", "tests.jdbc_sink.spool.large_window"]
    arguments = [str(tmp_path / "x.duckdb"), "executors", "10000000"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
    rows, total, staged_mb, held_mb = map(int, done.stdout.split())
    assert (rows, total) == (10_000_000, 49_999_995_000_000)
    assert max(staged_mb, held_mb) < DRIVER_MB_MAX
