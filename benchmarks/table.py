"""Results as tables that a person can read."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from benchmarks.machine import Machine
from benchmarks.result import Figure, Grid, Result

_VERDICTS = {True: "[green]met[/]", False: "[red]not met[/]", None: ""}


def show(result: Result, machine: Machine, console: Console) -> None:
    """The question, where the numbers come from, and then each promise with its verdict."""
    console.print(f"\n[bold]{result.name}[/]: {result.question}")
    for line in machine.lines():
        console.print(f"  {line}", style="dim")
    for grid in result.grids:
        console.print(_grid(grid))
    console.print(figures(f"{result.name}: figures", result.figures))
    for note in result.notes:
        console.print(f"  {note}", style="dim")


def figures(title: str, shown: Iterable[Figure]) -> Table:
    """Each figure with its promise and whether it is met."""
    table = Table("figure", "measured", "promised", "", title=title)
    table.columns[1].justify = table.columns[2].justify = "right"
    for figure in shown:
        measured = f"{number(figure.value)} {figure.unit}"
        table.add_row(figure.name, measured, _promised(figure), _VERDICTS[figure.met])
    return table


def _promised(figure: Figure) -> str:
    if figure.limit is None:
        return ""
    return f"{'≥' if figure.at_least else '≤'} {number(figure.limit)} {figure.unit}"


def _grid(grid: Grid) -> Table:
    table = Table(*grid.columns, title=grid.title)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in grid.rows:
        table.add_row(*(cell if isinstance(cell, str) else number(cell) for cell in row))
    return table


def number(value: float) -> str:
    """Three digits that count: 0.0123, 1.23, 12.3, 1,234."""
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:,.0f}"
    digits = 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:.{digits}f}"
