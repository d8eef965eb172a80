"""docs/hdfs.md: its examples, and that it names each option."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS, module_of
from windowlog.access.webhdfs_url import PATIENCE_S, TIMEOUT_S
from windowlog.storage import HdfsStorage

TEXT = (DOCS / "hdfs.md").read_text()
TESTS = Path(__file__).parents[1]


def test_the_examples_are_logs() -> None:
    """Made, and nothing touched."""
    page = module_of("hdfs.md")
    assert page.log.describe() == "webhdfs://namenode:9870/state/wordcount"
    assert page.several.describe() == "webhdfs://nn1:9870,nn2:9870/state/wordcount"


def test_each_option_stands_there() -> None:
    """As an argument; and the defaults that are numbers."""
    names = list(inspect.signature(HdfsStorage).parameters)
    rows = [line.split("|") for line in TEXT.splitlines() if line.startswith("| `")]
    assert [row[2].strip(" `") for row in rows] == names[1:]
    assert [row[3].strip() for row in rows[-2:]] == [f"{TIMEOUT_S:g}", f"{PATIENCE_S:g}"]


def test_every_case_names_a_test() -> None:
    """The last cell of each row."""
    named = re.findall(r"\| `([a-z_]{15,})` \|$", TEXT, re.MULTILINE)
    places = ("**/test_hdfs*.py", "jdbc_sink/spool/test_folders.py")
    code = "".join(path.read_text() for place in places for path in TESTS.glob(place))
    assert len(named) > 26
    assert [name for name in named if f"def test_{name}(" not in code] == []


@pytest.mark.parametrize("code", ["WL8", "WL13", "WL15"])
def test_each_failure_leads_to_its_error(code: str) -> None:
    """By a link."""
    assert f"[{code}](errors.md#{code.lower()}-" in TEXT
