"""The sink's errors: each has its code and page, and crosses processes."""

from __future__ import annotations

import pickle
import string
from pathlib import Path
from typing import Any

import pytest

from jdbc_sink import errors
from windowlog.errors import KitError

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, KitError) and kind is not KitError
]
PAGES = Path(__file__).parents[2] / "docs" / "errors.md"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_pickles_and_has_a_page(kind: type[KitError]) -> None:
    """With all that its message says."""
    fields = {name for _, name, *_ in string.Formatter().parse(kind.__doc__ or "") if name}
    values: dict[str, Any] = {field: f"some {field}" for field in fields}
    error = kind(**values)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.values) == (kind, str(error), error.values)
    assert f"## {kind.code} {kind.__name__}" in PAGES.read_text()


def test_codes_are_never_used_twice() -> None:
    """A code is one page."""
    codes = {kind.code for kind in KINDS}
    assert codes == {f"JS{number}" for number in range(1, len(KINDS) + 1)}
