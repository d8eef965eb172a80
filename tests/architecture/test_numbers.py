"""The law in numbers. Each test lists every place that breaks it."""

from __future__ import annotations

import ast
import re

from tests.architecture.source import (
    PRODUCT,
    ROOT,
    Source,
    docstring_lines,
    files,
    none_of,
    product,
    sources,
)

FUNCTION_LINES_MAX = 40
FILE_LINES_MAX = 300
PUBLIC_NAMES_MAX = 6
COLUMNS_MAX = 100
TEST_RATIO_MIN = 1.5
MARKS = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")


def test_functions_are_short() -> None:
    """At most 40 lines, the docstring apart."""
    lengths = {
        f"{source.path}:{node.lineno} {node.name}": (node.end_lineno or 0)
        - node.lineno
        + 1
        - docstring_lines(node)
        for source in sources()
        for node in source.functions
    }
    assert len(lengths) > 100, "the measure found almost no functions"
    none_of([f"{name}: {n} lines" for name, n in lengths.items() if n > FUNCTION_LINES_MAX])


def test_files_are_short() -> None:
    """At most 300 lines."""
    lengths = {source.path: len(source.text.splitlines()) for source in sources()}
    none_of([f"{path}: {n} lines" for path, n in lengths.items() if n > FILE_LINES_MAX])


def test_modules_offer_few_names() -> None:
    """At most 6 public functions and classes; errors.py and __init__.py may have more."""
    counted = [s for s in product() if s.path.name not in ("errors.py", "__init__.py")]
    names = {source.path: len(source.public) for source in counted}
    none_of([f"{path}: {n} public names" for path, n in names.items() if n > PUBLIC_NAMES_MAX])


def test_lines_are_at_most_100_columns_wide() -> None:
    """In Python; documents have tables and links."""
    none_of(
        [
            f"{source.path}:{number}: {len(line)} columns"
            for source in sources()
            for number, line in enumerate(source.text.splitlines(), 1)
            if len(line) > COLUMNS_MAX
        ]
    )


def test_public_names_have_docstrings() -> None:
    """Modules, public classes, functions and methods of what is installed."""
    none_of([line for source in product() for line in _bare(source)])


def _bare(source: Source) -> list[str]:
    nodes: list[ast.AST] = [source.tree, *source.public]
    for node in source.public:
        nodes += [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name[0] != "_"]
    return [
        f"{source.path}:{getattr(node, 'lineno', 1)} {getattr(node, 'name', 'the module')}"
        for node in nodes
        if not docstring_lines(node)
    ]


def test_nothing_is_left_to_be_done_later() -> None:
    """No mark for later in code: an issue says it, or nobody does."""
    none_of(
        [
            f"{path}:{number}"
            for path in files()
            if path.suffix in (".py", ".cfg", ".toml", ".sql") or path.name == "Makefile"
            for number, line in enumerate((ROOT / path).read_text().splitlines(), 1)
            if MARKS.search(line) and not line.startswith("MARKS = ")
        ]
    )


def test_there_is_more_test_than_product() -> None:
    """Test code at least 1.5 times product code; blank lines, comments and docstrings apart."""
    lines = {"tests": 0, "product": 0}
    for source in sources():
        if source.room in (*PRODUCT, "tests"):
            lines["tests" if source.room == "tests" else "product"] += _code_lines(source)
    assert lines["tests"] >= TEST_RATIO_MIN * lines["product"], lines


def _code_lines(source: Source) -> int:
    stripped = [line.strip() for line in source.text.splitlines()]
    code = sum(1 for line in stripped if line and not line.startswith("#"))
    return code - sum(docstring_lines(node) for node in ast.walk(source.tree))
