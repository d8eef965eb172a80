"""Files that Spark has written, joined without it: Spark reads the same from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest

from tests.file_sink.bench import Bench
from tests.file_sink.test_rollup import roll_up

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ROWS = """
    SELECT id, cast(id AS decimal(7, 2)) AS price, cast(id AS decimal(38, 4)) AS sum,
           timestamp'2024-05-01 12:00:00.123456' AS at,
           timestamp_ntz'1600-05-01 12:00:00' AS local,
           date'1582-10-15' AS day,
           named_struct('list', array(1, null), 'map', map('a', id)) AS inner,
           cast('x' AS binary) AS bytes, if(id = 0, null, 'é') AS text
"""
PLAIN = "SELECT id, cast(id AS decimal(7, 2)) AS price, concat('é', id) AS text"


def written(spark: SparkSession, bench: Bench, columns: str) -> DataFrame:
    """Three windows; the rows that they have together."""
    frames = [spark.sql(f"{columns} FROM range({number}, {number + 2})") for number in (0, 2, 4)]
    for frame in frames:
        bench.publish(frame.coalesce(1))
    return frames[0].union(frames[1]).union(frames[2])


@pytest.mark.parametrize("timestamps", ["INT96", "TIMESTAMP_MICROS"])
def test_what_spark_wrote_is_joined_as_it_is(
    spark: SparkSession, tmp_path: Path, timestamps: str
) -> None:
    """Types and values, whatever pyarrow takes them for; or left alone and said."""
    spark.conf.set("spark.sql.parquet.outputTimestampType", timestamps)
    try:
        bench = Bench(tmp_path / "out", layout="files")
        # Moments with and without zone in one file: INT96 and INT64, which pyarrow does not mix.
        columns = ROWS if timestamps != "INT96" else ROWS.replace("timestamp_ntz'", "timestamp'")
        written(spark, bench, columns)
        before = spark.read.parquet(str(bench.path))
        expected = before.orderBy("id").collect()
        assert roll_up(bench) == ["3 files become 1 (6 rows)"]
        assert len(bench.published()) == 1
        found = spark.read.parquet(str(bench.path))
        assert found.schema == before.schema
        assert found.orderBy("id").collect() == expected
        columns_of = pyarrow.parquet.ParquetFile(next(bench.path.iterdir())).schema
        kinds = {columns_of.column(at).physical_type for at in range(len(columns_of))}
        assert ("INT96" in kinds) == (timestamps == "INT96")
    finally:
        spark.conf.unset("spark.sql.parquet.outputTimestampType")


def test_types_that_pyarrow_would_change_are_left_alone(
    spark: SparkSession, tmp_path: Path
) -> None:
    """INT96 beside INT64."""
    spark.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
    try:
        bench = Bench(tmp_path / "out", layout="files")
        written(spark, bench, ROWS)
        assert any("in another way" in line for line in roll_up(bench))
        assert len(bench.published()) == 3
        assert spark.read.parquet(str(bench.path)).count() == 6
    finally:
        spark.conf.unset("spark.sql.parquet.outputTimestampType")


@pytest.mark.parametrize("name", ["orc", "csv", "json"])
def test_other_formats_of_spark_are_joined(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """Without moments in ORC."""
    options = {"header": True} if name == "csv" else {}
    bench = Bench(tmp_path / "out", format=name, layout="files", options=options)
    expected = written(spark, bench, PLAIN)
    roll_up(bench)
    assert len(bench.published()) == 1
    reader: Any = spark.read.format(name).schema(expected.schema).options(**options)
    found = reader.load(str(bench.path))
    assert found.orderBy("id").collect() == expected.orderBy("id").collect()


def test_a_frame_of_spark_that_listed_before_the_switch(
    spark: SparkSession, tmp_path: Path
) -> None:
    """It finds a path gone, and says so."""
    bench = Bench(tmp_path / "out")
    written(spark, bench, PLAIN)
    frame = spark.read.parquet(str(bench.path))
    roll_up(bench)
    with pytest.raises(Exception, match=r"FILE_NOT_EXIST|FileNotFound|does not exist"):
        frame.collect()
    assert spark.read.parquet(str(bench.path)).count() == 6
