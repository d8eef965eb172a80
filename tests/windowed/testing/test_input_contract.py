"""The input contract comes to an end whatever an input does."""

from __future__ import annotations

from pathlib import Path

import pytest

from windowed.testing import InputContract, RowsInput, input_run
from windowed.testing.input_run import InputRun
from windowlog.values import Bounds, Json, Plan


class _Again(RowsInput):
    """Plans its first window for ever."""

    def plan(self, after: Json, bounds: Bounds) -> Plan:
        """As from the start."""
        return super().plan(None, bounds)


class _Onwards(RowsInput):
    """Its position moves on for ever, past the bounds."""

    def plan(self, after: Json, bounds: Bounds) -> Plan:
        """Never empty."""
        at = after if isinstance(after, int) else 0
        return Plan(super().plan(0, bounds).parts, at + 1, records=1)


class _Endless(InputContract):
    """Such an input's author."""

    def __init__(self, kind: type[RowsInput]) -> None:
        self._kind = kind
        self._windows: list[list[tuple[int]]] = []

    def make(self, place: Path) -> RowsInput:
        """One that never ends."""
        return self._kind(self._windows, schema="n bigint")

    def add(self, place: Path, count: int) -> None:
        """Windows of one row."""
        start = len(self._windows)
        self._windows += [[(start + number,)] for number in range(count)]


@pytest.mark.parametrize("kind", [_Again, _Onwards])
@pytest.mark.parametrize(
    "test",
    [
        "test_every_row_is_in_exactly_one_window",
        "test_nothing_beyond_the_bounds_is_planned",
        "test_nothing_waits_once_all_is_read",
    ],
)
def test_an_input_that_never_comes_to_an_end_fails(
    kind: type[RowsInput], test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The contract looped for ever. Now it says what the input does, and where it stands."""
    monkeypatch.setattr(input_run, "WINDOWS_MAX", 60)
    contract = _Endless(kind)
    run = InputRun(lambda: contract.make(tmp_path)).start()
    words = r"still after 60 windows.* must be empty.* position"
    with pytest.raises(AssertionError, match=words):
        getattr(contract, test)(tmp_path, run)


@pytest.mark.parametrize("count", [0, 1, 59])
def test_an_input_that_comes_to_an_end_does_not(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as it needs fewer windows than the limit."""
    monkeypatch.setattr(input_run, "WINDOWS_MAX", 60)
    contract = _Endless(RowsInput)
    run = InputRun(lambda: contract.make(tmp_path)).start()
    contract.add(tmp_path, count)
    assert [row["n"] for row in run.drain()] == list(range(count))
