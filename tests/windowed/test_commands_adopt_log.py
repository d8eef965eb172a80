"""`adopt --log`: a new log behind what the sinks hold, whatever is left of the old one, whoever
still runs, and wherever the command dies."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.windowed.worlds import FileWorld, RowsWorld, command
from windowed import Pipeline, windows
from windowed.own import OwnRun
from windowed.testing.crash import Crash, Fuse
from windowlog.errors import Fenced
from windowlog.storage.memory import MemoryStorage


@pytest.fixture
def world() -> RowsWorld:
    """Three rows in three windows, held by two sinks; and the log is lost."""
    return _lost()


def _lost(at_once: bool = True) -> RowsWorld:
    world = RowsWorld("adopted", 3, sinks=("one", "two"))
    world.run()
    if at_once:
        world.lose_log()
    return world


def _goes_on(world: RowsWorld) -> None:
    """Two more rows come, in two runs; each sink holds each number once, in order."""
    for _ in range(2):
        world.add(1)
        world.run()
    assert world.held("one") == world.held("two") == [1, 2, 3, 4, 5]


def test_the_sinks_say_where_to_go_on(world: RowsWorld) -> None:
    """Nothing is lost and nothing is read twice: an input that does not remember is told by the
    ledgers; and window numbers go on behind an empty one."""
    assert world.command("adopt", "--log", "--apply") == 0
    _goes_on(world)
    assert sorted(world.stores["one"].windows) == [1, 2, 3, 5, 6]
    assert world.command("verify") == 0


def test_a_dry_run_changes_nothing_and_says_all(
    world: RowsWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """The new log's first window, and where each sink and input goes on."""
    before = dict(world.stores["one"].memory)
    assert world.command("adopt", "--log") == 0
    out = capsys.readouterr().out
    assert "a new log begins at window 5" in out
    assert "sink two: window 3 becomes window 4, of the new log" in out
    assert "input rows goes on where the sinks stand" in out
    assert world.stores["one"].memory == before
    assert world.log.within("headers").list() == []


@pytest.mark.parametrize(
    ("place", "numbers"),
    [("beginning", [1, 2, 3, 1, 2, 3, 4]), ("end", [1, 2, 3]), ("2", [1, 2, 3, 3, 4])],
)
def test_an_input_may_be_told_where_to_go_on(
    place: str, numbers: list[int], world: RowsWorld
) -> None:
    """Also one that the sinks could tell; row 4 was there before the command."""
    world.add(1)
    assert world.command("adopt", "--log", "--from", f"rows={place}", "--apply") == 0
    world.run()
    assert world.held("one") == world.held("two") == numbers


def test_a_log_that_is_whole_is_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is lost, so nothing is to be adopted."""
    world = _lost(at_once=False)
    assert world.command("adopt", "--log", "--apply") == 1
    assert "nothing is lost" in capsys.readouterr().err
    _goes_on(world)


def _behind() -> RowsWorld:
    """Sink `two` did not hold the last window when the log was lost."""
    world = _lost(at_once=False)
    ((key, memory),) = world.stores["two"].memory.items()
    world.add(1)
    world.run()
    del world.stores["two"].windows[4]
    world.stores["two"].memory[key] = memory
    world.lose_log()
    return world


def test_a_sink_that_lacks_rows_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Window 4 can never be replayed into it: that is refused until its loss is accepted, once."""
    world = _behind()
    assert world.command("adopt", "--log", "--apply") == 1
    assert "add --accept-loss two" in capsys.readouterr().err
    assert world.command("adopt", "--log", "--accept-loss", "two", "--apply") == 0
    assert "sink two never gets what it lacks now" in capsys.readouterr().out
    world.lose_log()
    assert world.command("adopt", "--log", "--apply") == 0
    world.add(1)
    world.run()
    assert (world.held("one"), world.held("two")) == ([1, 2, 3, 4, 5], [1, 2, 3, 5])


def test_a_sink_without_a_ledger_row_must_be_named(world: RowsWorld) -> None:
    """It joined while the log was lost: it begins with what comes next."""
    world.stores["late"] = type(world.stores["one"])()
    assert world.command("adopt", "--log", "--apply") == 1
    assert world.command("adopt", "--log", "--accept-loss", "late", "--apply") == 0
    world.add(1)
    world.run()
    assert (world.held("one"), world.held("late")) == ([1, 2, 3, 4], [4])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--from", "rows"], "--from is INPUT=beginning, =end or =POSITION"),
        (["--from", "others=end"], "there is no input others"),
        (["--accept-loss", "three"], "there is no sink three"),
        (["--from", "rows=somewhere"], "to='somewhere' is not possible"),
    ],
)
def test_words_that_mean_nothing_are_told(
    words: list[str], why: str, world: RowsWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 1, and nothing is changed."""
    before = dict(world.stores["one"].memory)
    assert world.command("adopt", "--log", *words, "--apply") == 1
    assert why in capsys.readouterr().err
    assert world.stores["one"].memory == before


def test_an_old_driver_that_still_runs_is_fenced() -> None:
    """Its window 4 was logged in the folder before that was deleted: it cannot be held, not even by
    the first sink; and the new log's windows hold every row once."""
    world = _lost(at_once=False)
    world.add(1)
    old = world.pipeline()
    with pytest.raises(Fenced):
        _adopt_beside(world, old)
    assert world.held("one") == world.held("two") == [1, 2, 3]
    world.add(1)
    world.run()
    assert world.held("one") == world.held("two") == [1, 2, 3, 4, 5]


def _adopt_beside(world: RowsWorld, old: Pipeline) -> None:
    with old.open(None) as run:
        window = run.next()
        assert window is not None
        world.lose_log()
        assert world.command("adopt", "--log", "--apply") == 0
        run.hold(window, window.frames["rows"])


def test_an_old_driver_is_fenced_between_the_sinks_and_the_header() -> None:
    """The command dies just before it creates the header: the sinks have moved already."""
    moments = _moments_of(_lost())
    world = _lost(at_once=False)
    world.add(1)
    old = world.pipeline()

    def die_at_header(run: OwnRun) -> None:
        window = run.next()
        assert window is not None
        world.lose_log()
        with pytest.raises(Crash, match=r"before log/headers\.create"):
            _command(world, Fuse(moments.index("log/headers.create") + 1))
        run.hold(window, window.frames["rows"])

    with pytest.raises(Fenced), old.open(None) as driver:
        die_at_header(driver)
    assert world.command("adopt", "--log", "--apply") == 0
    world.run()
    assert world.held("one") == world.held("two") == [1, 2, 3, 4]


class _Recorder(Fuse):
    """A fuse that never blows, and remembers what went through it."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def call(self, name: str, action: Callable[[], Any]) -> Any:
        self.names.append(name)
        return super().call(name, action)


def _moments_of(world: RowsWorld, *words: str) -> list[str]:
    recorder = _Recorder()
    _command(world, recorder, *words)
    return recorder.names


def _command(world: RowsWorld, fuse: Fuse, *words: str) -> int:
    return world.command("adopt", "--log", *words, "--apply", fuse=fuse)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("loss", [False, True])
def test_killed_anywhere_a_second_adopt_finishes(after: bool, loss: bool) -> None:
    """Before and after everything that the command does to log and sinks. In between a start is
    refused, or all is done."""
    make, words = (_behind, ("--accept-loss", "two")) if loss else (_lost, ())
    moments = len(_moments_of(make(), *words))
    assert moments > 20
    for moment in range(1, moments + 1):
        world = make()
        fuse = Fuse(moment, after=after)
        with pytest.raises(Crash):
            _command(world, fuse, *words)
        done = bool(world.log.within("headers").list())
        # What is done already is refused: nothing is lost any more.
        assert world.command("adopt", "--log", *words, "--apply") == done
        world.add(1)
        world.run()
        count = 5 if loss else 4
        numbers = list(range(1, count + 1))
        assert world.held("one") == numbers, fuse.where
        assert world.held("two") == ([1, 2, 3, 5] if loss else numbers), fuse.where
        assert world.command("verify") == 0, fuse.where


def test_of_two_at_once_one_is_fenced() -> None:
    """The second command moves the sinks before the first one reads them again: at each moment of
    the first one. The log that is there in the end is the sinks' own."""
    moments = _moments_of(_lost())
    first_adopt = moments.index("one.adopt")
    read_again = len(moments) - moments[::-1].index("one.held")
    for moment in range(first_adopt, len(moments) + 1):
        world = _lost()
        interloper = _Interloper(moment, world)
        status = world.command("adopt", "--log", "--apply", fuse=interloper)
        assert interloper.statuses, moment
        assert status == 1 or moment > read_again
        _goes_on(world)


class _Interloper(Fuse):
    """Runs the whole command in the middle of another one."""

    def __init__(self, moment: int, world: RowsWorld) -> None:
        super().__init__()
        self._moment = moment
        self._world = world
        self.statuses: list[int] = []

    def call(self, name: str, action: Callable[[], Any]) -> Any:
        self.count += 1
        if self.count == self._moment:
            self.statuses.append(self._world.command("adopt", "--log", "--apply"))
        return action()


@pytest.mark.parametrize("damage", ["missing", "torn"])
def test_a_log_that_has_lost_its_header_is_replaced(damage: str, quick_folder: Path) -> None:
    """The old windows are then debris."""
    world = FileWorld(quick_folder / "world")
    world.write("line1 word")
    world.run()
    header = world.state / "headers" / "000000000001.json"
    if damage == "torn":
        world.flip(header)
    else:
        shutil.rmtree(header.parent)
    words = ("adopt", world.locator, "--log", "--apply")
    assert command(*words) == 1
    assert command(*words, "--from", "lines=end") == 0
    world.write("line2 word")
    for _ in range(3):
        world.run()
    assert world.counts() == {"line1": 1, "line2": 1, "word": 2}
    assert [path.name for path in world.plan(3).parent.iterdir()] == [world.plan(3).name]
    assert command("verify", world.locator) == 0


def test_numbers_of_debris_are_not_used_again() -> None:
    """What an earlier log left in the folder, windows, marks or memories: the new one begins behind
    all of it."""
    for folder, number in (("windows", 9), ("marks", 20), ("inputs", 30), ("headers", 41)):
        world = _lost()
        storage: MemoryStorage = world.log.within(folder)
        storage = storage.within("rows") if folder == "inputs" else storage
        storage.create(f"{number:012d}.json", b"debris")
        assert world.command("adopt", "--log", "--apply") == 0, folder
        world.add(1)
        world.pipeline().run(None, until=windows(1), progress=False)
        assert max(world.stores["one"].windows) > number
        assert world.held("one") == [1, 2, 3, 4]
