"""How many files a window's rows make, and how long they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from file_sink import FileSink
from tests.file_sink.bench import Bench
from tests.file_sink.test_spark import numbers
from windowed import Pipeline
from windowed.testing import RowsInput
from windowlog import WindowLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_files_are_as_long_as_they_may_be(tmp_path: Path, spark: SparkSession) -> None:
    """`max_records_per_file`, counted by each file's own footer."""
    bench = Bench(tmp_path / "out", layout="files", max_records_per_file=3)
    bench.publish(numbers(spark, 10, tasks=1))
    counts = [spark.read.parquet(str(bench.path / path)).count() for path in bench.published()]
    assert sorted(counts) == [1, 3, 3, 3]


class Sized(RowsInput):
    """Rows whose plans say that they are so many bytes."""

    size: int | None = 0

    def plan(self, after: Any, bounds: Any) -> Any:
        """As RowsInput, with a size."""
        return replace(super().plan(after, bounds), bytes=self.size)


@pytest.mark.parametrize(
    ("target", "size", "files"),
    [
        *((100, size, files) for size, files in [(1000, 4), (400, 4), (200, 2), (100, 1), (0, 1)]),
        *((None, size, 4) for size in (2**20 + 1, 2**20, 0, None)),
    ],
)
def test_small_windows_make_few_files(
    tmp_path: Path, spark: SparkSession, target: int | None, size: int | None, files: int
) -> None:
    """One for each `target_file_bytes` that the window's plans have; without it, or without a
    size, as many as the transform wants."""
    rows = Sized([[(f"w{n}", n) for n in range(40)]], schema="word string, n bigint")
    rows.size = size
    pipeline = Pipeline(
        "sized",
        inputs={"rows": rows},
        transform=lambda rows: rows.repartition(4),
        sinks={"out": FileSink(tmp_path / "out", layout="files", target_file_bytes=target)},
        log=WindowLog.in_memory(),
    )
    pipeline.run(spark, progress=False)
    assert len([p for p in (tmp_path / "out").iterdir() if p.name.startswith("part-")]) == files
