"""Words that make no sense are refused, also where there is nothing to do; advice comes in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.windowed.cases import begin
from tests.windowed.mirror_job import Job
from tests.windowed.worlds import FileWorld, command


@pytest.fixture
def world(tmp_path: Path) -> FileWorld:
    """Five windows, all held."""
    world = FileWorld(tmp_path / "world")
    begin(world)
    return world


@pytest.mark.parametrize(
    "words",
    [
        ("lines", "--from", "hier"),
        ("counts", "--from", "hier"),
        ("lines", "--log", "--from", "lines=end"),
        ("--log", "--gone"),
        ("--log", "--renamed-from", "x"),
    ],
)
def test_words_of_no_meaning_are_refused(world: FileWorld, words: tuple[str, ...]) -> None:
    """Whether or not there is anything to do."""
    assert command("adopt", world.locator, *words) == 1


def test_what_is_there_needs_nothing(world: FileWorld) -> None:
    """Words that have a meaning are still understood."""
    for place in ("same", "end", "beginning", "a.txt@0"):
        assert command("adopt", world.locator, "lines", "--from", place) == 0


def test_advice_comes_before_the_deed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Done is done."""
    job = Job(tmp_path)
    job.run("to be")
    job.lose("far")
    advice = "do it from the folder of the machine that ran last"
    assert job.command("adopt", "--mirror") == 0
    assert advice in capsys.readouterr().out
    assert job.command("adopt", "--mirror", "--apply") == 0
    assert advice not in capsys.readouterr().out


def test_a_roll_up_says_why_it_cannot_be(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table has no files."""
    assert command("rollup", world.locator) == 1
    assert "sink counts writes no files that could be joined" in capsys.readouterr().err
