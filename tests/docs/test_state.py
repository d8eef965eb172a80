"""docs/state.md: its examples are made, and the tests that it names are there."""

from __future__ import annotations

import re

from file_sink import FileState
from tests.architecture.source import ROOT
from tests.docs.blocks import DOCS, module_of
from windowed import Pipeline


def test_the_examples_are_made() -> None:
    """And touch nothing."""
    page = module_of("state.md")
    assert isinstance(page.pipeline, Pipeline)
    assert isinstance(page.pipeline.state, FileState)
    assert page.on_hdfs.folders() == ("webhdfs://namenode:9870/state/new_users",)


def test_the_tests_that_are_named_are_there() -> None:
    """By name, or by file."""
    text = (DOCS / "state.md").read_text()
    files = list((ROOT / "tests").rglob("test_*.py"))
    tests = "".join(path.read_text() for path in files)
    named = set(re.findall(r"`(test_\w+)`", text))
    assert len(named) > 10
    assert {name for name in named if f"def {name}(" not in tests} == set()
    assert set(re.findall(r"`(test_\w+\.py)`", text)) <= {path.name for path in files}
