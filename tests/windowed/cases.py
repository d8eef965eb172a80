"""A case: what a person might do so that a start is refused, and what each choice that the refusal
prints leads to.

Each world has five windows of one line each. After the choice a sixth line comes, and the pipeline
runs. `tables` are then counted by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.windowed.worlds import FileWorld, counted
from windowed import errors

LINES = [f"line{number} word" for number in range(1, 6)]
MORE = "line6 word"
ALL = [*LINES, MORE]

# Table -> the lines that it counts, with repetition.
Tables = Mapping[str, list[str]]


@dataclass(frozen=True)
class Case:
    """`damage` brings a world with five windows into row `row`. `choices`: the words of each
    command that is printed -> what the tables hold in the end."""

    name: str
    row: str
    refusal: type[errors.Refused]
    damage: Callable[[FileWorld], None]
    choices: Mapping[str, Tables]


def begin(world: FileWorld) -> None:
    """Five windows, all held."""
    world.write(*LINES)
    world.run()


def begin_purged(world: FileWorld) -> None:
    """Five windows, all held, and all plans but the newest purged."""
    world.write(*LINES[:4])
    world.run()
    world.write(LINES[4])
    world.run()
    world.run()
    assert [path.name for path in world.plan(5).parent.iterdir()] == [world.plan(5).name]


def expected(tables: Tables) -> dict[str, dict[str, int]]:
    """The counts that these lines give."""
    return {table: counted(*lines) for table, lines in tables.items()}
