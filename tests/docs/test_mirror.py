"""docs/mirror.md: its example, and that each case is a test."""

from __future__ import annotations

import re

import pytest

from tests.architecture.source import ROOT
from tests.docs.blocks import DOCS, module_of
from windowlog.storage import MirroredStorage

TEXT = (DOCS / "mirror.md").read_text()
ROWS = re.findall(r"^\| (\d+) \| .* \| (?:`test_\w+`, )?`(test_\w+)` \|$", TEXT, re.MULTILINE)
TESTS = "".join(
    path.read_text()
    for folder in ("tests/windowlog", "tests/windowed", "tests/kill")
    for path in (ROOT / folder).glob("test_mirror*.py")
)


def test_the_example_is_a_log() -> None:
    """Made, and nothing touched."""
    page = module_of("mirror.md")
    assert isinstance(page.log.storage, MirroredStorage)
    assert page.log.storage.required


def test_the_cases_are_numbered() -> None:
    """None is left out."""
    assert [int(number) for number, _ in ROWS] == list(range(1, len(ROWS) + 1))
    assert len(ROWS) > 25


@pytest.mark.parametrize(("number", "name"), ROWS)
def test_each_case_is_a_test(number: str, name: str) -> None:
    """By its name."""
    assert f"def {name}(" in TESTS, number


def test_the_tests_that_are_named_in_the_text_are_there() -> None:
    """Those of the search, too."""
    named = set(re.findall(r"`(test_\w+)`", TEXT))
    assert {name for name in named if f"def {name}(" not in TESTS} == set()
