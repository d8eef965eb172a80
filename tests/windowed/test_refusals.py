"""Each refusal, from a person's mistake to a pipeline that goes on: nothing is touched by it, and
each command that it prints leads to exactly the rows that it says."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.windowed.all_cases import CASES
from tests.windowed.cases import MORE, Case, expected
from tests.windowed.worlds import FileWorld, command
from windowed import Refused
from windowed.recovery import TABLE

CHOICES = [(case, words) for case in CASES for words in case.choices]


def _refused(world: FileWorld) -> Refused:
    with pytest.raises(Refused) as caught:
        world.run()
    return caught.value


def _printed(world: FileWorld, error: Refused) -> dict[str, list[str]]:
    """Verb and words after the locator -> the arguments of the printed command."""
    commands = {}
    for line in str(error).splitlines():
        if line.strip().startswith("python -m windowed "):
            words = shlex.split(line)[3:]
            assert words[1] == world.locator
            commands[" ".join([words[0], *words[2:]])] = words
    return commands


def test_every_row_that_refuses_has_a_case() -> None:
    """No row of the table is without a test."""
    assert {case.row for case in CASES} == {row.letter for row in TABLE if row.refusal is not None}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_refusal_touches_nothing_and_prints_all_choices(case: Case, quick_folder: Path) -> None:
    """The state a person made is refused by its own error, twice, and no byte of it changes."""
    world = FileWorld(quick_folder / "world")
    case.damage(world)
    before = world.bytes()
    error = _refused(world)
    assert type(error) is case.refusal
    assert list(_printed(world, error)) == list(case.choices)
    assert str(_refused(world)) == str(error) or case.name == "log deleted"
    assert world.bytes() == before


@pytest.mark.parametrize(
    ("case", "words"), CHOICES, ids=[f"{case.name}: {words}" for case, words in CHOICES]
)
def test_a_printed_command_leads_on(
    case: Case, words: str, quick_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dry, it changes nothing; with --apply the next runs hold exactly the rows counted by hand."""
    world = FileWorld(quick_folder / "world")
    case.damage(world)
    arguments = _printed(world, _refused(world))[words]
    before = world.bytes()
    assert command(*arguments) == 0
    dry = capsys.readouterr().out
    assert world.bytes() == before
    applied = shlex.split(dry.splitlines()[-1])[3:]
    assert applied == [*arguments, "--apply"]
    assert command(*applied) == 0, capsys.readouterr().err
    world.write(MORE)
    world.run()
    tables = case.choices[words]
    assert {table: world.counts(table) for table in tables} == expected(tables)
    world.run()
    assert {table: world.counts(table) for table in tables} == expected(tables)
