"""`adopt INPUT`: an input that is new, moved or gone, also while windows are still to be replayed;
and whoever still runs beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.windowed.cases import LINES, begin
from tests.windowed.worlds import FileWorld, Numbers, RowsWorld, command, counted
from windowed import Refused
from windowed.testing.crash import Crash, Fuse
from windowlog.errors import Fenced, KitError, SourceChanged

MORE = "line6 word"


@pytest.fixture
def world(tmp_path: Path) -> FileWorld:
    """Five windows, of which the database has lost the last two: they are to be replayed."""
    world = FileWorld(tmp_path / "world")
    world.wiring["keep"] = 10
    world.write(*LINES[:3])
    world.run()
    older = world.back_up(world.database)
    world.write(*LINES[3:])
    world.run()
    world.restore(older)
    return world


def _choices(world: FileWorld) -> list[str]:
    with pytest.raises(Refused) as caught:
        world.run()
    return [line.split("' ")[-1] for why, line in caught.value.choices if line]


def test_a_moved_input_keeps_its_position_also_under_replay(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same files under another path: windows 4 and 5 are read from there; to begin anew would
    lose them, is not printed, and is refused."""
    world.folder("in").rename(world.folder("moved"))
    world.wiring["inputs"]["lines"] = "moved"
    assert _choices(world) == ["lines --from same"]
    before = world.bytes()
    assert command("adopt", world.locator, "lines", "--from", "beginning", "--apply") == 1
    assert "window 4 has rows of lines that some sink still lacks" in capsys.readouterr().err
    assert world.bytes() == before
    assert command("adopt", world.locator, "lines", "--from", "same", "--apply") == 0
    world.write(MORE, folder="moved")
    world.run()
    assert world.counts() == counted(*LINES, MORE)


def test_a_new_input_may_join_under_replay(world: FileWorld) -> None:
    """It has no part in the windows that are replayed."""
    world.folder("extra").mkdir()
    world.write("extra1", folder="extra")
    world.wiring["inputs"]["extra"] = "extra"
    assert command("adopt", world.locator, "extra", "--from", "beginning", "--apply") == 0
    world.run()
    assert world.counts() == counted(*LINES, "extra1")


def test_an_input_is_not_let_go_while_its_windows_are_replayed(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Windows 4 and 5 were planned with it: put it back, run, and then let go."""
    world.wiring["inputs"] = {"other": "in"}
    assert _choices(world) == ["other --from beginning", "other --from end"]
    assert command("adopt", world.locator, "lines", "--gone", "--apply") == 1
    assert "window 4 has rows of lines that some sink still lacks" in capsys.readouterr().err
    world.wiring["inputs"] = {"lines": "in"}
    world.run()
    world.wiring["inputs"] = {"other": "in"}
    assert command("adopt", world.locator, "lines", "--gone", "--apply") == 0
    assert command("adopt", world.locator, "other", "--from", "end", "--apply") == 0
    world.write(MORE)
    world.run()
    assert world.counts() == counted(*LINES, MORE)


def test_windows_of_an_input_that_is_gone_are_not_replayed_without_it(tmp_path: Path) -> None:
    """An older database comes back after an input was let go: nothing is written without its rows,
    until a person does without them."""
    world = FileWorld(tmp_path / "world")
    world.wiring["keep"] = 10
    world.folder("extra").mkdir()
    world.wiring["inputs"]["extra"] = "extra"
    world.write(LINES[0])
    world.run()
    older = world.back_up(world.database)
    world.write("extra1", folder="extra")
    world.run()
    del world.wiring["inputs"]["extra"]
    assert command("adopt", world.locator, "extra", "--gone", "--apply") == 0
    world.run()
    world.restore(older)
    with pytest.raises(SourceChanged, match="a pipeline without it"):
        world.run()
    assert world.counts() == counted(LINES[0])
    skip = ("skip", world.locator, "2", "extra", "--part", "a.txt@0", "--reason", "gone")
    assert command(*skip, "--apply") == 0
    world.run()
    assert world.counts() == counted(LINES[0])


def test_several_inputs_are_adopted_one_by_one(tmp_path: Path) -> None:
    """One gone, one moved, one new: in any order; no window is lost between."""
    world = FileWorld(tmp_path / "world")
    for folder in ("extra", "new"):
        world.folder(folder).mkdir()
    world.wiring["inputs"]["extra"] = "extra"
    world.write("extra1", folder="extra")
    begin(world)
    world.write("new1", folder="new")
    world.folder("in").rename(world.folder("moved"))
    world.wiring["inputs"] = {"lines": "moved", "new": "new"}
    for words in (["new", "--from", "end"], ["extra", "--gone"], ["lines", "--from", "same"]):
        with pytest.raises(Refused):
            world.run()
        assert command("adopt", world.locator, *words, "--apply") == 0
    world.write(MORE, folder="moved")
    world.write("new2", folder="new")
    world.run()
    assert world.counts() == counted(*LINES, "extra1", MORE, "new2")


def _joined(name: str) -> tuple[RowsWorld, Numbers]:
    """Three rows are held; an input with two more has joined."""
    world = RowsWorld(name, 3)
    world.run()
    extra: Numbers = [[(101,)], [(102,)]]
    world.inputs["extra"] = extra
    return world, extra


@pytest.mark.parametrize("after", [False, True])
def test_killed_anywhere_a_second_adopt_finishes(after: bool) -> None:
    """Before and after everything that the command does: the rows that were there are passed over,
    as was asked, and what comes is read once."""
    words = ("adopt", "extra", "--from", "end", "--apply")
    for moment in range(1, 1000):
        (world, extra), fuse = _joined("extra"), Fuse(moment, after=after)
        try:
            world.command(*words, fuse=fuse)
        except Crash:
            assert world.command(*words) == 0, fuse.where
        extra.append([(103,)])
        world.add(1)
        world.run()
        assert sorted(world.held()) == [1, 2, 3, 4, 103], fuse.where
        if not fuse.dead:
            break
    assert moment > 10


def test_a_driver_that_still_runs_without_the_input_is_fenced() -> None:
    """It cannot log a window that does not know of the new input."""
    world, _ = _joined("fenced")
    new = dict(world.inputs)
    world.inputs = {"rows": world.rows}
    world.add(1)
    with pytest.raises(Fenced):
        _adopt_beside(world, new)
    world.run()
    assert sorted(world.held()) == [1, 2, 3, 4, 101, 102]


def _adopt_beside(world: RowsWorld, inputs: dict[str, Numbers]) -> None:
    with world.pipeline().open(None) as run:
        world.inputs = inputs
        assert world.command("adopt", "extra", "--from", "beginning", "--apply") == 0
        run.next()


def test_what_is_adopted_already_is_nothing_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An input that the log knows as it is; one that is gone already."""
    world = RowsWorld("same", 1)
    world.run()
    assert world.command("adopt", "rows", "--from", "beginning", "--apply") == 0
    assert "`reset` moves it" in capsys.readouterr().out
    assert world.command("adopt", "other", "--gone", "--apply") == 0
    assert "the log has no input other" in capsys.readouterr().out
    world.run()
    assert world.held() == [1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["rows"], "exactly one of --from, --renamed-from and --gone"),
        (["rows", "--from", "end", "--gone"], "exactly one of --from, --renamed-from and --gone"),
        (["rows", "--from", "end", "--from", "same"], "exactly one of"),
        (["--from", "end"], "a sink or an input is wanted, or --log"),
        (["rows", "--from", "end", "--accept-loss", "out"], "or --log for the whole log"),
        (["nobody", "--from", "end"], "There are out, rows, extra."),
        (["rows", "--renamed-from", "other"], "that cannot be said of rows"),
        (["rows", "--gone"], "input rows is in the pipeline"),
        (["extra", "--from", "same"], "is new and has no position to keep"),
        (["extra", "--from", "now"], "to='now' is not possible"),
    ],
)
def test_words_that_mean_nothing_are_told(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 1, and the log has no window more."""
    world, _ = _joined("words")
    assert world.command("adopt", *words, "--apply") == 1
    assert why in capsys.readouterr().err
    assert len(world.log.within("windows").list()) == 3


def test_another_refusal_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    """While a sink's ledger is gone, no input is adopted."""
    world, _ = _joined("ledger")
    world.stores["out"].memory.clear()
    assert world.command("adopt", "extra", "--from", "end", "--apply") == 1
    assert "a start is refused for another reason" in capsys.readouterr().err


@pytest.fixture
def copied(tmp_path: Path) -> FileWorld:
    """Two files are read; the input now names a copy of their folder, made as a backup would."""
    world = FileWorld(tmp_path / "world")
    world.write(LINES[0], file="a.txt")
    world.write(LINES[1], file="b.txt")
    world.run()
    shutil.copytree(world.folder("in"), world.folder("copy"))
    world.wiring["inputs"]["lines"] = "copy"
    return world


@pytest.mark.parametrize("apply", [[], ["--apply"]])
def test_a_copied_folder_is_not_the_same_one(
    copied: FileWorld, apply: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """None of its files is one that was read: to keep the position would read all of them twice.
    What is printed instead goes on without a repetition."""
    assert command("adopt", copied.locator, "lines", "--from", "same", *apply) == 1
    said = capsys.readouterr().err
    assert f"none of the 2 files that it remembers is in {copied.folder('copy')}" in said
    assert "If all was read before it was copied, say --from end" in said
    assert command("adopt", copied.locator, "lines", "--from", "end", "--apply") == 0
    copied.write(MORE, folder="copy")
    copied.run()
    assert copied.counts() == counted(*LINES[:2], MORE)


def test_a_moved_folder_is_recognised_file_by_file(
    copied: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """One file was moved, the other one copied: the number is told before anything is changed, and
    the next run asks about the copy."""
    copied.folder("in").joinpath("a.txt").replace(copied.folder("copy") / "a.txt")
    assert command("adopt", copied.locator, "lines", "--from", "same", "--apply") == 0
    out = capsys.readouterr().out
    assert "1 of the 2 files that it remembers are there" in out
    assert "the others are gone, or copies, and the next run asks about those" in out
    with pytest.raises(KitError, match=r"b.txt was read up to byte .*FI8") as caught:
        copied.run()
    assert caught.value.code == "FI8"


@pytest.mark.parametrize("where", ["same", "beginning", "end"])
def test_a_folder_that_is_not_there_is_told_before_it_is_adopted(
    copied: FileWorld, where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not by the run that would come after."""
    copied.wiring["inputs"]["lines"] = "nowhere"
    assert command("adopt", copied.locator, "lines", "--from", where, "--apply") == 1
    assert f"{copied.folder('nowhere')} does not exist" in capsys.readouterr().err
