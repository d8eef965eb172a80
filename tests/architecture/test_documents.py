"""Documents: their links lead somewhere, their commands exist, their examples are tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from tests.architecture.source import ROOT, files, none_of
from windowed.commands.app import app

DOCUMENTS = [path for path in files() if path.suffix == ".md"]
LOG_FORMAT_LINES_MAX = 80


def _text(path: Path) -> str:
    return (ROOT / path).read_text()


def _anchors(text: str) -> set[str]:
    """What GitHub makes of headings: lower case, punctuation gone, spaces to hyphens."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_links_lead_somewhere(document: Path) -> None:
    """Relative ones: the file is there, and the heading in it."""
    broken = []
    for target in re.findall(r"\]\((?!https?://|mailto:)([^)\s]+)\)", _text(document)):
        name, _, anchor = target.partition("#")
        path = (ROOT / document.parent / name) if name else ROOT / document
        known = path.exists() and (not anchor or anchor in _anchors(path.read_text()))
        if not known:
            broken.append(target)
    none_of(broken)


def test_commands_in_documents_exist() -> None:
    """`make …` has a rule, `python -m windowed …` a command."""
    targets = set(re.findall(r"^([a-z-]+):", _text(Path("Makefile")), re.MULTILINE))
    commands = set(get_command(app).commands)  # type: ignore[attr-defined]
    unknown = []
    for document in DOCUMENTS:
        text = _text(document)
        made = re.findall(r"(?:`|^\s*|\$ )make ([a-z-]+)", text, re.MULTILINE)
        called = re.findall(r"python -m windowed ([a-z]+)", text)
        unknown += [f"{document}: make {name}" for name in set(made) - targets]
        unknown += [f"{document}: windowed {name}" for name in set(called) - commands]
    none_of(unknown)


def test_every_make_target_is_in_its_help() -> None:
    """`make` alone says what there is."""
    text = _text(Path("Makefile"))
    targets = set(re.findall(r"^([a-z-]+):", text, re.MULTILINE)) - {"help"}
    shown = set(re.findall(r'@echo "make ([a-z-]+) ', text))
    assert targets == shown


def test_every_example_is_tested() -> None:
    """A document with Python in it is run by a test in tests/docs."""
    run = "".join(_text(path) for path in files() if path.parts[:2] == ("tests", "docs"))
    none_of(
        [
            str(document)
            for document in DOCUMENTS
            if "```python\n" in _text(document) and f'{document.name}")' not in run
        ]
    )


def test_the_log_format_fits_on_a_page() -> None:
    """At most 80 lines, the worked example among them."""
    assert len(_text(Path("docs/log_format.md")).splitlines()) <= LOG_FORMAT_LINES_MAX


@pytest.mark.parametrize(
    "name",
    ["why", "guarantees", "recovery", "log_format", "errors", "glossary", "adding_an_input",
     "adding_a_sink", "testing_your_pipeline", "options"],
)  # fmt: skip
def test_the_promised_pages_are_there_and_linked(name: str) -> None:
    """Each is reached from the first page."""
    assert f"docs/{name}.md" in _text(Path("README.md"))
    assert len(_text(Path(f"docs/{name}.md")).split()) > 100
