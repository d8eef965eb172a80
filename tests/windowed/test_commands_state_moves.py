"""The state goes on where sinks and inputs are moved, and where parts of windows are given up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.windowed.cases import LINES, MORE
from tests.windowed.state_cases import KEPT, counted_lines
from tests.windowed.state_world import StateWorld
from tests.windowed.worlds import FileWorld, command, counted
from windowed import Refused
from windowed.testing.list_sink import ListStore
from windowlog.errors import SourceChanged


@pytest.fixture
def world() -> StateWorld:
    """Three rows in three windows; checkpoints of the last two, and the plans from the older on."""
    world = StateWorld("with state", 3)
    world.run()
    return world


def test_a_sink_that_joins_gets_what_the_state_can_be_made_for(
    world: StateWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """The oldest plan is that of window 2, and the state is known after window 2: the sink begins
    with window 3, and the other one gets nothing twice."""
    world.stores["late"] = ListStore()
    assert world.command("adopt", "late", "--from", "2", "--apply") == 1
    err = capsys.readouterr().err
    assert "a window from 3 to 4: before those the state is not known any more" in err
    assert world.command("adopt", "late", "--from", "oldest", "--apply") == 0
    world.add(1)
    world.run()
    assert world.seen("late") == [(3, 2), (4, 3)]
    assert world.seen() == [(1, 0), (2, 1), (3, 2), (4, 3)]


def test_a_sink_that_joins_while_all_plans_are_kept_gets_all() -> None:
    """The state is made from the first window on once more."""
    world = StateWorld("all kept", 3)
    world.keep = 1000
    world.run()
    world.stores["late"] = ListStore()
    assert world.command("adopt", "late", "--from", "oldest", "--apply") == 0
    world.add(1)
    world.run()
    assert world.seen("late") == world.seen() == [(1, 0), (2, 1), (3, 2), (4, 3)]


def test_the_state_goes_on_over_a_reset(world: StateWorld) -> None:
    """It takes effect by an empty window, which the state passes unchanged."""
    world.add(1)
    assert world.command("reset", "rows", "--to", "end", "--apply") == 0
    world.add(1)
    world.run()
    assert world.seen()[3:] == [(5, 3)]
    world.run()
    assert world.command("verify") == 0


def test_the_state_goes_on_where_an_input_joins(world: StateWorld) -> None:
    """Its rows are counted behind those that were."""
    world.inputs["more"] = [[(10,)]]
    with pytest.raises(Refused):
        world.run()
    assert world.command("adopt", "more", "--from", "beginning", "--apply") == 0
    world.run()
    assert world.seen()[3:] == [(10, 3)]


def _poisoned(world: FileWorld) -> None:
    """Three windows that the sink holds; the state is lost, and what window 2 read is too."""
    world.wiring |= {"keep": 1000, "kept": KEPT}
    world.write(LINES[0])
    world.run()
    world.write(LINES[1], file="b.txt")
    world.run()
    world.write(LINES[2])
    world.run()
    (world.folder("in") / "b.txt").unlink()


SKIP = ("2", "lines", "--part", "b.txt@0", "--reason", "its file was deleted", "--apply")


def test_a_window_that_is_replayed_for_the_state_alone_may_be_skipped_in_part(
    quick_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sink has it: the state lacks that line from now on, and nothing else does."""
    world = FileWorld(quick_folder / "world")
    _poisoned(world)
    for record in world.folder(KEPT).glob("*/checkpoints/*.json"):
        record.unlink()
    with pytest.raises(SourceChanged):
        world.run()
    assert command("skip", world.locator, *SKIP) == 0
    assert "sink counts holds this window already, with that part" in capsys.readouterr().out
    world.write(MORE)
    for _ in range(2):
        world.run()
    done = [*counted_lines(*LINES[:3]), *counted_lines(MORE, since=3)]
    assert world.counts() == counted(*done)


def test_a_window_that_nobody_replays_is_not_skipped(
    quick_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The state is known after it."""
    world = FileWorld(quick_folder / "world")
    _poisoned(world)
    assert command("skip", world.locator, *SKIP) == 1
    assert "every sink holds window 2: nothing reads it again" in capsys.readouterr().err
