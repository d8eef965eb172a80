"""FileSink in whole pipelines: killed everywhere, beside another sink, over many windows."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from file_sink import FileSink
from jdbc_sink import JdbcSink
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_duckdb, rows_by_pyarrow, rows_of_json
from windowed import Pipeline
from windowed.testing import RowsInput, crash_everywhere
from windowlog import WindowLog

WINDOWS = [[("a", 1), ("b", 2)], [], [("b", 4), ("a", 3)]]
ROWS = Counter(row for window in WINDOWS for row in window)


@pytest.mark.usefixtures("no_fsync")
@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_pipeline_may_be_killed_everywhere(quick_folder: Path, layout: str) -> None:
    """Before and after everything that it does with its log, input and sink."""
    numbers = itertools.count()

    def build() -> Pipeline:
        folder = quick_folder / f"{next(numbers)}"
        return Pipeline(
            "killed",
            inputs={"rows": RowsInput([*WINDOWS], schema="word string, n bigint")},
            transform=lambda rows: rows,
            sinks={"out": FileSink(folder, layout=layout, format="json")},
            log=WindowLog.in_memory(),
        )

    def check(pipeline: Pipeline) -> None:
        sink: Any = pipeline.sinks["out"]
        folder = Path(sink.files()[0]).parents[1 if layout == "windows" else 0]
        assert Counter(rows_of_json(folder)) == ROWS

    assert crash_everywhere(build, check) > 100


def test_files_and_a_table_hold_the_same(tmp_path: Path) -> None:
    """Two sinks of two kinds."""
    pipeline = Pipeline(
        "both",
        inputs={"rows": RowsInput([*WINDOWS], schema="word string, n bigint")},
        transform=lambda rows: rows,
        sinks={
            "files": FileSink(tmp_path / "out", partition_by=["word"]),
            "table": JdbcSink(f"duckdb:///{tmp_path}/x.duckdb", table="words"),
        },
        log=tmp_path / "log",
    )
    pipeline.run(None, progress=False)
    assert Counter(rows_by_pyarrow(tmp_path / "out")) == ROWS
    assert Counter(rows_by_duckdb(tmp_path / "out")) == ROWS


@pytest.mark.usefixtures("no_fsync")
@pytest.mark.parametrize("count", [300, pytest.param(100_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("layout", ["windows", "files"])
@pytest.mark.timeout(1200)
def test_bookkeeping_does_not_grow(quick_folder: Path, layout: str, count: int) -> None:
    """Over many windows, with new drivers and rows that are staged for nothing among them."""
    bench = Bench(quick_folder / "out", format="text", layout=layout)
    for number in range(count):
        bench.stage(words(("lost", number)).select(["word"]))
        if number % 100 == 0:
            bench.die()
        window = bench.story.log.read(bench.story.log.newest)
        bench.sink.prepare(words().select(["word"]).schema)
        bench.sink.stage(window, words(*[("a", number)] * (number % 2)).select(["word"]))
        bench.sink.hold(window)
        bench.sink.committed(window.id)
        assert len(bench.staging()) <= 3
    assert bench.staging() == [f"manifests/{count:012d}.json", f"marks/{count:012d}.json"]
    assert len(bench.published()) == count // 2
