"""Files that change, move or go away between a plan, its reading and the next plan."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from connectors.files import identity, planning
from connectors.files.errors import FileRewritten, FileTruncated, UnreadVanished
from tests.connectors.files.conftest import MakeWorld
from tests.connectors.files.world import NAME, World
from windowlog.errors import SourceChanged
from windowlog.values import Skip


def test_a_file_deleted_before_it_is_read_stops_its_window(any_world: World) -> None:
    """The plan is fixed, its rows are gone: an error that names the part and the command."""
    path = any_world.write("a b.txt", "one\n")
    window = any_world.run.log(any_world.run.plan())
    path.unlink()
    with pytest.raises(SourceChanged, match=r"skip MODULE:PIPELINE 1 source --part 'a b.txt@0'"):
        any_world.run.rows(window)


def test_a_file_deleted_after_it_was_read_stops_its_window(any_world: World) -> None:
    """What nobody can look at again is not held: a replay could not give it."""
    path = any_world.write("a.txt", "one\n")
    window = any_world.run.log(any_world.run.plan())
    any_world.run.rows(window)
    path.unlink()
    with pytest.raises(SourceChanged, match="no such file"):
        any_world.run.hold(window)


def test_a_lost_part_can_be_skipped_and_the_rest_is_read(any_world: World) -> None:
    """The way out of the two cases above; the next windows go on."""
    any_world.write("a.txt", "one\n")
    any_world.write("b.txt", "two\n")
    window = any_world.run.log(any_world.run.plan())
    (any_world.folder / "a.txt").unlink()
    any_world.run.windows.notes.skip(Skip(window.id, NAME, "a.txt@0", "4 bytes", "gone"))
    any_world.restart()
    assert [row["value"] for row in any_world.run.replay()] == ["two"]
    any_world.append("b.txt", "three\n")
    assert any_world.values() == ["three"]


def test_a_file_deleted_before_its_first_byte_was_planned_is_not_missed(any_world: World) -> None:
    """Nothing was promised of it, even if it lay inside the bounds."""
    any_world.write("a.txt", "one\n")
    any_world.write("b.txt", "two\n")
    bounds = any_world.run.input.bounds()
    (any_world.folder / "a.txt").unlink()
    assert [row["value"] for row in any_world.run.drain(bounds)] == ["two"]


def test_a_new_file_that_gets_the_inode_of_a_deleted_one_is_read(any_world: World) -> None:
    """ext4 gives an inode away at once: device and inode alone lost the new file's lines."""
    old = any_world.write("a.txt", "old words\n")
    any_world.run.drain()
    inode = old.stat().st_ino
    for number in range(50):
        old.unlink()
        old = any_world.write(f"{number}.txt", f"words {number:3}\n")
        assert any_world.values() == [f"words {number:3}"]
        if old.stat().st_ino == inode and number > 3:
            return
        inode = old.stat().st_ino
    pytest.skip("absent: a file system that reuses inodes")


def test_a_new_file_with_the_name_and_size_of_a_deleted_one_is_read(any_world: World) -> None:
    """With its inode and time, too."""
    old = any_world.write("a.txt", "old words\n")
    time = old.stat().st_mtime
    any_world.run.drain()
    old.unlink()
    os.utime(any_world.write("a.txt", "new words\n"), (time, time + 1))
    assert any_world.values() == ["new words"]


def test_a_rotated_file_goes_on_under_its_new_name(any_world: World) -> None:
    """And the new file that takes its name is another file."""
    any_world.write("log", "one\n")
    any_world.run.drain()
    any_world.append("log", "two\n")
    (any_world.folder / "log").rename(any_world.folder / "log.1")
    any_world.write("log", "three\n")
    any_world.append("log.1", "four\n")
    rows = any_world.run.drain()
    assert sorted((row["path"], row["value"]) for row in rows) == [
        ("log", "three"), ("log.1", "four"), ("log.1", "two")
    ]  # fmt: skip


@pytest.mark.parametrize("moment", ["planned", "read"])
def test_a_file_rotated_inside_its_window_is_found_again(any_world: World, moment: str) -> None:
    """Reading and verifying follow the file, not the name; the column keeps the planned one."""
    any_world.write("log", "one\n")
    window = any_world.run.log(any_world.run.plan())
    if moment == "read":
        any_world.run.rows(window)
    (any_world.folder / "log").rename(any_world.folder / "log.1")
    any_world.write("log", "two\n")
    assert [(row["path"], row["value"]) for row in any_world.run.rows(window)] == [("log", "one")]
    any_world.run.hold(window)
    assert any_world.values() == ["two"]


def test_a_file_rotated_after_the_bounds_is_planned_under_its_new_name(world: World) -> None:
    """Bounds may be old: they are those of a run's start."""
    world.write("log", "one\n")
    bounds = world.run.input.bounds()
    (world.folder / "log").rename(world.folder / "log.1")
    world.write("log", "two\n")
    assert [(r["path"], r["value"]) for r in world.run.drain(bounds)] == [("log.1", "one")]


def test_a_truncated_file_is_refused_with_both_ways_out(any_world: World) -> None:
    """copytruncate: the message has path, what was read, the size now, and two commands."""
    any_world.write("it's.txt", "one\ntwo\n")
    any_world.run.drain()
    with open(any_world.folder / "it's.txt", "r+b") as file:
        file.truncate(4)
    with pytest.raises(FileTruncated) as caught:
        any_world.run.plan()
    for words in ("it's.txt", "byte 8", "4 bytes", r"""--to 'it'"'"'s.txt@0'""", "@end"):
        assert words in str(caught.value)


@pytest.mark.parametrize(("place", "rest"), [("beginning", ["x", "y"]), ("end", ["y"])])
def test_a_reset_gets_past_a_truncated_file(any_world: World, place: str, rest: list[str]) -> None:
    """Either read what is in it now, or pass over it; later lines are read in both cases."""
    any_world.write("a.txt", "one\ntwo\n")
    any_world.run.drain()
    any_world.write("a.txt", "x\n")
    with pytest.raises(FileTruncated):
        any_world.run.plan()
    any_world.run.reset(f"a.txt@{place}")
    any_world.restart()
    any_world.append("a.txt", "y\n")
    assert any_world.values() == rest


def test_a_file_truncated_after_it_was_planned_stops_its_window(any_world: World) -> None:
    """The size is part of what is verified."""
    any_world.write("a.txt", "one\ntwo\n")
    window = any_world.run.log(any_world.run.plan())
    any_world.write("a.txt", "one\n")
    with pytest.raises(SourceChanged, match="4 bytes"):
        any_world.run.rows(window)


def _write_over(path: Path) -> None:
    with open(path, "r+b") as file:
        file.write(b"TWO\n")


def _replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("TWO\n")
    other.replace(path)


@pytest.mark.parametrize("change", [_write_over, _replace])
def test_a_file_swapped_after_it_was_read_stops_its_window(
    any_world: World, change: Callable[[Path], None]
) -> None:
    """Spark may read lazily, after our look: a swap gave the new rows without an error. With the
    same size, in place and by rename."""
    path = any_world.write("a.txt", "one\n")
    window = any_world.run.log(any_world.run.plan())
    assert [row["value"] for row in any_world.run.rows(window)] == ["one"]
    change(path)
    with pytest.raises(SourceChanged):
        any_world.run.hold(window)


def test_a_file_rewritten_in_place_after_it_was_held_is_refused(any_world: World) -> None:
    """With the same size: its time is another one, and the last 4 KiB that were read, too."""
    any_world.write("a.txt", "one\n")
    any_world.run.drain()
    _write_over(any_world.folder / "a.txt")
    any_world.set_time("a.txt", -5)
    if any_world.run.input.bounds() is not None and _has_births(any_world):
        with pytest.raises(FileRewritten, match="byte 4"):
            any_world.run.plan()
    else:  # other first bytes are another file there
        assert any_world.values() == ["TWO"]


def test_a_rewritten_file_that_grows_is_refused(world: World) -> None:
    """Going on behind the old size would read half lines of something else."""
    world.write("a.txt", "one\n")
    world.run.drain()
    world.write("a.txt", "another\nfile\n")
    with pytest.raises(FileRewritten, match="reset"):
        world.run.plan()
    world.run.reset("a.txt@0")
    world.restart()
    assert world.values() == ["another", "file"]


def test_a_touched_file_is_left_alone(any_world: World) -> None:
    """Another time, the same bytes."""
    any_world.write("a.txt", "one\n")
    any_world.run.drain()
    any_world.set_time("a.txt", 100)
    assert any_world.run.plan().empty
    any_world.append("a.txt", "two\n")
    assert any_world.values() == ["two"]


def test_a_file_that_goes_away_with_an_unread_rest_is_refused(make_world: MakeWorld) -> None:
    """Part of it was held: its disappearance is a loss, and said so, until somebody gives it
    up."""
    world = make_world(max_bytes_per_window=4)
    path = world.write("a.txt", "one\ntwo\n")
    world.run.window()
    path.unlink()
    for _ in range(2):
        with pytest.raises(UnreadVanished, match=r"of its 8 bytes only 4"):
            world.run.plan()
        world.restart()
    assert world.run.reset("a.txt@end").passed_over is None
    world.restart()
    world.write("b.txt", "new\n")
    assert world.values() == ["new"]


def test_a_file_that_goes_away_during_a_run_with_an_unread_rest_is_refused(
    make_world: MakeWorld,
) -> None:
    """It lay inside the bounds, and a part of it was held."""
    world = make_world(max_bytes_per_window=4)
    path = world.write("a.txt", "one\ntwo\n")
    bounds = world.run.input.bounds()
    world.run.window(bounds)
    path.unlink()
    with pytest.raises(UnreadVanished):
        world.run.plan(bounds)


def test_a_file_that_was_read_may_go_away(any_world: World) -> None:
    """The usual end of a log file."""
    path = any_world.write("a.txt", "one\n")
    any_world.run.drain()
    path.unlink()
    assert any_world.run.plan().empty


def test_without_waiting_for_last_lines_nobody_misses_one(make_world: MakeWorld) -> None:
    """An unterminated line is no line then, so a file may go away with one."""
    world = make_world(last_line="wait")
    path = world.write("a.txt", "one\nhal")
    assert world.values() == ["one"]
    path.unlink()
    assert world.run.plan().empty


def test_a_copy_is_a_new_file(world: World) -> None:
    """The file is what counts, not its content: a moved file is the same, a copied one is not."""
    path = world.write("a.txt", "one\n")
    world.run.drain()
    shutil.copy2(path, world.folder / "b.txt")
    assert world.values() == ["one"]


def test_a_file_that_vanishes_while_it_is_planned_is_no_error(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the walk and the look into it."""
    world.write("a.txt", "one\n")
    world.write("b.txt", "two\n")
    taken = planning.Planner.candidates

    def deleting(self: planning.Planner) -> list[planning.Candidate]:
        found = list(taken(self))
        (world.folder / "a.txt").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(planning.Planner, "candidates", deleting)
    assert world.paths() == ["b.txt"]


def _has_births(world: World) -> bool:
    return identity.status(os.fsencode(world.folder)).id.born_ns != 0
