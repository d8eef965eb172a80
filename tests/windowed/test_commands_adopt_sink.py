"""`adopt SINK`: from which window on a sink belongs to the log; renamed sinks; and whoever still
runs beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.windowed.cases import LINES, MORE, begin
from tests.windowed.worlds import FileWorld, Interloper, RowsWorld, command, count_words, counted
from windowed import Pipeline
from windowlog.errors import Fenced


@pytest.fixture
def world(tmp_path: Path) -> FileWorld:
    """Five windows, and a sink that has joined since."""
    world = FileWorld(tmp_path / "world")
    begin(world)
    world.wiring["sinks"]["more"] = ("counts.duckdb", "more", "add")
    return world


def test_a_sink_may_begin_with_any_kept_window(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """From window 3 on: lines 3 and later, once."""
    assert command("adopt", world.locator, "more", "--from", "3", "--apply") == 0
    assert "the next run writes windows 3 to 5 to it" in capsys.readouterr().out
    world.write(MORE)
    world.run()
    assert world.counts("more") == counted(*LINES[2:], MORE)
    assert world.counts() == counted(*LINES, MORE)


def test_the_same_again_is_nothing_to_do(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second time, after the first one was applied."""
    words = ("adopt", world.locator, "more", "--from", "3", "--apply")
    assert command(*words) == 0
    before = world.bytes()
    assert command(*words) == 0
    assert "sink more goes on with window 3 already" in capsys.readouterr().out
    assert world.bytes() == before


@pytest.mark.parametrize("where", ["0", "7", "later", "-1"])
def test_a_window_that_is_not_kept_is_refused(
    where: str, world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says which there are."""
    assert command("adopt", world.locator, "more", "--from", where, "--apply") == 1
    assert "a window from 1 to 6" in capsys.readouterr().err


def test_a_sink_that_no_start_refuses_is_not_moved(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """That would double or lose records."""
    assert command("adopt", world.locator, "counts", "--from", "oldest", "--apply") == 1
    assert "a start does not refuse sink counts" in capsys.readouterr().err


def test_while_the_log_is_not_whole_there_is_no_where(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """First the log, then the sink."""
    world.flip(world.plan(5))
    assert command("adopt", world.locator, "more", "--from", "now", "--apply") == 1
    assert "the log is not whole" in capsys.readouterr().err


def test_what_a_choice_costs_is_said(world: FileWorld, capsys: pytest.CaptureFixture[str]) -> None:
    """Windows that are never written, or twice, or were in a table that is gone."""
    del world.wiring["sinks"]["more"]
    older = world.back_up(world.database)
    world.write(MORE, "line7 word")
    for _ in range(3):
        world.run()
    world.restore(older)
    world.sql("CREATE TABLE other AS FROM word_counts")
    command("adopt", world.locator, "counts", "--from", "now")
    assert "never written to it: windows 6 to 7" in capsys.readouterr().out
    world.wiring["sinks"]["counts"] = ("counts.duckdb", "other", "add")
    command("adopt", world.locator, "counts", "--from", "7")
    out = capsys.readouterr().out
    assert "never written to it: window 6\n" in out
    assert "the next run writes window 7 to it: what it has of them already will be" in out
    world.sql("DROP TABLE other")
    command("adopt", world.locator, "counts", "--from", "7")
    assert "what was in the windows before 7 is not in it" in capsys.readouterr().out


def test_windows_with_rows_of_an_input_that_is_gone_are_not_promised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The new sink could not get them: refused, and nothing changed."""
    world = FileWorld(tmp_path / "world")
    world.folder("extra").mkdir()
    world.wiring["inputs"]["extra"] = "extra"
    world.wiring["keep"] = 10
    world.write("extra1", folder="extra")
    begin(world)
    del world.wiring["inputs"]["extra"]
    assert command("adopt", world.locator, "extra", "--gone", "--apply") == 0
    world.run()
    world.wiring["sinks"]["more"] = ("counts.duckdb", "more", "add")
    before = world.bytes()
    assert command("adopt", world.locator, "more", "--from", "oldest", "--apply") == 1
    assert "window 1 has rows of input extra, which is gone" in capsys.readouterr().err
    assert world.bytes() == before
    assert command("adopt", world.locator, "more", "--from", "2", "--apply") == 0
    world.run()
    assert world.counts("more") == counted(*LINES[1:])


def test_a_driver_without_the_new_sink_may_go_on(tmp_path: Path) -> None:
    """It knows nothing of the new sink; whoever starts with it next catches up exactly."""
    world = RowsWorld("joined", 2)
    world.run()
    world.add(2)
    old = world.pipeline()
    with old.open(None) as run:
        world.stores["late"] = type(world.stores["out"])()
        assert world.command("adopt", "late", "--from", "2", "--apply") == 0
        while (window := run.next()) is not None:
            run.hold(window, window.frames["rows"])
    world.run()
    assert (world.held("out"), world.held("late")) == ([1, 2, 3, 4], [2, 3, 4])


def test_an_old_driver_that_writes_to_the_old_table_is_fenced(tmp_path: Path) -> None:
    """It waits with all held; the sink is given another table and adopted. The next window is the
    new table's, and the old one keeps what it had."""
    world = FileWorld(tmp_path / "world")
    begin(world)
    with pytest.raises(Fenced):
        _change_table_beside(world, world.pipeline())
    world.run()
    assert world.counts() == counted(*LINES)
    assert world.counts("other") == counted(MORE)


def _change_table_beside(world: FileWorld, old: Pipeline) -> None:
    with old.open(None) as run:
        assert run.next() is None
        world.wiring["sinks"]["counts"] = ("counts.duckdb", "other", "add")
        assert command("adopt", world.locator, "counts", "--from", "now", "--apply") == 0
        world.write(MORE)
        window = run.next()
        assert window is not None
        run.hold(window, count_words(**window.frames))


def test_of_two_at_once_one_is_fenced(capsys: pytest.CaptureFixture[str]) -> None:
    """The memory that a command saw has changed when it moves it: it says so, and the other
    counts."""
    world = RowsWorld("two", 3)
    world.run()
    world.stores["out"].memory.clear()
    world.stores["out"].windows.clear()
    other = Interloper(
        "out.adopt", lambda: world.command("adopt", "out", "--from", "oldest", "--apply")
    )
    assert world.command("adopt", "out", "--from", "now", "--apply", fuse=other) == 1
    assert "Another driver runs pipeline" in capsys.readouterr().err
    world.run()
    assert world.held() == [1, 2, 3]
