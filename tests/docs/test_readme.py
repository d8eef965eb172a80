"""README.md: its first example runs as it stands, and does what the text after it says."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from tests.docs.blocks import DOCS, module_of
from windowed import drained

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIRST_SCREEN_LINES = 40


def _counts() -> dict[str, int]:
    with duckdb.connect("counts.duckdb", read_only=True) as connection:
        return dict(connection.execute("SELECT word, count FROM word_counts").fetchall())


@pytest.mark.spark
def test_the_example_counts_and_then_only_what_is_new(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Append to the file and run it again: only the new lines are counted."""
    monkeypatch.chdir(tmp_path)
    # The example makes its own session, which is this one; the module's name must not stay.
    monkeypatch.setitem(sys.modules, "docs_README", None)
    example = module_of("../README.md")
    assert _counts() == {"to": 2, "be": 2, "or": 1, "not": 1}
    with Path("in/a.txt").open("a") as text:
        text.write("not to be found\n")
    example.pipeline.run(spark, until=drained())
    assert _counts() == {"to": 3, "be": 3, "or": 1, "not": 2, "found": 1}


def test_the_first_screen_has_the_two_commands() -> None:
    """What it is in a few sentences, then what to type."""
    screen = (DOCS.parent / "README.md").read_text().splitlines()[:FIRST_SCREEN_LINES]
    assert "make wordcount" in "\n".join(screen)
    assert "make test" in "\n".join(screen)
