"""docs/options.md: every option with its default, as the code has them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest
import typer

from connectors import FileInput, KafkaInput
from file_sink import FileSink, FileState
from jdbc_sink import JdbcSink, accumulate, replace_window, upsert
from tests.docs.blocks import DOCS
from windowed import Pipeline
from windowed.commands.app import app
from windowlog import WindowLog
from windowlog.storage import HdfsStorage

TEXT = (DOCS / "options.md").read_text()
REQUIRED = "required"
# A default that is a function has no value to write down.
FUNCTION = "its own"
CALLED: dict[str, Callable[..., Any]] = {
    "Pipeline": Pipeline,
    "Pipeline.run": Pipeline.run,
    "Pipeline.start": Pipeline.start,
    "Pipeline.open": Pipeline.open,
    "FileInput": FileInput,
    "KafkaInput": KafkaInput,
    "JdbcSink": JdbcSink,
    "FileSink": FileSink,
    "FileState": FileState,
    "accumulate": accumulate,
    "upsert": upsert,
    "replace_window": replace_window,
    "WindowLog": WindowLog,
    "HdfsStorage": HdfsStorage,
}


def _value(cell: str) -> Any:
    """What is written between backticks; products and powers are worked out."""
    if not cell.startswith("`"):
        return cell
    tree = ast.parse(cell.strip("`"), mode="eval")
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Name)]
    return eval(compile(tree, "options.md", "eval"))


def _rows(heading: str) -> list[list[str]]:
    section = re.split(r"^## ", TEXT.split(f"## {heading}\n")[1], flags=re.MULTILINE)[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def _default(parameter: inspect.Parameter) -> Any:
    if parameter.default is parameter.empty:
        return REQUIRED
    return FUNCTION if callable(parameter.default) else parameter.default


@pytest.mark.parametrize("name", CALLED)
def test_each_option_stands_there_with_its_default(name: str) -> None:
    """In the order of the signature; none is missing, none is too many."""
    written = [(row[0].strip("`"), _value(row[1])) for row in _rows(name)]
    parameters = inspect.signature(CALLED[name]).parameters.values()
    assert written == [(p.name, _default(p)) for p in parameters if p.name != "self"]


def test_each_option_of_each_command_stands_there() -> None:
    """With its default, or that it is required."""
    written = {(row[0], row[1], _value(row[2])) for row in _rows("Commands")}
    expected = set()
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        for option in command.params:
            if option.param_type_name == "option":
                default = REQUIRED if option.required else option.default
                expected.add((f"`{name}`", f"`{option.opts[0]}`", default))
    assert written == expected


def test_no_table_is_untested() -> None:
    """A new section gets its signature compared too."""
    headings = set(re.findall(r"^## (.*)$", TEXT, re.MULTILINE))
    assert headings == {*CALLED, "until", "Commands"}
