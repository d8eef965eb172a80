"""docs/log_format.md: its worked example has the bytes that a log has."""

from __future__ import annotations

import textwrap

from tests.docs.blocks import DOCS, module_of

LINES_MAX = 80


def test_the_record_that_is_shown_is_the_one_that_is_computed() -> None:
    """The page computes it with zlib alone, and compares it with the codec's."""
    record = module_of("log_format.md").record
    assert textwrap.indent(record.decode(), "    ") in (DOCS / "log_format.md").read_text()


def test_the_page_is_short() -> None:
    """A format that needs more lines is too large."""
    assert len((DOCS / "log_format.md").read_text().splitlines()) <= LINES_MAX
