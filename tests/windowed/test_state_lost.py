"""A state that is lost, put back, added late, or damaged in part: what a start makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.windowed.cases import ALL, LINES, MORE
from tests.windowed.state_cases import KEPT, begin_with_state, counted_lines
from tests.windowed.worlds import FileWorld, command, counted
from windowed import Refused
from windowed.errors import LogCorrupted


@pytest.fixture
def world(quick_folder: Path) -> FileWorld:
    """An empty world."""
    return FileWorld(quick_folder / "world")


def _goes_on(world: FileWorld) -> None:
    """One more line comes, and the state has counted all five before."""
    world.write(MORE)
    for _ in range(2):
        world.run()
    assert world.counts() == counted(*counted_lines(*ALL))


def test_checkpoints_that_are_put_back_are_gone_on_from(world: FileWorld) -> None:
    """The first choice of a refusal: the folder was only moved."""
    begin_with_state(world)
    moved = world.folder(KEPT).rename(world.folder("moved"))
    with pytest.raises(Refused):
        world.run()
    moved.rename(world.folder(KEPT))
    _goes_on(world)


def test_columns_that_are_put_back_are_gone_on_from(world: FileWorld) -> None:
    """The refusal names them; nothing was lost."""
    begin_with_state(world)
    world.wiring["columns"] = "seen long"
    with pytest.raises(Refused, match=r"has other columns: .*lines"):
        world.run()
    world.wiring["columns"] = "lines long"
    _goes_on(world)


def test_one_damaged_checkpoint_is_not_missed(world: FileWorld) -> None:
    """The one before it and the plan after that are kept."""
    begin_with_state(world)
    (newest,) = world.folder(KEPT).glob("*/checkpoints/000000000005.json")
    world.flip(newest)
    _goes_on(world)


def test_a_state_that_is_added_while_all_plans_are_kept_is_made_from_them(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sinks get nothing twice: the five lines are there without the word that the state adds."""
    world.wiring["keep"] = 1000
    world.write(*LINES)
    world.run()
    world.wiring["kept"] = KEPT
    assert command("show", world.locator) == 0
    assert "replays windows 1 to 5, then goes on with window 6" in capsys.readouterr().out
    world.write(MORE)
    for _ in range(2):
        world.run()
    assert world.counts() == counted(*LINES, *counted_lines(MORE, since=6))


def test_a_state_that_is_taken_out_and_put_back_is_made_from_the_plans(world: FileWorld) -> None:
    """What the pipeline did without it is replayed for it."""
    world.wiring |= {"keep": 1000, "kept": KEPT}
    world.write(*LINES[:3])
    world.run()
    world.wiring["kept"] = ""
    world.write(*LINES[3:])
    world.run()
    world.wiring["kept"] = KEPT
    world.write(MORE)
    world.run()
    done = [*counted_lines(*LINES[:3]), *LINES[3:], *counted_lines(MORE, since=6)]
    assert world.counts() == counted(*done)


def test_no_checkpoint_and_a_missing_plan_is_a_log_that_lacks_plans(world: FileWorld) -> None:
    """The newest checkpoint would need only the plans after it; where it is damaged, those since
    the beginning are asked for, before anything is replayed."""
    world.wiring |= {"keep": 1000, "kept": KEPT}
    world.write(*LINES)
    world.run()
    world.plan(2).unlink()
    world.run()
    for record in world.folder(KEPT).glob("*/checkpoints/*.json"):
        world.flip(record)
    before = world.bytes()
    with pytest.raises(LogCorrupted, match="window 2, missing or damaged"):
        world.run()
    assert world.bytes() == before


def test_a_state_made_empty_is_gone_on_from_where_a_later_checkpoint_is_damaged(
    world: FileWorld,
) -> None:
    """What a person said of window 5 stands beside its plan, and holds until two later checkpoints
    do."""
    world.wiring["keep"] = 1000
    begin_purged_later(world)
    world.write("line6 word")
    world.run()
    for record in world.folder(KEPT).glob("*/checkpoints/*.json"):
        world.flip(record)
    world.write("line7 word")
    world.run()
    after = [*counted_lines(*LINES), *counted_lines("line6 word", "line7 word")]
    assert world.counts() == counted(*after)


def begin_purged_later(world: FileWorld) -> None:
    """Five windows; plan 1 is gone, the checkpoints too, and the state is empty after window 5."""
    world.wiring |= {"keep": 3, "kept": KEPT}
    world.write(*LINES[:4])
    world.run()
    world.write(LINES[4])
    world.run()
    world.run()
    assert not world.plan(1).exists()
    assert world.plan(2).exists()
    for record in world.folder(KEPT).glob("*/checkpoints/*.json"):
        world.flip(record)
    assert command("adopt", world.locator, "--empty-state", "--apply") == 0


def test_checkpoints_of_the_state_before_do_not_come_back(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """An older database came back, its checkpoints did not, and the state is made empty behind it:
    what was saved of windows that the sink is yet to hold again is of another state, and goes."""
    world.wiring |= {"keep": 2, "kept": KEPT}
    world.write(*LINES[:3])
    world.run()
    older = world.back_up(world.database)
    world.write(*LINES[3:])
    world.run()
    world.run()
    assert [world.plan(n).exists() for n in (2, 3)] == [False, True]
    world.restore(older)
    for number in (1, 2, 3):
        for record in world.folder(KEPT).glob(f"*/checkpoints/*{number}.json"):
            record.unlink()
    with pytest.raises(Refused, match="that of window 5 is newer than what every sink holds"):
        world.run()
    assert command("adopt", world.locator, "--empty-state", "--apply") == 0
    assert "those of windows 4, 5 are of the state before" in capsys.readouterr().out
    assert command("show", world.locator, "--json") == 0
    seen = json.loads(capsys.readouterr().out)
    assert (seen["state"]["checkpoints"], seen["state"]["known_after"]) == ([], 3)
    world.run()
    world.write(MORE)
    world.run()
    done = [*counted_lines(*LINES[:3]), *counted_lines(*LINES[3:], MORE)]
    assert world.counts() == counted(*done)
