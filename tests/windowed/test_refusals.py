"""Each refusal, from a person's mistake to a pipeline that goes on: nothing is touched by it, and
each command that it prints leads to exactly the rows that it says."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.windowed.all_cases import CASES
from tests.windowed.cases import ALL, MORE, Case, begin_purged, expected
from tests.windowed.worlds import FileWorld, command, counted
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


@pytest.mark.parametrize("runs", [1, 2], ids=["the only one", "the newest of two"])
def test_a_damaged_memory_is_made_anew_from_the_plans(quick_folder: Path, runs: int) -> None:
    """Where all plans since are kept, the refusal names the record to remove; nothing is lost."""
    world = FileWorld(quick_folder / "world")
    for lines in [ALL] if runs == 1 else [ALL[:2], ALL[2:]]:
        world.write(*lines)
        world.run()
    memories = sorted((world.state / "inputs" / "lines").glob("*.json"))
    assert len(memories) == runs
    world.flip(memories[-1])
    world.write(MORE)
    said = str(_refused(world))
    assert f"remove inputs/lines/{memories[-1].name} of the log" in said
    memories[-1].unlink()
    world.run()
    assert world.counts() == counted(*ALL, MORE)


def test_a_damaged_memory_whose_plans_are_purged_is_not_to_be_removed(quick_folder: Path) -> None:
    """It could not be made anew."""
    world = FileWorld(quick_folder / "world")
    begin_purged(world)
    for memory in (world.state / "inputs" / "lines").glob("*.json"):
        world.flip(memory)
    assert "remove" not in str(_refused(world))


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
