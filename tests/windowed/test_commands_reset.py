"""`reset`: an input goes on where it is told, window numbers go on, and a driver that still runs is
fenced."""

from __future__ import annotations

from pathlib import Path

import pytest

from connectors.files.errors import IndexLost
from tests.windowed.cases import LINES, begin, begin_purged
from tests.windowed.worlds import FileWorld, command, count_words, counted
from windowed import Pipeline
from windowed.errors import MemoryLost
from windowed.testing.crash import Crash, Fuse, fused
from windowlog.errors import Fenced

MORE = "line6 word"
THIRD = f"a.txt@{2 * (len(LINES[0]) + 1)}"


@pytest.fixture
def world(tmp_path: Path) -> FileWorld:
    """Five windows, all held."""
    world = FileWorld(tmp_path / "world")
    begin(world)
    return world


@pytest.mark.parametrize(
    ("to", "cost", "counted_lines"),
    [
        ("beginning", "5 records are read again", [*LINES, *LINES, MORE]),
        ("end", "no record is read again or passed over", [*LINES, MORE]),
        (THIRD, "3 records are read again", [*LINES, *LINES[2:], MORE]),
    ],
)
def test_the_next_window_starts_there(
    to: str,
    cost: str,
    counted_lines: list[str],
    world: FileWorld,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Dry, it says what it costs and changes nothing; applied, exactly that is read."""
    before = world.bytes()
    words = ("reset", world.locator, "lines", "--to", to)
    assert command(*words) == 0
    assert cost in capsys.readouterr().out
    assert world.bytes() == before
    assert command(*words, "--apply") == 0
    assert world.plan(6).exists()
    world.write(MORE)
    world.run()
    assert world.counts() == counted(*counted_lines)
    world.run()
    assert world.counts() == counted(*counted_lines)


def test_what_is_not_read_yet_can_be_passed_over(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two lines came in since the last run: `--to end` says so, and they are never read."""
    world.write("lost1", "lost2")
    assert command("reset", world.locator, "lines", "--to", "end", "--apply") == 0
    assert "2 records are passed over" in capsys.readouterr().out
    world.write(MORE)
    world.run()
    assert world.counts() == counted(*LINES, MORE)


def test_a_driver_that_still_runs_is_fenced(world: FileWorld) -> None:
    """It waits with window 5 held, somebody resets the input, and it cannot log window 6."""
    with pytest.raises(Fenced):
        _reset_beside_a_driver(world)
    world.run()
    assert world.counts() == counted(*LINES, *LINES, MORE)


def _reset_beside_a_driver(world: FileWorld) -> None:
    with world.pipeline().open(None) as run:
        assert run.next() is None
        assert command("reset", world.locator, "lines", "--to", "beginning", "--apply") == 0
        world.write(MORE)
        run.next()


def test_a_driver_with_a_window_in_flight_was_faster(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Window 6 is logged and not held: `reset` asks to wait, and changes nothing."""
    world.write(MORE)
    old = world.pipeline()
    with old.open(None) as run:
        window = run.next()
        assert window is not None
        before = world.bytes()
        assert command("reset", world.locator, "lines", "--to", "beginning", "--apply") == 1
        assert "window 6 is not held by every sink yet" in capsys.readouterr().err
        assert world.bytes() == before
        run.hold(window, count_words(**window.frames))
    assert world.counts() == counted(*LINES, MORE)


def test_after_a_reset_memory_may_be_lost_until_it_is_folded_again(tmp_path: Path) -> None:
    """Memory lost, reset, and the driver dies in the window after it: the reset still counts."""
    world = FileWorld(tmp_path / "world")
    begin_purged(world)
    for path in (world.state / "inputs" / "lines").iterdir():
        path.unlink()
    assert command("reset", world.locator, "lines", "--to", "end", "--apply") == 0
    world.write(MORE)
    pipeline = world.pipeline()
    with pytest.raises(Crash):
        _die_holding(pipeline, 2)
    # The system closes a dead driver's database file.
    pipeline.sinks["counts"].close()
    assert not list((world.state / "inputs" / "lines").iterdir())
    world.run()
    assert world.counts() == counted(*LINES, MORE)


@pytest.mark.parametrize("damaged", [False, True])
def test_a_memory_that_is_newer_than_the_log_is_let_go_of(tmp_path: Path, damaged: bool) -> None:
    """Log and database come from an older backup, and inputs/ was forgotten: what is remembered
    beyond the log's end stood in the way of every reset."""
    world = FileWorld(tmp_path / "world")
    begin_purged(world)
    copies = [world.back_up(world.state), world.back_up(world.database)]
    world.write("later1", "later2", file="b.txt")
    world.run()
    newest = max((world.state / "inputs" / "lines").iterdir())
    data = newest.read_bytes()
    for copy in copies:
        world.restore(copy)
    newest.write_bytes(data[:-1] if damaged else data)
    with pytest.raises(MemoryLost if damaged else IndexLost):
        world.run()
    assert command("reset", world.locator, "lines", "--to", "end", "--apply") == 0
    assert not newest.exists()
    world.write(MORE)
    world.run()
    assert world.counts() == counted(*LINES, MORE)


def _die_holding(pipeline: Pipeline, windows: int) -> None:
    """Hold so many windows and vanish; nothing is folded, as after a kill."""
    fuse = Fuse()
    with fused(pipeline, fuse).open(None) as run:
        for _ in range(windows):
            window = run.next()
            assert window is not None
            run.hold(window, count_words(**window.frames))
        fuse.dead = True


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["other", "--to", "end"], "the pipeline has no input other"),
        (["lines", "--to", "middle"], "to='middle' is not possible"),
        (["lines", "--to", "b.txt@0"], "to='b.txt@0' is not possible"),
    ],
)
def test_a_place_that_is_none_says_what_is_allowed(
    words: list[str], why: str, world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 1, nothing changed."""
    before = world.bytes()
    assert command("reset", world.locator, *words, "--apply") == 1
    assert why in capsys.readouterr().err
    assert world.bytes() == before


def test_before_the_first_window_there_is_nothing_to_reset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first run pins where inputs start; nothing is created before it."""
    world = FileWorld(tmp_path / "world")
    assert command("reset", world.locator, "lines", "--to", "end", "--apply") == 1
    assert "the log has no window yet" in capsys.readouterr().err
    assert world.bytes() == {}


def test_another_refusal_comes_first(world: FileWorld, capsys: pytest.CaptureFixture[str]) -> None:
    """With the ledger gone nothing is reset."""
    world.sql("DROP TABLE window_ledger")
    assert command("reset", world.locator, "lines", "--to", "end") == 1
    assert "a start is refused for another reason" in capsys.readouterr().err
