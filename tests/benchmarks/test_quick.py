"""Each benchmark runs from end to end with tiny sizes, and says what it should. No times are
judged: a busy machine must not fail a test."""

from __future__ import annotations

import json
import tempfile
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from benchmarks import (
    file_sink,
    file_windows,
    kafka_memory,
    kafka_readers,
    kafka_small_windows,
    kafka_throughput,
    log,
    log_hdfs,
    overhead,
    result,
    small_windows,
    state_windows,
    throughput,
)
from benchmarks.against_stream import Sizes
from benchmarks.kafka_topic import filled
from benchmarks.machine import look
from benchmarks.result import Result, save
from benchmarks.table import show

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowed.testing.services import HdfsService, KafkaService


def _check(found: Result, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table with every figure, and the same in JSON."""
    monkeypatch.setattr(result, "RESULTS", folder / "results")
    seen = look(folder)
    told = StringIO()
    show(found, seen, Console(file=told, width=200))
    body = json.loads(save(found, seen, quick=True).read_text())
    assert body["machine"]["cores"] == seen.cores
    assert [figure["name"] for figure in body["figures"]] == [f.name for f in found.figures]
    for figure in found.figures:
        assert figure.name in told.getvalue()
    promised = [figure for figure in found.figures if figure.limit is not None]
    said = told.getvalue().count(" met ")
    assert said == len(promised) > 0


def test_overhead_without_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both jobs without Spark; every window counts its steps."""
    found = overhead.measure(overhead.Sizes(windows=40, spark_windows=0), tmp_path)
    _check(found, tmp_path, monkeypatch)
    windows, by_step = found.grids
    assert [row[:2] for row in windows.rows] == [("memory", 40), ("files", 40)]
    steps = {row[0]: row[1] for row in by_step.rows}
    assert {"plan", "log", "read", "transform", "stage", "verify", "hold"} <= steps.keys()
    assert all(float(steps[step]) > 0 for step in ("log", "hold"))


@pytest.mark.spark
def test_overhead_with_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third job is there too."""
    found = overhead.measure(overhead.Sizes(windows=5, spark_windows=3), tmp_path)
    _check(found, tmp_path, monkeypatch)
    assert [row[0] for row in found.grids[0].rows] == ["memory", "files", "spark"]


@pytest.mark.spark
def test_small_windows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipeline and query take turns to the end, and Spark's own phases are told."""
    sizes = Sizes(windows=4, warm_up=1, lines=50)
    found = small_windows.measure(sizes, tmp_path)
    _check(found, tmp_path, monkeypatch)
    assert [row[0] for row in found.grids[0].rows] == ["ours", "foreachBatch"]
    assert "walCommit" in {row[0] for row in found.grids[2].rows}
    assert not spark.streams.active


@pytest.mark.soak
@pytest.mark.spark
def test_state_windows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipeline and query have the same totals, each from a state of its own."""
    found = state_windows.measure(Sizes(windows=3, warm_up=1, lines=50), tmp_path)
    _check(found, tmp_path, monkeypatch)
    assert {"stage", "hold"} <= {row[0] for row in found.grids[1].rows}
    assert not spark.streams.active


def test_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five logs, each with its numbers."""
    found = log.measure(log.Sizes(history=70, kept=50, starts=2, appends=40), tmp_path)
    _check(found, tmp_path, monkeypatch)
    names = [str(row[0]) for row in found.grids[0].rows]
    assert names[:2] == ["window 10", "window 1,000,000"]
    assert len(names) == 5
    newest = max((tmp_path / names[1] / "windows").iterdir()).name
    assert newest == f"{1_000_000 + 40:012d}.json"


def test_log_on_hdfs(hdfs: HdfsService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways, side by side."""
    found = log_hdfs.compare(log_hdfs.Sizes(appends=3, warm_up=1), hdfs.webhdfs_url)
    _check(found, tmp_path, monkeypatch)
    assert [row[0] for row in found.grids[0].rows] == ["log append", "write and rename by hand"]


@pytest.mark.spark
def test_file_sink(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both rivals write every row, and a window's steps are told."""
    found = file_sink.measure(file_sink.Sizes(rows=1000, rounds=1), tmp_path)
    _check(found, tmp_path, monkeypatch)
    assert [row[0] for row in found.grids[0].rows] == ["file sink", "df.write.parquet"]
    assert {"stage", "hold"} <= {row[0] for row in found.grids[1].rows}


@pytest.mark.spark
def test_file_windows(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both rivals have written the same lines, and go on after a past; each look finds all files,
    or the benchmark would say so."""
    sizes = file_windows.Sizes(windows=2, warm_up=1, lines=10, past=20, late=3)
    found = file_windows.measure(sizes, tmp_path)
    _check(found, tmp_path, monkeypatch)
    assert len(found.grids[0].rows) == 5
    # Spark has believed the past that was written for it: its next batch is the 21st.
    assert (tmp_path / "old-theirs/checkpoint/commits/20").exists()


@pytest.mark.spark
def test_throughput(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several windows, both rivals, and the memory of all processes."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sizes = throughput.Sizes(6 * 10**5, file_bytes=10**5, window_bytes=2 * 10**5, rounds=1)
    found = throughput.measure(sizes, tmp_path)
    _check(found, tmp_path, monkeypatch)
    assert [str(row[0]) for row in found.grids[0].rows][1] == "one plain job"
    python, jvm = (figure.value for figure in found.figures[1:])
    assert python > 10
    assert jvm > 10


@pytest.mark.soak
@pytest.mark.spark
def test_kafka_small_windows(
    spark: SparkSession, kafka: KafkaService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipeline and stream have counted the same records of the topic."""
    sizes = Sizes(windows=3, warm_up=1, lines=40)
    found = kafka_small_windows.compare(kafka.bootstrap, sizes, tmp_path)
    _check(found, tmp_path, monkeypatch)
    assert "latestOffset" in {row[0] for row in found.grids[2].rows}
    assert not spark.streams.active


@pytest.mark.soak
@pytest.mark.spark
def test_kafka_throughput(
    spark: SparkSession, kafka: KafkaService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All three have counted the same words, ours in several windows."""
    sizes = kafka_throughput.Sizes(4_000, window_records=2_000, rounds=1)
    found = kafka_throughput.compare(kafka.bootstrap, sizes, tmp_path)
    _check(found, tmp_path, monkeypatch)
    assert [row[0] for row in found.grids[0].rows][:1] == ["ours, 2 windows"]


@pytest.mark.soak
@pytest.mark.spark
def test_kafka_readers(
    spark: SparkSession, kafka: KafkaService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each reader has a row, each limit too."""
    sizes = kafka_readers.Sizes(4_000, rounds=1, limits=(100,), limit_rounds=1)
    found = kafka_readers.compare(kafka.bootstrap, sizes)
    _check(found, tmp_path, monkeypatch)
    assert [row[0] for row in found.grids[0].rows] == ["driver", "executors", "spark"]
    assert [row[0] for row in found.grids[2].rows] == [100]


@pytest.mark.soak
@pytest.mark.spark
def test_kafka_memory(
    spark: SparkSession, kafka: KafkaService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three processes, one for each reader."""
    topic = filled(spark, kafka.bootstrap, 1_000)
    found = kafka_memory.compare(topic, tmp_path)
    _check(found, tmp_path, monkeypatch)
    assert all(figure.value > 10 for figure in found.figures)
