"""What a person reads: numbers and names as one says them, and nothing that is not so."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pyarrow
import pytest

from tests.windowed.all_cases import CASES
from tests.windowed.cases import LINES, Case, begin
from tests.windowed.worlds import FileWorld, RowsWorld, command
from windowed import Refused
from windowed.errors import LogMismatch, WrongOutputs


@pytest.fixture
def world(tmp_path: Path) -> FileWorld:
    """An empty world."""
    return FileWorld(tmp_path / "world")


@pytest.mark.parametrize("case", CASES[:1] + CASES[-1:], ids=lambda case: case.name)
def test_no_refusal_leaves_the_number_open(case: Case, world: FileWorld) -> None:
    """Neither `sink(s)` nor `window(s)`."""
    case.damage(world)
    with pytest.raises(Refused) as caught:
        world.run()
    assert not re.search(r"\w\(s\)", str(caught.value))


def test_a_log_that_is_not_there_has_no_number(world: FileWorld) -> None:
    """The folder was deleted: there is no log, and none that ends at window 0 with a fresh id."""
    begin(world)
    shutil.rmtree(world.state)
    with pytest.raises(LogMismatch) as caught:
        world.run()
    said = str(caught.value).splitlines()[0]
    assert f"there is no log in {world.state}, so they do not belong together" in said
    assert "this log is" not in said


def test_a_window_that_only_moves_an_input_is_no_replay() -> None:
    """It is run, and has nothing in it that was run before."""
    world = RowsWorld("moves", 2)
    world.run()
    assert world.command("reset", "rows", "--to", "end", "--apply") == 0
    summary = world.pipeline().run(None, progress=False)
    assert (list(summary.window_ids), summary.windows_replayed) == ([3], 0)


def test_what_a_sink_cannot_have_is_not_said_to_come_twice(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its row ends before the oldest kept plan: it has none of what will be written."""
    older = _behind(world)
    world.restore(older)
    assert command("adopt", world.locator, "counts", "--from", "oldest") == 0
    out = capsys.readouterr().out
    assert "the next run writes" in out
    assert "twice" not in out


def _behind(world: FileWorld) -> Path:
    world.write(LINES[0])
    world.run()
    older = world.back_up(world.database)
    for line in LINES[1:]:
        world.write(line)
        world.run()
    return older


def test_one_record_is_one_record(capsys: pytest.CaptureFixture[str]) -> None:
    """Not `1 records are`."""
    world = RowsWorld("one", 1)
    world.run()
    world.add(1)
    assert world.command("reset", "rows", "--to", "end") == 0
    assert "input rows: 1 record is passed over, never read" in capsys.readouterr().out


def test_an_own_loop_has_no_transform_to_be_wrong() -> None:
    """What it gave to hold() is."""
    world = RowsWorld("own", 1)
    with world.pipeline().open(None) as run:
        window = run.next()
        assert window is not None
        with pytest.raises(WrongOutputs, match=r"^hold\(\) of pipeline 'numbers' was given frames"):
            run.hold(window, {"other": pyarrow.table({})})
