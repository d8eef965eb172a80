"""RowsInput is an input like any other: it passes the contract that it helps to test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from windowed.testing import InputContract, RowsInput
from windowlog.contracts import Input
from windowlog.errors import BadArgument
from windowlog.values import Bounds

ROWS_IN_A_WINDOW = 7


class TestRowsInput(InputContract):
    """The rows of a place are a list that outlives the instances."""

    places: dict[Path, list[Any]]

    def make(self, place: Path) -> Input:
        """A new instance over the same windows."""
        return RowsInput(self._windows(place), schema="n bigint")

    def add(self, place: Path, count: int) -> None:
        """Windows of some rows each, counting on."""
        windows = self._windows(place)
        start = sum(map(len, windows))
        numbers = [(start + number,) for number in range(count)]
        windows += [numbers[at : at + ROWS_IN_A_WINDOW] for at in range(0, count, ROWS_IN_A_WINDOW)]

    def _windows(self, place: Path) -> list[Any]:
        if not hasattr(self, "places"):
            self.places = {}
        return self.places.setdefault(place, [])


@pytest.mark.parametrize(
    ("windows", "message"),
    [
        ([("a", 1), ("b", 2)], r"windows='a' is not possible: a list of windows, each a list of"),
        ([[("a",)]], r"windows=\('a',\) is not possible: .* each \(word, n\) or a dict"),
        ([[{"word": "a"}]], r"is not possible: .* each \(word, n\) or a dict of these"),
        ([[("a", "x")]], r"windows=\['x'\] is not possible: int64 in column n"),
        ([[("a", 2**70)]], r"is not possible: int64 in column n"),
    ],
)
def test_rows_that_are_none_are_named(windows: list[Any], message: str) -> None:
    """With what a row has to be: no error of whoever stumbles over them."""
    source = RowsInput(windows, schema="word string, n bigint")
    plan = source.plan(0, Bounds(len(windows)))
    with pytest.raises(BadArgument, match=message):
        source.read(plan, ())
