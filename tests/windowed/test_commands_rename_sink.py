"""`adopt NEW --renamed-from OLD`: a sink under another name, back, and there again."""

from __future__ import annotations

import pytest

from tests.windowed.worlds import Interloper, RowsWorld
from windowed import Pipeline, Refused
from windowed.errors import SinkRenamed
from windowed.testing.crash import Crash, Fuse
from windowlog.errors import Fenced


def _renamed(name: str) -> RowsWorld:
    """Three rows are held by sink `out`, which is called `fresh` from now on."""
    world = RowsWorld(name, 3)
    world.run()
    world.stores = {"fresh": world.stores["out"]}
    return world


RENAME = ("adopt", "fresh", "--renamed-from", "out", "--apply")


def test_an_old_driver_under_the_old_name_is_fenced() -> None:
    """Its window 4 is in flight when the sink is adopted under its new name: it cannot be held, and
    the new driver holds it once."""
    world = RowsWorld("renamed", 3)
    world.run()
    world.add(1)
    with pytest.raises(Fenced):
        _rename_beside(world, world.pipeline())
    world.add(1)
    world.run()
    assert world.held("fresh") == [1, 2, 3, 4, 5]


def _rename_beside(world: RowsWorld, old: Pipeline) -> None:
    with old.open(None) as run:
        window = run.next()
        assert window is not None
        world.stores = {"fresh": world.stores["out"]}
        assert world.command(*RENAME) == 0
        run.hold(window, window.frames["rows"])


@pytest.mark.parametrize("after", [False, True])
def test_killed_anywhere_a_second_rename_finishes(after: bool) -> None:
    """Before and after everything that the command does."""
    for moment in range(1, 1000):
        world, fuse = _renamed("killed"), Fuse(moment, after=after)
        try:
            world.command(*RENAME, fuse=fuse)
        except Crash:
            assert world.command(*RENAME) == 0, fuse.where
        world.add(1)
        world.run()
        assert world.held("fresh") == [1, 2, 3, 4], fuse.where
        if not fuse.dead:
            break
    assert moment > 10


def test_a_sink_may_have_its_old_name_back() -> None:
    """Renamed, run, and renamed back: the refusal prints the command, and it leads on."""
    world = _renamed("back")
    assert world.command(*RENAME) == 0
    world.add(1)
    world.run()
    world.stores = {"out": world.stores["fresh"]}
    with pytest.raises(Refused, match="out --renamed-from fresh"):
        world.run()
    assert world.command("adopt", "out", "--renamed-from", "fresh", "--apply") == 0
    world.add(1)
    world.run()
    assert world.held("out") == [1, 2, 3, 4, 5]


def _there_back_and_there(name: str) -> RowsWorld:
    """`out` became `fresh`, became `out` again, ran until the plans of that time were purged, and
    is `fresh` once more."""
    world = _renamed(name)
    assert world.command(*RENAME) == 0
    world.stores = {"out": world.stores["fresh"]}
    assert world.command("adopt", "out", "--renamed-from", "fresh", "--apply") == 0
    world.add(20)
    world.run()
    world.stores = {"fresh": world.stores["out"]}
    return world


def test_a_name_that_was_left_long_ago_may_be_taken_again() -> None:
    """Its row stands where it left, and no plan of then is kept: it is no older backup of the
    database, and the refusal prints the command that goes on where the other name stands."""
    world = _there_back_and_there("again")
    with pytest.raises(SinkRenamed) as caught:
        world.run()
    said = str(caught.value)
    assert "sink fresh is back (it left at window 3), but another sink" in said
    assert "fresh --renamed-from out\n" in said
    assert world.command(*RENAME) == 0
    world.add(1)
    world.run()
    assert world.held("fresh") == list(range(1, 25))


def test_a_row_left_behind_is_moved_by_compare_and_set(capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody else moves it between look and deed: one of the two is told."""
    world = _there_back_and_there("race")
    other = Interloper("fresh.adopt", lambda: world.command(*RENAME))
    assert world.command(*RENAME, fuse=other) == 1
    assert "Another driver runs pipeline" in capsys.readouterr().err
    world.add(1)
    world.run()
    assert world.held("fresh") == list(range(1, 25))


def test_only_the_newest_name_of_several_is_offered() -> None:
    """`out` became `fresh`, and that has run since: a third name can only be that of `fresh`."""
    world = _renamed("third name")
    assert world.command(*RENAME) == 0
    world.add(1)
    world.run()
    world.stores = {"third": world.stores["fresh"]}
    with pytest.raises(SinkRenamed) as caught:
        world.run()
    assert "third --renamed-from fresh" in str(caught.value)
    assert "third --renamed-from out" not in str(caught.value)


@pytest.mark.parametrize(
    ("sinks", "words", "why"),
    [
        (("fresh", "out"), ("fresh", "--renamed-from", "out"), "is still in the pipeline"),
        (("fresh",), ("fresh", "--renamed-from", "other"), "no sink other of this log"),
        (("third",), ("third", "--renamed-from", "out"), "out was renamed to another one"),
        (("fresh",), ("fresh", "--renamed-from", "out"), ""),
    ],
)
def test_a_name_is_taken_over_once(
    sinks: tuple[str, ...],
    words: tuple[str, ...],
    why: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """After `out` has become `fresh`, which has held a window since, nobody else becomes it, and
    `fresh` is not moved back to where `out` stood."""
    world = _renamed("once")
    store = world.stores["fresh"]
    assert world.command(*RENAME) == 0
    world.add(1)
    world.run()
    world.stores = dict.fromkeys(sinks, store)
    before = dict(store.memory)
    assert world.command("adopt", *words, "--apply") == 1
    assert why in capsys.readouterr().err
    assert store.memory == before
