"""RowsInput is an input like any other: it passes the contract that it helps to test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from windowed.testing import InputContract, RowsInput
from windowlog.contracts import Input

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
