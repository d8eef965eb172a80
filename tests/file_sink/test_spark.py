"""Rows of DataFrames: Spark writes, its count is compared with the files', exactly its files are
published."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from file_sink.errors import CountsDiffer, FormatUnavailable, FrameUnsuitable
from file_sink.local_tree import LocalTree
from file_sink.settings import Settings
from file_sink.spark_writing import write
from tests.file_sink.bench import Bench
from tests.file_sink.readers import rows_by_duckdb, rows_by_pyarrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
FORMATS = ("parquet", "orc", "csv", "json", "text")


def numbers(spark: SparkSession, count: int, tasks: int = 2) -> DataFrame:
    """`n bigint, k int, t string`."""
    return spark.range(0, count, 1, tasks).selectExpr(
        "id AS n", "int(id % 3) AS k", "string(id) AS t"
    )


@pytest.mark.parametrize("layout", ["windows", "files"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_read_back_by_spark(
    tmp_path: Path, spark: SparkSession, name: str, layout: str
) -> None:
    """Rows, partitions and the window's column; nothing of Spark's own is left in the folder."""
    bench = Bench(tmp_path / "out", format=name, layout=layout, partition_by=["k"])
    frame = numbers(spark, 10).select("t", "k")
    bench.publish(frame)
    bench.publish(frame.where("k = 1"))
    schema = "t string" if name in ("csv", "json") else None
    reader = spark.read.schema("t string, k int") if schema else spark.read
    found = reader.format(name).load(str(bench.path))
    column = "value" if name == "text" else "t"
    rows = Counter((row[column], row["k"]) for row in found.collect())
    once = Counter((row["t"], row["k"]) for row in frame.collect())
    assert rows == once + Counter({row: n for row, n in once.items() if row[1] == 1})
    if layout == "windows":
        assert name in ("csv", "json") or "window_id" in found.columns
        assert sorted(path.name for path in bench.path.iterdir()) == [
            "window_id=00000001",
            "window_id=00000002",
        ]
    assert [p for p in bench.published() if not p.rpartition("/")[2].startswith("part-")] == []
    assert [p.split("/")[0] for p in bench.staging()] == ["manifests", "marks"]


def test_all_readers_agree(tmp_path: Path, spark: SparkSession) -> None:
    """Spark, DuckDB and pyarrow."""
    bench = Bench(tmp_path / "out", partition_by=["k"])
    for count in (5, 7):
        bench.publish(numbers(spark, count).selectExpr("t AS word", "n", "k"))
    rows = [tuple(row) for row in spark.read.parquet(str(bench.path)).select("word", "n").collect()]
    assert len(rows) == 12
    assert sorted(rows) == sorted(rows_by_pyarrow(bench.path)) == sorted(rows_by_duckdb(bench.path))


@pytest.mark.parametrize("name", ["parquet", "csv", "json"])
def test_an_empty_window_publishes_nothing(tmp_path: Path, spark: SparkSession, name: str) -> None:
    """Whatever Spark makes of no rows: a file without any, or with a header."""
    options = {"header": True} if name == "csv" else {}
    bench = Bench(tmp_path / "out", format=name, options=options)
    empty = numbers(spark, 3).where("n > 100")
    for frame in (empty, empty.groupBy("k").count(), empty.limit(0)):
        bench.publish(frame)
    assert (bench.path.is_dir(), bench.published()) == (True, [])
    bench.publish(numbers(spark, 1, tasks=1))
    [path] = bench.published()
    assert path.startswith("window_id=00000004/part-00000004-")


def test_json_of_several_lines_a_row_is_taken(tmp_path: Path, spark: SparkSession) -> None:
    """Its lines are no count of its rows: it was refused for ever."""
    bench = Bench(tmp_path / "out", format="json", options={"pretty": True})
    bench.publish(numbers(spark, 2, tasks=2))
    texts = [(bench.path / path).read_text() for path in bench.published()]
    assert sorted(json.loads(text)["n"] for text in texts) == [0, 1]
    assert min(text.count("\n") for text in texts) > 1


def test_a_task_without_rows_leaves_no_file(tmp_path: Path, spark: SparkSession) -> None:
    """Spark writes one for its first task; here only files with rows are published."""
    bench = Bench(tmp_path / "out", layout="files")
    bench.publish(numbers(spark, 4, tasks=4).where("n = 2"))
    [path] = bench.published()
    assert path.startswith("part-00000001-00002-000.")


class Elsewhere(LocalTree):
    """A driver that does not see what executors write: they have another disk."""

    def __init__(self, lost: str) -> None:
        super().__init__()
        self._lost = lost

    def list(self, folder: str) -> list[Any]:
        """Without some of the files."""
        found = super().list(folder)
        return [e for e in found if "/spark/" not in folder or self._lost not in e.name]


@pytest.mark.parametrize(
    ("name", "lost", "found"),
    [("parquet", "part-00001", 5), ("orc", "part-", 0), ("csv", "part-", 0), ("csv", "0001-", 5),
     ("json", "0001-", 5), ("text", "0000-", 5)],
)  # fmt: skip
def test_rows_that_the_driver_does_not_find_are_an_error(
    tmp_path: Path, spark: SparkSession, name: str, lost: str, found: int
) -> None:
    """Nothing is published, and nothing is left."""
    bench = Bench(tmp_path / "out", format=name, storage=Elsewhere(lost))
    with pytest.raises(CountsDiffer, match=rf"wrote 10 rows .* the driver finds {found} of them"):
        bench.stage(numbers(spark, 10).select("t"))
    bench.sink.close()
    assert bench.published() == []
    assert [p for p in bench.staging() if p.startswith("spark/")] == []


@pytest.mark.parametrize("name", ["csv", "json", "text"])
def test_line_ends_in_values_are_no_rows(tmp_path: Path, spark: SparkSession, name: str) -> None:
    """Files of lines may have more of them than rows; JSON never has."""
    bench = Bench(tmp_path / "out", format=name)
    bench.publish(numbers(spark, 6).selectExpr("concat(t, '\\n', t) AS t"))
    text = "".join((bench.path / path).read_text() for path in bench.published())
    assert len(text.splitlines()) == (6 if name == "json" else 12)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("json", {"options": {"lineSep": "|"}}), ("text", {"options": {"lineSep": "|"}}),
     ("csv", {"options": {"encoding": "UTF-16LE"}}), ("json", {"compression": "gzip"})],
)  # fmt: skip
def test_what_cannot_be_counted_is_not(
    tmp_path: Path, spark: SparkSession, name: str, arguments: dict[str, Any]
) -> None:
    """Other line ends, other bytes: Spark's own count is all there is."""
    bench = Bench(tmp_path / "out", format=name, **arguments)
    bench.publish(numbers(spark, 6).select("t"))
    assert len(bench.published()) == 2


def test_a_file_of_a_strange_name_is_an_error(tmp_path: Path, spark: SparkSession) -> None:
    """It would be left out, silently."""
    options = {"mapreduce.output.basename": "mine"}
    bench = Bench(tmp_path / "out", format="csv", options=options)
    with pytest.raises(FormatUnavailable, match="calls a file mine-00000-"):
        bench.stage(numbers(spark, 6))


def test_a_failing_frame_leaves_nothing(tmp_path: Path, spark: SparkSession) -> None:
    """Spark's own error passes; the next attempt finds a clean place."""
    bench = Bench(tmp_path / "out")
    broken = numbers(spark, 10).selectExpr("IF(n = 7, raise_error('seven'), t) AS t")
    with pytest.raises(Exception, match="seven"):
        bench.stage(broken)
    assert [p for p in bench.staging() if p.startswith(("spark/", "staged/"))] == []


def test_a_value_that_is_too_long_for_a_folders_name_is_named(
    tmp_path: Path, spark: SparkSession
) -> None:
    """With its column; the folder would be `k=` and 260 bytes."""
    bench = Bench(tmp_path / "out", partition_by=["k"])
    with pytest.raises(FrameUnsuitable, match=r"column k makes .* of 262 bytes, of 255 .*: üüü"):
        bench.hold(spark.range(1).selectExpr("id", "repeat('ü', 130) AS k"))
    assert not list((tmp_path / "out").glob("*"))


def test_a_format_that_spark_lacks_is_named(tmp_path: Path, spark: SparkSession) -> None:
    """Avro is a package of its own: the message says which."""
    bench = Bench(tmp_path / "out", format="avro")
    with pytest.raises(FormatUnavailable, match="spark-avro"):
        bench.stage(numbers(spark, 1))


@pytest.mark.parametrize("name", ["csv", "json", "text"])
def test_a_replay_gives_the_same_names_and_bytes(
    tmp_path: Path, spark: SparkSession, name: str
) -> None:
    """With a shuffle and sorted rows, or without a shuffle; another run, another folder."""
    from pyspark.sql import functions as F  # noqa: N812

    for case, sort_by in (("shuffled", ["t"]), ("as they come", [])):
        found = []
        for place in ("one", "two"):
            frame = numbers(spark, 500, tasks=3)
            if case == "shuffled":
                frame = frame.repartition(3, F.col("n"))
            bench = Bench(
                tmp_path / f"{case} {place}",
                format=name,
                layout="files",
                partition_by=["k"],
                sort_by=sort_by,
                max_records_per_file=50,
            )
            bench.publish(frame.select("t", "k"))
            found.append({path: (bench.path / path).read_bytes() for path in bench.published()})
        assert found[0] == found[1]
        assert len(found[0]) >= 9


def test_rows_are_sorted_in_each_file(tmp_path: Path, spark: SparkSession) -> None:
    """With partitions too, whose order Spark asks for."""
    arguments = {"layout": "files", "format": "text", "partition_by": "k", "sort_by": "t"}
    bench = Bench(tmp_path / "out", **arguments)
    bench.publish(numbers(spark, 200).orderBy("n", ascending=False).select("t", "k"))
    files = [(bench.path / path).read_text().splitlines() for path in bench.published()]
    assert sum(map(len, files)) == 200
    assert [lines for lines in files if lines != sorted(lines)] == []


def test_executors_that_outlive_their_driver_change_nothing(
    tmp_path: Path, spark: SparkSession
) -> None:
    """What a dead driver's JVM still writes is where nothing is taken from. ‡"""
    bench = Bench(tmp_path / "out")
    window = bench.stage(numbers(spark, 3))
    [staged] = (tmp_path / "out.staging" / "staged").iterdir()
    late = tmp_path / "out.staging" / "spark" / staged.name
    shutil.copytree(staged, late)
    bench.sink.hold(window)
    bench.sink.committed(window.id)
    assert sorted(rows_by_pyarrow(bench.path, ("n",))) == [(0,), (1,), (2,)]
    assert not late.exists()


@pytest.mark.parametrize("name", ["a b", "ü[x]{y}*", "50%20", "a:b", "a#b?c", "k=v"])
def test_odd_folders_are_folders(tmp_path: Path, spark: SparkSession, name: str) -> None:
    """Spark is told of the very folder that the driver looks into."""
    bench = Bench(tmp_path / name, layout="files")
    bench.publish(numbers(spark, 3))
    assert rows_by_pyarrow(bench.path, ("t",)) == [("0",), ("1",), ("2",)]
    assert {path.name for path in tmp_path.iterdir()} == {name, f"{name}.staging"}


def test_odd_columns_are_columns(tmp_path: Path, spark: SparkSession) -> None:
    """A dot or a backtick in a name is no path into a column."""
    arguments = {"layout": "files", "partition_by": "a.b", "sort_by": ["c`d", "select"]}
    bench = Bench(tmp_path / "out", format="json", **arguments)
    bench.publish(numbers(spark, 4).toDF("c`d", "a.b", "select"))
    assert {path.split("/")[0] for path in bench.published()} == {"a.b=0", "a.b=1", "a.b=2"}


def test_a_dataframe_is_checked_like_a_table(tmp_path: Path, spark: SparkSession) -> None:
    """The schema comes as Arrow."""
    bench = Bench(tmp_path / "out")
    with pytest.raises(FrameUnsuitable, match="column Window_ID is there twice"):
        bench.stage(numbers(spark, 1).withColumnRenamed("n", "Window_ID"))


@pytest.mark.parametrize("name", FORMATS)
def test_spark_writes_no_checksums_that_nobody_would_read(
    tmp_path: Path, spark: SparkSession, name: str
) -> None:
    """Its files alone; a session's other writes are as they were."""
    frame = numbers(spark, 10).select("t")
    plain = Settings(name, "windows", (), (), {}, None, None, None)
    rows = write(frame, f"file:{tmp_path / 'ours'}", plain, None, "out")
    assert rows == 10
    assert list((tmp_path / "ours").rglob("*.crc")) == []
    frame.write.format(name).save(f"file:{tmp_path / 'others'}")
    assert list((tmp_path / "others").rglob("*.crc")) != []
