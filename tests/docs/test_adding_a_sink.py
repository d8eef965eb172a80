"""docs/adding_a_sink.md: its sink passes the contract that the page tells authors to use."""

from __future__ import annotations

from tests.docs.blocks import module_of

TestSqliteSink = module_of("adding_a_sink.md").TestSqliteSink
