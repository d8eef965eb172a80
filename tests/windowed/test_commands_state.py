"""The commands with a state: what they show of it, and how it begins anew."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.windowed.state_cases import KEPT, begin_with_state
from tests.windowed.state_world import StateWorld
from tests.windowed.worlds import FileWorld, RowsWorld, command
from windowlog.storage.memory import MemoryStorage


@pytest.fixture
def world() -> StateWorld:
    """Three rows in three windows; checkpoints of the last two, and the plans from the older on."""
    world = StateWorld("with state", 3)
    world.run()
    return world


def _all(storage: MemoryStorage) -> str:
    return repr(storage.__dict__)


def _seen(world: StateWorld, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    status = world.command("show", "--json")
    seen: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert status == (3 if seen["start"]["choices"] else 0)
    return seen


def test_show_has_the_checkpoints_and_which_of_them_can_be_used(
    world: StateWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """As JSON: the state has one row, and is known after window 3."""
    seen = _seen(world, capsys)
    usable = {"rows": 1, "problem": None, "usable": True}
    assert seen["state"] == {
        "where": world.kept.describe(),
        "known_after": 3,
        "checkpoints": [{"window": 2, **usable}, {"window": 3, **usable}],
    }
    assert (seen["log"]["oldest"], seen["start"]["row"]) == (2, "F")


def test_show_tells_what_is_wrong_with_a_checkpoint(quick_folder: Path) -> None:
    """And goes on from the one before."""
    world = FileWorld(quick_folder / "world")
    begin_with_state(world)
    (newest,) = world.folder(KEPT).glob("*/checkpoints/000000000005.json")
    world.flip(newest)
    shown = _output(world, "show")
    assert "replays window 5, then goes on with window 6" in shown
    assert "cannot be read" in shown
    assert "a start could use it" in shown


def _output(world: FileWorld, verb: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        command(verb, world.locator)
    return " ".join(stream.getvalue().split())


def test_show_of_a_pipeline_without_state_does_not_speak_of_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Neither as JSON nor as text."""
    world = RowsWorld("without state", 1)
    world.run()
    capsys.readouterr()
    assert world.command("show", "--json") == 0
    assert "state" not in json.loads(capsys.readouterr().out)
    assert world.command("show") == 0
    assert "checkpoints" not in capsys.readouterr().out


def test_show_before_the_first_checkpoint(capsys: pytest.CaptureFixture[str]) -> None:
    """There is a state, empty; and none is saved."""
    world = StateWorld("new", 1)
    assert _seen(world, capsys)["state"]["known_after"] == 0
    assert world.command("show") == 0
    assert "none yet" in capsys.readouterr().out


def test_verify_looks_at_each_checkpoint(
    quick_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two are whole; then one has lost its rows, and is named."""
    world = FileWorld(quick_folder / "world")
    begin_with_state(world)
    capsys.readouterr()
    assert command("verify", world.locator) == 0
    assert "checkpoints 2" in capsys.readouterr().out
    (rows,) = world.folder(KEPT).glob("*/states/000000000004.*")
    rows.unlink()
    assert command("verify", world.locator) == 1
    assert "the checkpoint of window 4 lacks its rows" in capsys.readouterr().err


def test_a_state_begins_anew_where_it_is_lost(
    world: StateWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dry, then applied, then again: there is nothing to do; and the next row counts from 0."""
    world.lose_state()
    before = _all(world.log)
    assert world.command("adopt", "--empty-state") == 0
    assert "the state has no row after window 3, and grows anew from there" in (
        capsys.readouterr().out
    )
    assert _all(world.log) == before
    assert world.command("adopt", "--empty-state", "--apply") == 0
    assert _seen(world, capsys)["state"]["known_after"] == 3
    assert world.command("adopt", "--empty-state", "--apply") == 0
    out = capsys.readouterr().out
    assert "There is nothing to do:" in out
    assert "the state is empty after window 3 already" in out
    world.add(2)
    world.run()
    assert world.seen() == [(1, 0), (2, 1), (3, 2), (4, 0), (5, 1)]
    world.run()
    assert world.command("verify") == 0


def test_a_state_made_empty_is_empty_in_each_replay_of_its_window() -> None:
    """The database and the states of window 3 are put back: the windows since are replayed as they
    were."""
    world = StateWorld("emptied", 3)
    world.keep = 3
    world.run()
    stores, kept = copy.deepcopy(world.stores), MemoryStorage()
    kept._tree = copy.deepcopy(world.kept._tree)
    for _ in range(2):
        world.add(1)
        world.run()
    world.lose_state()
    assert world.command("adopt", "--empty-state", "--apply") == 0
    world.add(1)
    world.run()
    held = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 0)]
    assert world.seen() == held
    world.stores, world.kept = stores, kept
    assert world.seen() == held[:3]
    world.run()
    assert world.seen() == held


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--empty-state",), "a start finds the state, or can make it anew"),
        (("--empty-state", "--gone"), "--empty-state stands alone, or with --log"),
        (("out", "--empty-state"), "--empty-state stands alone, or with --log"),
    ],
)
def test_a_state_that_is_there_is_not_made_empty(
    words: tuple[str, ...], why: str, world: StateWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is lost, or something else was said with it."""
    before = _all(world.log), _all(world.kept)
    assert world.command("adopt", *words, "--apply") == 1
    assert why in capsys.readouterr().err
    assert (_all(world.log), _all(world.kept)) == before


def test_a_pipeline_without_state_has_none_to_be_made_empty(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is said so."""
    world = RowsWorld("without state", 1)
    world.run()
    assert world.command("adopt", "--empty-state", "--apply") == 1
    assert "the pipeline has no state=" in capsys.readouterr().err


def test_what_else_refuses_a_start_comes_first(
    world: StateWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """An input has joined too: that is decided before."""
    world.lose_state()
    world.inputs["more"] = [[(10,)]]
    assert world.command("adopt", "--empty-state", "--apply") == 1
    assert "a start is refused for another reason too" in capsys.readouterr().err


def test_a_state_before_the_oldest_plan_is_made_empty_by_a_new_log(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The database is that of window 1, whose plan is purged, and the states are lost. What `adopt
    --empty-state` says to do leads on."""
    world = StateWorld("behind", 1)
    world.run()
    stores = copy.deepcopy(world.stores)
    for _ in range(2):
        world.add(1)
        world.run()
    world.stores = stores
    world.lose_state()
    assert world.command("adopt", "--empty-state", "--apply") == 1
    err = capsys.readouterr().err
    assert "the plan of window 1 is purged" in err
    assert "`adopt --log --empty-state`" in err
    assert world.command("adopt", "--log", "--empty-state", "--apply") == 0
    world.add(1)
    world.run()
    assert world.seen() == [(1, 0), (2, 0), (3, 1), (4, 2)]
