"""A path that leads to another file than before: the same text copied, or a new file."""

from __future__ import annotations

import os
import shutil

import pytest

from connectors.files import identity
from connectors.files.errors import FileReplaced, FileRewritten, UnreadVanished
from tests.connectors.files.conftest import MakeWorld
from tests.connectors.files.world import World

# More than the digests of a file's beginning and of its end cover together.
LONG = [f"line {number:06}" for number in range(2000)]


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _replace(world: World, name: str, data: str) -> None:
    """Another file takes the path, as an editor or rsync does it. Its temporary name is hidden."""
    shutil.move(world.write(f".{name}.new", data), world.folder / name)


@pytest.mark.parametrize("more", ["", "two\n", "hal"])
def test_a_copy_at_the_same_path_is_refused_with_both_ways_out(any_world: World, more: str) -> None:
    """`cp x y; mv y x`, with what came since: every line was read a second time, silently."""
    any_world.write("it's.txt", "one\n")
    any_world.run.drain()
    _replace(any_world, "it's.txt", "one\n" + more)
    for _ in range(2):
        with pytest.raises(FileReplaced) as caught:
            any_world.run.plan()
        for words in ("it's.txt", "byte 4", "s.txt@4'\n", "s.txt@beginning'\n"):
            assert words in str(caught.value)
        any_world.restart()


@pytest.mark.parametrize(
    ("place", "again", "rest"),
    [("8", 0, ["three", "four"]), ("beginning", 2, ["one", "two", "three", "four"])],
)
def test_a_reset_gets_past_a_copy(
    any_world: World, place: str, again: int, rest: list[str]
) -> None:
    """On behind what was read, or all again; it says how many lines are read twice, and passes over
    none."""
    any_world.write("a.txt", "one\ntwo\n")
    any_world.run.drain()
    any_world.run.stop().start()
    _replace(any_world, "a.txt", "one\ntwo\nthree\n")
    with pytest.raises(FileReplaced):
        any_world.run.plan()
    seek = any_world.run.reset(f"a.txt@{place}")
    assert (seek.again, seek.passed_over) == (again, 0)
    any_world.restart()
    any_world.append("a.txt", "four\n")
    assert any_world.values() == rest
    any_world.run.stop().start()
    assert any_world.run.plan().empty


@pytest.mark.parametrize("place", ["beginning", "end"])
def test_a_reset_of_the_whole_folder_gets_past_a_copy(any_world: World, place: str) -> None:
    """It counts the copy's lines as read."""
    any_world.write("a.txt", "one\n")
    any_world.run.drain()
    _replace(any_world, "a.txt", "one\ntwo\n")
    seek = any_world.run.reset(place)
    assert (seek.again, seek.passed_over) == ((1, 0) if place == "beginning" else (0, 1))
    any_world.restart()
    assert any_world.values() == (["one", "two"] if place == "beginning" else [])


@pytest.mark.parametrize(
    "edited",
    [[*LONG[:1000], "inserted", *LONG[1000:]], LONG[:900] + LONG[1000:], LONG[:1000]],
    ids=["a line more", "lines less", "half copied"],
)
def test_an_edited_or_a_shorter_copy_is_refused(any_world: World, edited: list[str]) -> None:
    """Where reading went on is another place in it: it can be read whole, or passed over."""
    any_world.write("a.txt", _text(LONG))
    any_world.run.drain()
    _replace(any_world, "a.txt", _text(edited))
    with pytest.raises(FileReplaced, match=r"a\.txt@end") as caught:
        any_world.run.plan()
    assert "a.txt@beginning" in str(caught.value)
    any_world.run.reset("a.txt@end")
    any_world.restart()
    any_world.append("a.txt", "new\n")
    assert any_world.values() == ["new"]


def test_a_copy_with_another_beginning_is_refused(any_world: World) -> None:
    """The last 4 KiB before the place where reading goes on are the same."""
    any_world.write("a.txt", _text(LONG))
    any_world.run.drain()
    _replace(any_world, "a.txt", "LINE" + _text(LONG)[4:] + "more\n")
    with pytest.raises(FileReplaced, match=r"a\.txt@24000"):
        any_world.run.plan()


@pytest.mark.parametrize("new", [["x"], [f"other {number}" for number in range(3000)]])
def test_a_rotated_log_whose_old_file_is_gone_is_read_from_its_beginning(
    any_world: World, new: list[str]
) -> None:
    """Shorter or longer than what was read of the old one: its content is another."""
    any_world.write("log", _text(LONG))
    any_world.run.drain()
    _replace(any_world, "log", _text(new))
    assert any_world.values() == new


def test_a_new_log_that_begins_like_the_one_renamed_is_read_from_its_beginning(
    any_world: World,
) -> None:
    """Rotation by rename: the old file is still there, so nothing was replaced."""
    any_world.write("log", "# header\n")
    any_world.run.drain()
    (any_world.folder / "log").rename(any_world.folder / "log.1")
    any_world.write("log", "# header\none\n")
    assert any_world.values() == ["# header", "one"]


def test_a_file_that_was_renamed_after_the_bounds_is_not_replaced(world: World) -> None:
    """What a walk has missed is looked for again before anything is refused."""
    world.write("log", "# header\n")
    world.run.drain()
    aside = world.folder.with_name("aside")
    (world.folder / "log").rename(aside)
    world.write("log", "# header\none\n")
    bounds = world.run.input.bounds()
    aside.rename(world.folder / "log.1")
    assert [row["value"] for row in world.run.drain(bounds)] == ["# header", "one"]


def test_a_file_of_which_nothing_was_read_may_be_replaced(make_world: MakeWorld) -> None:
    """Nothing can be read twice: neither of one never planned, nor of one that was reset."""
    world = make_world()
    world.write("a.txt", "one\n")
    world.run.input.bounds()
    _replace(world, "a.txt", "one\ntwo\n")
    assert world.values() == ["one", "two"]


@pytest.mark.parametrize("moment", ["between runs", "inside a run"])
def test_a_copy_of_a_file_with_an_unread_rest_is_gone_on_with(
    make_world: MakeWorld, moment: str
) -> None:
    """The rest is not lost: it is in the copy."""
    world = make_world(max_bytes_per_window=4)
    world.write("a.txt", "one\ntwo\n")
    bounds = world.run.input.bounds()
    world.run.window(bounds)
    _replace(world, "a.txt", "one\ntwo\n")
    with pytest.raises(FileReplaced, match=r"a\.txt@4"):
        world.run.plan(bounds if moment == "inside a run" else None)
    world.run.reset("a.txt@4")
    world.restart()
    assert world.values() == ["two"]


def test_an_unread_rest_can_be_given_up_when_another_file_has_its_path(
    make_world: MakeWorld,
) -> None:
    """The command passed over the new file instead, and the next start was refused again."""
    world = make_world(max_bytes_per_window=4)
    world.write("a.txt", "one\ntwo\n")
    world.run.window()
    _replace(world, "a.txt", "new\n")
    with pytest.raises(UnreadVanished, match=r"a\.txt@end"):
        world.run.plan()
    assert world.run.reset("a.txt@end").passed_over is None
    world.restart()
    assert world.values() == ["new"]


def test_of_several_old_files_of_a_path_any_counts(world: World) -> None:
    """A file was rotated away, and then an older one was put back."""
    world.write("a.txt", "one\n")
    world.run.drain()
    _replace(world, "a.txt", "other\n")
    assert world.values() == ["other"]
    _replace(world, "a.txt", "one\ntwo\n")
    with pytest.raises(FileReplaced, match=r"a\.txt@4"):
        world.run.plan()


def _rotate(world: World, name: str, old: str, new: str) -> None:
    """By rename: both are read."""
    (world.folder / name).rename(world.folder / old)
    world.write(name, new)
    world.run.drain()


@pytest.mark.parametrize("renumbered", [False, True])
def test_a_log_that_began_like_the_one_rotated_away_stays_known(
    world: World, monkeypatch: pytest.MonkeyPatch, renumbered: bool
) -> None:
    """The old one goes away later, and the index knows it by the path that both had."""
    world.write("log", "# header\n")
    world.run.drain()
    _rotate(world, "log", "log.1", "# header\none\n")
    (world.folder / "log.1").unlink()
    if renumbered:
        real = os.makedev
        monkeypatch.setattr(os, "makedev", lambda major, minor: real(major, minor) + 1000)
        world.restart()
    world.append("log", "two\n")
    assert world.values() == ["two"]


@pytest.mark.parametrize("more", ["one\ntwo\n", _text(["one", *LONG])])
def test_of_several_old_files_the_one_of_which_most_was_read_counts(
    world: World, more: str
) -> None:
    """Whatever else was read would be read twice; also if only the beginnings are alike."""
    world.write("log", "# header\n")
    world.run.drain()
    read = "# header\n" + more
    _rotate(world, "log", "log.1", read)
    (world.folder / "log.1").unlink()
    edited = len(read) > 10_000
    _replace(world, "log", read[:-5] + "edited\n" if edited else read + "three\n")
    with pytest.raises(FileReplaced, match=r"(?s)up to byte {}.*log@{}".format(
        len(read), "end" if edited else len(read)
    )):  # fmt: skip
        world.run.plan()


def test_a_copy_can_be_passed_over_whole(make_world: MakeWorld) -> None:
    """PATH@end is the copy's end, although the file itself has a rest that was not read."""
    world = make_world(max_bytes_per_window=4)
    world.write("a.txt", "one\ntwo\n")
    world.run.window()
    _replace(world, "a.txt", "one\ntwo\nthree\n")
    seek = world.run.reset("a.txt@end")
    assert (seek.again, seek.passed_over) == (0, 2)
    world.restart()
    world.append("a.txt", "four\n")
    assert world.values() == ["four"]


def test_a_file_that_was_to_be_read_again_is_missed(world: World) -> None:
    """A reset to its beginning has promised its lines, so its going away is no replacement."""
    world.write("a.txt", "one\n")
    world.run.drain()
    world.run.reset("a.txt@beginning")
    world.restart()
    _replace(world, "a.txt", "one\ntwo\n")
    with pytest.raises(UnreadVanished, match="only 0 were read"):
        world.run.plan()


def test_without_birth_times_an_inode_that_is_used_again_hides_no_unread_rest(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other first bytes are another file; what was not read of the one before is not passed over
    silently."""
    monkeypatch.setattr(identity, "_statx", None)
    world = make_world(max_bytes_per_window=1)
    world.write("a.txt", "one\ntwo\n")
    assert world.run.window() is not None
    world.write("a.txt", "alpha\nbeta\ngamma\n")  # in place: the same inode
    with pytest.raises(FileRewritten, match="up to byte 4"):
        world.run.plan()
    world.run.reset("a.txt@0")
    world.run.start()
    assert world.values() == ["alpha", "beta", "gamma"]
