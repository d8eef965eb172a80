"""What a walk finds: names, links, kinds of files, rights, and things that vanish meanwhile."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from connectors import FileInput
from connectors.files import identity
from connectors.files import walk as walking
from connectors.files.errors import FolderMissing, Unreadable
from connectors.files.pattern import compile_pattern
from tests.connectors.files.conftest import MakeWorld
from tests.connectors.files.world import World

ALL = compile_pattern("*")


def found(folder: Path, pattern: re.Pattern[str] = ALL) -> list[str]:
    """Paths that a walk finds, sorted."""
    tree = walking.walk(str(folder), pattern, "source")
    return sorted(seen.path for seen in tree.files.values())


def test_files_of_all_folders_are_found(tmp_path: Path) -> None:
    """With `/` between names."""
    for name in ("a", "x/b", "x/y/c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert found(tmp_path) == ["a", "x/b", "x/y/c"]


def test_hidden_names_are_left_alone(tmp_path: Path) -> None:
    """Files and folders that begin with `_` or `.`, wherever, and what Hadoop's shell is copying;
    but not the folder itself."""
    root = tmp_path / "_in"
    hidden = (".a", "_a", ".x/a", "_x/a", "y/_temporary/a", "y/.b", "y/a._COPYING_")
    for name in (*hidden, "y/c_", "y/d.e"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    assert found(root) == ["y/c_", "y/d.e"]


def test_pipes_sockets_and_devices_are_ignored(tmp_path: Path) -> None:
    """Opening a pipe would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        (tmp_path / "file").touch()
        assert found(tmp_path) == ["file"]


def test_a_file_that_became_a_pipe_is_gone(world: World) -> None:
    """Nobody waits for a writer."""
    path = world.write("a.txt", "one\n")
    bounds = world.run.input.bounds()
    path.unlink()
    os.mkfifo(path)
    assert world.run.plan(bounds).empty


def test_links_to_files_and_folders_are_followed(tmp_path: Path) -> None:
    """A file outside is read under the link's name."""
    outside = tmp_path / "outside"
    (outside / "more").mkdir(parents=True)
    (outside / "file").write_text("x")
    (outside / "more/file").write_text("x")
    root = tmp_path / "in"
    root.mkdir()
    (root / "link").symlink_to(outside / "file")
    (root / "folder").symlink_to(outside / "more")
    (root / "broken").symlink_to(outside / "nothing")
    assert found(root) == ["folder/file", "link"]


def test_links_in_circles_end(tmp_path: Path) -> None:
    """Each folder is walked once."""
    (tmp_path / "x/y").mkdir(parents=True)
    (tmp_path / "x/file").touch()
    (tmp_path / "x/y/up").symlink_to(tmp_path / "x")
    (tmp_path / "x/y/top").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    assert found(tmp_path) == ["x/file"]


@pytest.mark.parametrize("name", ["a", "z"])
def test_a_file_is_known_by_its_own_name_and_not_by_a_link(tmp_path: Path, name: str) -> None:
    """Whichever comes first."""
    (tmp_path / "m").touch()
    (tmp_path / name).symlink_to("m")
    (tmp_path / "link").symlink_to(tmp_path / "m")
    assert found(tmp_path) == ["m"]


def test_a_file_with_two_names_is_read_once(any_world: World) -> None:
    """Hard links: one file, known by the first of its names."""
    path = any_world.write("b.txt", "one\n")
    os.link(path, any_world.folder / "a.txt")
    rows = any_world.run.drain()
    assert [(row["path"], row["value"]) for row in rows] == [("a.txt", "one")]
    os.link(path, any_world.folder / "0.txt")
    path.unlink()
    assert any_world.run.plan().empty


@pytest.mark.parametrize(
    ("name", "shown", "part"),
    [
        (b"a b", "a b", "a b@0"),
        (b"a\nb", "a\nb", "a\\x0ab@0"),
        (b'it\'s "x"', 'it\'s "x"', 'it\'s "x"@0'),
        (b"caf\xe9", "caf\\xe9", "caf\\xe9@0"),
        ("ü\u2028".encode(), "ü\u2028", "ü\\u{2028}@0"),
        (b"back\\slash", "back\\slash", "back\\\\slash@0"),
    ],
)
def test_odd_names_are_read_and_can_be_named(
    any_world: World, name: bytes, shown: str, part: str
) -> None:
    """Bytes that are not UTF-8 are shown escaped; part ids are printable, and survive the log."""
    with open(os.path.join(os.fsencode(any_world.folder), name), "wb") as file:
        file.write(b"one\n")
    plan = any_world.run.plan()
    assert [p.id for p in plan.parts] == [part]
    window = any_world.run.log(plan)
    any_world.restart()
    assert any_world.run.replay() == [{"value": "one", "path": shown, "offset": 0}]
    assert (
        any_world.run.input.seek(part.replace("@0", "@beginning"), any_world.run.after).again == 1
    )
    assert window.id == 1


def test_folders_may_come_and_go(world: World) -> None:
    """Between windows, and during a walk."""
    world.write("x/a.txt", "one\n")
    assert world.values() == ["one"]
    (world.folder / "x/a.txt").unlink()
    (world.folder / "x").rmdir()
    assert world.values() == []
    world.write("x/a.txt", "two\n")
    assert world.values() == ["two"]


def test_a_folder_that_vanishes_during_the_walk_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And neither is a file."""
    (tmp_path / "x").mkdir()
    (tmp_path / "a").touch()
    (tmp_path / "b").touch()
    real = identity.status

    def removing(path: bytes) -> identity.Status:
        for victim in (tmp_path / "a", tmp_path / "b"):
            victim.unlink(missing_ok=True)
        if (tmp_path / "x").exists():
            (tmp_path / "x").rmdir()
        return real(path)

    monkeypatch.setattr(walking, "status", removing)
    assert found(tmp_path) == []


def test_a_folder_that_may_not_be_listed_is_an_error(nobodys: Path) -> None:
    """To leave it out would lose its lines silently."""
    (nobodys / "x").mkdir(mode=0)
    with pytest.raises(Unreadable, match=r"/x cannot be read: Permission denied"):
        found(nobodys)


def test_a_file_that_may_not_be_read_is_an_error(nobodys: Path) -> None:
    """It names the file; once the right is given, it is read."""
    world = World(nobodys)
    world.write("a.txt", "one\n").chmod(0)
    with pytest.raises(Unreadable, match=r"a\.txt cannot be read"):
        world.run.plan()
    (nobodys / "a.txt").chmod(0o644)
    assert world.values() == ["one"]


def test_a_link_into_a_forbidden_folder_is_an_error(nobodys: Path) -> None:
    """It may lead to lines."""
    folder = nobodys / "in"
    folder.mkdir()
    (nobodys / "x").mkdir(mode=0)
    (folder / "link").symlink_to(nobodys / "x/a.txt")
    with pytest.raises(Unreadable, match=r"/link cannot be read"):
        found(folder)


def test_a_path_that_is_too_long_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file may lie deeper than any path reaches: it is named as far as that goes."""
    monkeypatch.chdir(tmp_path)
    for _ in range(20):
        os.mkdir("d" * 250)
        os.chdir("d" * 250)
    Path("deep.txt").touch()
    with pytest.raises(Unreadable, match="File name too long"):
        found(tmp_path)


OPENED_ELSEWHERE = r"""
import sys
from connectors.files.identity import FileId
from connectors.files.local_folder import LocalFolder
from connectors.files.locate import Locator
from connectors.files.pattern import compile_pattern

folder = LocalFolder(sys.argv[1])
locator = Locator(folder, "source", lambda: folder.walk(compile_pattern("*"), "source"))
with locator.open("caf\u00e9.txt", FileId.parse(sys.argv[2]), None) as file:
    print(file.status.size)
"""


def test_a_planned_name_is_found_under_another_locale(tmp_path: Path) -> None:
    """The plan was made where `é` can be written, and is replayed where it cannot: the file is
    known by its id."""
    (tmp_path / "caf\u00e9.txt").write_text("one\n")
    file_id = identity.status(os.fsencode(tmp_path / "caf\u00e9.txt")).id
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    said = subprocess.run(
        [sys.executable, "-c", OPENED_ELSEWHERE, str(tmp_path), str(file_id)],
        env={**os.environ, **ascii_only},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.stdout, said.stderr) == ("4\n", "")


def test_a_missing_folder_is_an_error_when_it_is_looked_at(tmp_path: Path) -> None:
    """Not before: it may come into being until the run starts."""
    world = World(tmp_path / "in")
    world.folder.rmdir()
    with pytest.raises(FolderMissing, match="does not exist"):
        world.run.input.bounds()
    world.folder.mkdir()
    assert world.run.plan().empty


def test_a_file_instead_of_a_folder_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    """A single file has no place for its rotated ones: name the folder and a pattern."""
    path = tmp_path / "app.log"
    path.write_text("one\n")
    world = World(tmp_path / "in")
    world.run.crash()
    world.folder = path
    world.run.start()
    with pytest.raises(FolderMissing, match=r"is not a folder.*pattern="):
        world.run.input.bounds()


def test_many_files_fit_one_window(make_world: MakeWorld) -> None:
    """A thousand, the default."""
    world = make_world()
    for number in range(1000):
        world.write(f"{number % 10}/{number}.txt", f"{number}\n")
    rows = world.run.window()
    assert rows is not None
    assert sorted(int(row["value"]) for row in rows) == list(range(1000))


@pytest.mark.soak
def test_a_hundred_thousand_files_are_read_once(make_world: MakeWorld) -> None:
    """In ten windows, across restarts; then ten new ones among them."""
    world = make_world(max_files_per_window=10_000)
    for number in range(100_000):
        world.write(f"{number % 100}/{number}.txt", f"{number}\n")
    found = []
    while (rows := world.run.window()) is not None:
        found += [int(row["value"]) for row in rows]
        if world.run.windows.newest == 5:
            world.run.stop().start()
    assert sorted(found) == list(range(100_000))
    world.run.stop().start()
    for number in range(10):
        world.write(f"{number}/new.txt", "new\n")
    assert world.values() == ["new"] * 10


def test_an_input_can_be_named_by_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made absolute at once, so that a later change of folder does not move it."""
    monkeypatch.chdir(tmp_path)
    source = FileInput("in")
    monkeypatch.chdir("/")
    assert source.identity().place == str(tmp_path / "in")
