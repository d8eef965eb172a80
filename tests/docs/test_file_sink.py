"""docs/file_sink.md: its example runs, and each row of its tables names a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.blocks import DOCS, module_of
from tests.file_sink.readers import rows_by_duckdb
from windowed.testing import RowsInput

TESTS = Path(__file__).parents[1]


def test_the_example_runs(tmp_path: Path) -> None:
    """Without Spark."""
    rows = RowsInput([[("a", 1)], [("b", 2)]], schema="word string, n bigint")
    module_of("file_sink.md").pipeline(tmp_path, rows).run(None, progress=False)
    assert sorted(rows_by_duckdb(tmp_path / "words")) == [("a", 1), ("b", 2)]


def test_every_case_names_a_test() -> None:
    """The last cell of each row."""
    rows = re.findall(r"\| ([`a-z_, ]{22,}) \|$", (DOCS / "file_sink.md").read_text(), re.MULTILINE)
    named = re.findall(r"`([a-z_]{20,})`", " ".join(rows))
    folders = ("file_sink", "kill")
    code = "".join(
        path.read_text() for folder in folders for path in (TESTS / folder).glob("test_*.py")
    )
    assert len(named) > 90
    assert [name for name in named if f"def test_{name}(" not in code] == []
