"""What a user sees: `__all__`, types, the names that the documents promise."""

from __future__ import annotations

import ast
import importlib

import pytest

from tests.architecture.source import PRODUCT, ROOT, Source, product

# Packages that are doors: all they do is to import what they offer.
DOORS = [
    source
    for source in product()
    if source.path.name == "__init__.py" and not source.functions and len(source.tree.body) > 1
]

# The public API; a name may be added, none may go.
PROMISED = {
    "windowlog": {"KitError", "WindowLog"},
    "connectors": {"FileInput", "KafkaInput"},
    "jdbc_sink": {"JdbcSink", "accumulate", "append"},
    "file_sink": {"FileSink"},
    "windowed": {"Listener", "Pipeline", "drained", "every", "forever", "windows"},
    "windowed.testing": {
        "CRASH",
        "ForgetfulStorage",
        "ListSink",
        "ManualClock",
        "RowsInput",
        "StorageContract",
        "crash_everywhere",
    },
}


@pytest.mark.parametrize("source", DOORS, ids=lambda source: str(source.path))
def test_all_is_sorted_and_complete(source: Source) -> None:
    """Every name that a package imports is in its `__all__`, and nothing else is."""
    module = importlib.import_module(".".join(source.path.parent.parts))
    imported = {
        alias.asname or alias.name
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
    }
    assert list(module.__all__) == sorted(imported)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


@pytest.mark.parametrize("package", PROMISED)
def test_promised_names_are_there(package: str) -> None:
    """The public API of the documents."""
    module = importlib.import_module(package)
    assert PROMISED[package] <= set(module.__all__)


@pytest.mark.parametrize("package", PRODUCT)
def test_every_package_is_typed(package: str) -> None:
    """A user's type checker reads our annotations."""
    assert (ROOT / package / "py.typed").is_file()
