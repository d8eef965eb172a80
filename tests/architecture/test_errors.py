"""Every error of the kit: its code, its message, its page."""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
from collections import Counter
from typing import Any

import pytest

from samples.session import JavaMissing
from tests.architecture.source import ROOT, none_of, product
from windowlog.errors import KitError

# What stands before the number says in which room an error is raised.
PREFIXES = {
    "windowlog": "WL",
    "windowed": "WD",
    "jdbc_sink": "JS",
    "file_sink": "FS",
    "connectors.files": "FI",
    "connectors.kafka": "KF",
}
TEXT = (ROOT / "docs/errors.md").read_text()


def _kinds() -> list[type[KitError]]:
    """All error classes of the product and the samples."""
    for source in product():
        if source.path.name == "errors.py":
            importlib.import_module(".".join(source.path.with_suffix("").parts))
    found: list[type[KitError]] = [JavaMissing]
    waiting: list[type[KitError]] = [KitError]
    while waiting:
        below = [kind for kind in waiting.pop().__subclasses__() if kind not in found]
        waiting += below
        found += [kind for kind in below if _prefix(kind) is not None]
    return sorted(set(found), key=lambda kind: kind.code)


def _prefix(kind: type[KitError]) -> str | None:
    """That of the room whose module it is in."""
    inside = [room for room in PREFIXES if f"{kind.__module__}.".startswith(f"{room}.")]
    return PREFIXES[inside[0]] if inside else None


KINDS = _kinds()
PAGES = re.findall(r"^## ([A-Z]{2}\d+) (\w+)$", TEXT, re.MULTILINE)


def test_every_error_has_a_code_of_its_own_room() -> None:
    """WL windowlog, WD windowed, JS jdbc_sink, FS file_sink, FI and KF connectors."""
    assert len(KINDS) > 30, "the search found almost no errors"
    none_of(
        [
            f"{kind.__name__}: {kind.code}"
            for kind in KINDS
            if kind is not JavaMissing and not re.fullmatch(rf"{_prefix(kind)}\d+", kind.code)
        ]
    )


def test_no_code_is_used_twice() -> None:
    """A code leads to one page, for ever."""
    codes = Counter(kind.code for kind in KINDS)
    none_of([code for code, count in codes.items() if count > 1])


def test_errors_and_their_page_agree() -> None:
    """docs/errors.md has one entry for each error that can be raised, under its code and name."""
    expected = {(kind.code, kind.__name__) for kind in KINDS}
    none_of([f"no entry: ## {code} {name}" for code, name in sorted(expected - set(PAGES))])
    none_of([f"no such error: ## {code} {name}" for code, name in sorted(set(PAGES) - expected)])
    assert len(PAGES) == len(set(PAGES))


def test_every_entry_says_something() -> None:
    """A heading alone helps nobody."""
    bodies = re.split(r"^## .*\n", TEXT, flags=re.MULTILINE)[1:]
    none_of([PAGES[n][0] for n, body in enumerate(bodies) if len(body.split()) < 10])


@pytest.mark.parametrize(
    "module",
    [
        "windowlog.errors",
        "windowed.errors",
        "jdbc_sink.errors",
        "file_sink.errors",
        "connectors.kafka.errors",
    ],
)
def test_the_tree_at_the_top_of_a_module_is_complete(module: str) -> None:
    """Each of its errors, with its code."""
    tree = inspect.getdoc(importlib.import_module(module)) or ""
    mine = [kind for kind in KINDS if kind.__module__ == module]
    none_of([k.__name__ for k in mine if not re.search(rf"{k.__name__}\b.*\b{k.code}\b", tree)])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_a_message_names_what_it_is_given(kind: type[KitError]) -> None:
    """The docstring is the template; every value in it appears, and the error survives pickling."""
    doc = inspect.getdoc(kind)
    assert doc is not None
    names = re.findall(r"\{(\w+)(?:!r)?[^}]*\}", doc)
    values: dict[str, Any] = {name: f"<{name}>" for name in names}
    error = kind(**values)
    assert str(error).splitlines()[0].endswith(f"[{kind.code}]")
    none_of([name for name in names if f"<{name}>" not in str(error)])
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, str(error))
