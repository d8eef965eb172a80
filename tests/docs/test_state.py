"""docs/state.md: its examples are made, and the tests that it names are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from file_sink import FileState
from tests.architecture.source import ROOT
from tests.docs.blocks import DOCS, module_of
from windowed import Pipeline
from windowed.testing import ListSink, ManualClock, RowsInput
from windowlog import WindowLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_the_examples_are_made() -> None:
    """And touch nothing."""
    page = module_of("state.md")
    assert isinstance(page.pipeline, Pipeline)
    assert isinstance(page.pipeline.state, FileState)
    assert page.on_hdfs.folders() == ("webhdfs://namenode:9870/state/new_users",)


@pytest.mark.spark
def test_users_leave_after_an_hour(tmp_path: Path, spark: SparkSession) -> None:
    """The second example: totals, and who was not seen for an hour."""
    page, sink, clock = module_of("state.md"), ListSink(), ManualClock()
    source = RowsInput([[("ann",), ("bob",), ("ann",)]], schema="value string")
    state = FileState(
        tmp_path / "state", schema="user string, n bigint, seen timestamp", key=["user"]
    )
    pipeline = Pipeline(
        "users",
        inputs={"lines": source},
        transform=page.totals,
        sinks={"out": sink},
        log=WindowLog.in_memory(),
        state=state,
    )
    pipeline.run(spark, clock=clock)
    clock.advance(3601)
    source.windows.append([("bob",)])
    pipeline.run(spark, clock=clock)
    counts = [{row["user"]: row["n"] for row in rows} for rows in sink.store.windows.values()]
    assert counts == [{"ann": 2, "bob": 1}, {"bob": 2}]
    found: Any = pipeline.read_state(spark)
    assert [(row["user"], row["n"]) for row in found.collect()] == [("bob", 2)]


def test_the_tests_that_are_named_are_there() -> None:
    """By name, or by file."""
    text = (DOCS / "state.md").read_text()
    files = list((ROOT / "tests").rglob("test_*.py"))
    tests = "".join(path.read_text() for path in files)
    named = set(re.findall(r"`(test_\w+)`", text))
    assert len(named) > 10
    assert {name for name in named if f"def {name}(" not in tests} == set()
    assert set(re.findall(r"`(test_\w+\.py)`", text)) <= {path.name for path in files}
