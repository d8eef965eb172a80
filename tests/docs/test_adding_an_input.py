"""docs/adding_an_input.md: its input passes the contract that the page tells authors to use."""

from __future__ import annotations

from tests.docs.blocks import module_of

TestNumberedFiles = module_of("adding_an_input.md").TestNumberedFiles
