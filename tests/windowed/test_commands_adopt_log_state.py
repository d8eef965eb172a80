"""`adopt --log` with a state: it goes on as it was where a checkpoint is of just what the sinks
hold, wherever the command dies; else it is for a person to say that it is empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.windowed.state_world import StateWorld, counting
from windowed import Pipeline, Refused
from windowed.testing import StorageState
from windowed.testing.crash import Crash, Fuse
from windowed.testing.list_sink import ListStore
from windowlog.errors import Fenced
from windowlog.state_store import StateContext

BEFORE = [(1, 0), (2, 1), (3, 2)]


def _lost(every: int = 1) -> StateWorld:
    """Three rows in three windows, held by two sinks; and the log is lost."""
    world = StateWorld("adopted with state", 3, sinks=("one", "two"), every=every)
    world.run()
    world.lose_log()
    return world


def _goes_on(world: StateWorld, *after: tuple[int, int]) -> None:
    """Two more rows come, in two runs; and a third run finds all as it was."""
    for _ in range(2):
        world.add(1)
        world.run()
    world.run()
    assert world.seen("one") == world.seen("two") == [*BEFORE, *after]


def test_the_state_goes_on_in_the_new_log(capsys: pytest.CaptureFixture[str]) -> None:
    """Its checkpoint of window 3 is handed on: the sinks hold just that window."""
    world = _lost()
    assert world.command("adopt", "--log") == 0
    assert (
        "the state after window 4 is what it was after window 3, handed on"
        in capsys.readouterr().out
    )
    assert world.command("adopt", "--log", "--apply") == 0
    _goes_on(world, (4, 3), (5, 4))
    assert world.command("verify") == 0


def test_a_state_that_was_handed_on_and_is_lost_is_missed() -> None:
    """It is not taken for empty: a start is refused, and what it prints leads on."""
    world = _lost()
    assert world.command("adopt", "--log", "--apply") == 0
    world.lose_state()
    with pytest.raises(Refused, match="its state is not known") as caught:
        world.run()
    (words,) = [command.split()[5:] for _, command in caught.value.choices if command]
    assert words == ["--log", "--empty-state"]
    assert world.command("adopt", *words, "--apply") == 0
    _goes_on(world, (4, 0), (5, 1))


def test_without_a_checkpoint_of_what_the_sinks_hold_it_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A driver died before it saved: the state after window 3 is nowhere, and the plans that would
    make it are lost. The remedy that is printed leads on."""
    world = StateWorld("adopted with state", 2, sinks=("one", "two"), every=2)
    world.run()
    world.add(1)
    fuse = _Dying("state.save")
    with pytest.raises(Crash):
        world.pipeline(fuse).run(None, progress=False)
    assert world.seen("one") == BEFORE
    world.lose_log()
    assert world.command("adopt", "--log", "--apply") == 1
    err = capsys.readouterr().err
    assert "there is no checkpoint of the state after window" in err
    assert "add --empty-state" in err
    assert world.command("adopt", "--log", "--empty-state") == 0
    assert "the state after window 4 is empty" in capsys.readouterr().out
    assert world.command("adopt", "--log", "--empty-state", "--apply") == 0
    _goes_on(world, (4, 0), (5, 1))


class _Dying(Fuse):
    """The driver dies before this."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def call(self, name: str, action: Callable[[], Any]) -> Any:
        """Once."""
        if name == self._name:
            self.at = self.count + 1
        return super().call(name, action)


def test_a_checkpoint_of_another_window_of_that_number_is_not_handed_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The sinks hold another window 3 than the state was made with: a backup came back between."""
    world = _lost()
    (held,) = world.stores["one"].memory.values()
    world.lose_state()
    store = StorageState("seen long", storage=world.kept)
    store.open(StateContext(None, "numbers", held.log_id, "another run"))
    store.save(held.window_id, "another digest", store.load(None))
    assert world.command("adopt", "--log", "--apply") == 1
    assert "there is no checkpoint of the state" in capsys.readouterr().err


def test_of_sinks_that_differ_the_furthest_says_which_state() -> None:
    """A sink that joined while the log was lost begins with what comes next."""
    world = _lost()
    world.stores["late"] = ListStore()
    assert world.command("adopt", "--log", "--accept-loss", "late", "--apply") == 0
    world.add(1)
    world.run()
    assert (world.seen("one"), world.seen("late")) == ([*BEFORE, (4, 3)], [(4, 3)])


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("empty", [False, True], ids=["handed on", "empty"])
def test_killed_anywhere_a_second_adopt_finishes(after: bool, empty: bool) -> None:
    """Before and after everything that the command does to log, sinks and state."""
    words = ("--log", *(("--empty-state",) if empty else ()), "--apply")
    whole = Fuse()
    assert _lost().command("adopt", *words, fuse=whole) == 0
    assert whole.count > 20
    for moment in range(1, whole.count + 1):
        world, fuse = _lost(), Fuse(moment, after=after)
        with pytest.raises(Crash):
            world.command("adopt", *words, fuse=fuse)
        done = bool(world.log.within("headers").list())
        # What is done already is refused: nothing is lost any more.
        assert world.command("adopt", *words) == done, fuse.where
        _goes_on(world, *([(4, 0), (5, 1)] if empty else [(4, 3), (5, 4)]))


def test_an_old_driver_that_still_runs_is_fenced() -> None:
    """Its window 4 was logged before; it holds it nowhere, and its checkpoint is of the old log."""
    world = StateWorld("adopted with state", 3, sinks=("one", "two"))
    world.run()
    world.add(1)
    old = world.pipeline()
    with pytest.raises(Fenced):
        _adopt_beside(world, old)
    world.add(1)
    world.run()
    world.run()
    assert world.seen("one") == world.seen("two") == [*BEFORE, (4, 3), (5, 4)]


def _adopt_beside(world: StateWorld, old: Pipeline) -> None:
    with old.open(None) as run:
        window = run.next()
        assert window is not None
        world.lose_log()
        assert world.command("adopt", "--log", "--apply") == 0
        outputs, following = counting(run.state, rows=window.frames["rows"])
        run.hold(window, outputs, following)
