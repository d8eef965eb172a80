"""Spark's Python workers that lack something: the message says what, and which Python they are."""

from __future__ import annotations

import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from connectors import FileInput
from connectors.files.source import LinesSource
from jdbc_sink import JdbcSink
from windowed import Pipeline
from windowed.errors import WorkersUnfit
from windowed.workers import explaining
from windowlog import WindowLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# As Spark 4.2 said them: a data source, a task, a call through py4j.
SAID = {
    "[PYTHON_DATA_SOURCE_ERROR] Failed to initialize Python data source writer: Traceback (most"
    " recent call last):\n  import pyarrow as pa\nModuleNotFoundError: No module named 'pyarrow'\n"
    " SQLSTATE: 38000": "they have no module pyarrow",
    "[PYTHON_DATA_SOURCE_ERROR] Failed to create Python data source instance: Traceback …\n"
    "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker"
    " has different version: 3.12 than that in driver: 3.11, PySpark cannot run with different"
    " minor versions.": "they are Python 3.12, the driver is Python 3.11",
    "An error occurred while calling o63.save.\n: java.io.IOException: Cannot run program"
    ' "/nonexistent/python": error=2, No such file or directory\n\tat java.base': (
        "/nonexistent/python cannot be started (No such file or directory)"
    ),
    "ImportError: [PACKAGE_NOT_INSTALLED] PyArrow >= 18.0.0 must be installed; however, it was not"
    " found.\n": "in them PyArrow >= 18.0.0 must be installed; however, it was not found.",
}


class SparksError(Exception):
    """An error of a class of pyspark's."""

    __module__ = "pyspark.errors.exceptions.captured"


@pytest.mark.parametrize("text", SAID)
def test_what_workers_lack_is_said_with_the_remedy(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which Python they are, and which one would do."""
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/other/python")
    with pytest.raises(WorkersUnfit) as raised, explaining():
        raise SparksError(text)
    said = str(raised.value)
    assert f"cannot do their work: {SAID[text]}" in said
    assert "PYSPARK_PYTHON=/opt/other/python" in said
    assert f"export PYSPARK_PYTHON={sys.executable}" in said
    assert isinstance(raised.value.__cause__, SparksError)


def test_without_the_variable_it_is_the_python_of_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """That which a job of cron finds."""
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    said = "PYSPARK_PYTHON is not set, so python3 of each machine's path"
    with pytest.raises(WorkersUnfit, match=said), explaining():
        raise SparksError(next(iter(SAID)))


def test_a_module_of_ones_own_may_be_sent() -> None:
    """Another Python would not have it either."""
    said = "module of your own can be sent with --py-files"
    with pytest.raises(WorkersUnfit, match=said), explaining():
        raise SparksError("ModuleNotFoundError: No module named 'shop.prices'")


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'numpy'"),
        SparksError('Cannot run program "chmod": error=2, No such file or directory'),
        SparksError("[UNRESOLVED_COLUMN] word"),
    ],
    ids=["drivers own", "another program", "another error"],
)
def test_any_other_error_passes_as_it_is(error: Exception) -> None:
    """An import in the driver is nothing of the workers'."""
    with pytest.raises(type(error)) as raised, explaining():
        raise error
    assert raised.value is error


def pipeline(folder: Path, reader: str, load: str, transform: Any = None) -> Pipeline:
    """A file of two lines into a database."""
    (folder / "in").mkdir()
    (folder / "in" / "a.txt").write_text("a\nb\n")
    sink = JdbcSink(f"duckdb:///{folder}/x.duckdb", table="words", load=load)
    return Pipeline(
        "workers",
        inputs={"lines": FileInput(folder / "in", quiet_s=0, reader=reader)},
        transform=transform or (lambda lines: lines.select("value")),
        sinks={"out": sink},
        log=WindowLog.in_memory(),
    )


@pytest.mark.spark
@pytest.mark.parametrize(
    ("reader", "load"), [("executors", "driver"), ("driver", "executors")], ids=["input", "sink"]
)
def test_workers_without_pyarrow_are_told_wherever_python_runs_in_them(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, load: str
) -> None:
    """A Python that has nothing but itself, as a system's is; with a data source of a name that no
    session knows yet, and that none of the others sees."""
    monkeypatch.setattr(LinesSource, "format_name", "windowed_lines_without_pyarrow")
    venv.create(tmp_path / "bare", with_pip=False)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(tmp_path / "bare/bin/python"))
    made = pipeline(tmp_path, reader, load)
    with pytest.raises(WorkersUnfit, match="they have no module pyarrow"):
        made.run(spark.newSession(), progress=False)


@pytest.mark.spark
def test_a_module_that_tasks_lack_is_told(spark: SparkSession, tmp_path: Path) -> None:
    """The transform's own function, in the middle of a job."""
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as f

    def lacking(value: str) -> str:
        from importlib import import_module

        return str(import_module("no_such_module").of(value))

    def transform(lines: DataFrame) -> DataFrame:
        return lines.select(f.udf(lacking, useArrow=False)("value").alias("value"))

    made = pipeline(tmp_path, "driver", "driver", transform)
    with pytest.raises(WorkersUnfit, match="they have no module no_such_module"):
        made.run(spark, progress=False)
