"""Avro, with Spark's own package for it: in a process of its own, as a class path is chosen at the
start of a Java."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pyspark
import pytest

from tests.machine import absent
from windowed.testing.services import ServiceUnavailable
from windowed.testing.services.java import fetch_jars

ROOT = Path(__file__).parents[2]
# A window with rows, one without, and one more; what Spark's own reader then finds.
JOB = """
    import json, sys
    from pyspark.sql import SparkSession
    from file_sink import FileSink
    from windowed import Pipeline, drained
    from windowed.testing import RowsInput

    folder, jars = sys.argv[1:]
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars", jars)
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    windows = [[("a", 1), ("b", 2)], [], [("c", None)]]
    summary = Pipeline(
        "avro",
        inputs={"rows": RowsInput(windows, schema="word string, count bigint")},
        transform=lambda rows: rows,
        sinks={"out": FileSink(f"{folder}/out", format="avro", compression="deflate")},
        log=f"{folder}/log",
    ).run(spark, until=drained(), progress=False)
    found = spark.read.format("avro").load(f"{folder}/out")
    rows = sorted((row.word, row.count_, row.window_id) for row in
                  found.withColumnRenamed("count", "count_").collect())
    print(json.dumps(rows))
"""


@pytest.mark.spark
def test_avro_is_written_where_its_package_is(tmp_path: Path) -> None:
    """Each row once, in the folder of its window."""
    version = ".".join([*pyspark.__version__.split(".")[:2], "0"])
    try:
        jars = fetch_jars("Avro", "org.apache.spark", "spark-avro_2.13", version)
    except ServiceUnavailable as error:
        absent(str(error))
    script = tmp_path / "job.py"
    script.write_text(textwrap.dedent(JOB))
    wanted = [str(jar) for jar in jars.glob("*avro*.jar")]
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path), ",".join(wanted)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == [["a", 1, 1], ["b", 2, 1], ["c", None, 3]]
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["window_id=00000001", "window_id=00000003"]
