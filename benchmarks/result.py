"""What a benchmark found: figures with their limits, and tables that explain them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.machine import Machine

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `limit` is what was promised: at most that, or with `at_least` at least that;
    None where it only informs."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the promise is kept; None without one."""
        if self.limit is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers side by side, already in the units that the columns name."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str | float | int, ...]]


@dataclass(frozen=True, slots=True)
class Result:
    """One benchmark's outcome. `name` is the module's, `question` what it answers, in a sentence;
    `notes` say what the numbers alone would not."""

    name: str
    question: str
    figures: Sequence[Figure]
    grids: Sequence[Grid] = field(default=())
    notes: Sequence[str] = field(default=())

    @property
    def met(self) -> bool:
        """Every promise is kept."""
        return all(figure.met is not False for figure in self.figures)


def save(result: Result, machine: Machine, *, quick: bool) -> Path:
    """Write the result as JSON for programs; where it is. The newest replaces the one before."""
    RESULTS.mkdir(exist_ok=True)
    body = {
        "benchmark": result.name,
        "question": result.question,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": quick,
        "machine": asdict(machine),
        "figures": [asdict(figure) | {"met": figure.met} for figure in result.figures],
        "grids": [asdict(grid) for grid in result.grids],
        "notes": list(result.notes),
    }
    path = RESULTS / f"{result.name}.json"
    path.write_text(json.dumps(body, indent=1) + "\n")
    return path
