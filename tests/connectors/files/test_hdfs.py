"""FileInput over a folder of a real HDFS: what is HDFS's own. docs/hdfs.md has the table of
cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from connectors.files.errors import (
    FileReplaced,
    FileRewritten,
    FileTruncated,
    UnreadVanished,
)
from connectors.files.folder import Gone
from connectors.files.hdfs_folder import HdfsFolder
from tests.connectors.files.hdfs_world import HdfsWorld
from windowlog.access.hdfs_path import name_nodes
from windowlog.access.webhdfs import WebHdfs
from windowlog.errors import SourceChanged

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MakeWorld: TypeAlias = Callable[..., HdfsWorld]
LONG = "x" * 10_000


@pytest.fixture
def make_world(on_hdfs: str) -> MakeWorld:
    """A world with these options of FileInput."""
    return lambda spark=None, **options: HdfsWorld(on_hdfs, spark, **options)


@pytest.fixture
def world(make_world: MakeWorld) -> HdfsWorld:
    """All files are quiet at once."""
    return make_world()


def folder_of(world: HdfsWorld) -> HdfsFolder:
    """The folder alone."""
    return HdfsFolder(world.path, name_nodes(world.options["storage"], {}))


def test_a_file_of_hdfs_is_known_by_its_number(world: HdfsWorld) -> None:
    """The name node's `fileId`: in the plan, and the same under another name."""
    world.write("a.txt", "one\n")
    number = world.status("a.txt")["fileId"]
    assert str(world.run.plan().parts[0].detail["file"]).split("-")[1] == str(number)
    world.rename("a.txt", "b.txt")
    assert str(world.run.plan().parts[0].detail["file"]).split("-")[1] == str(number)


def test_a_file_that_is_appended_to_is_read_once(world: HdfsWorld) -> None:
    """Each time what is new; a run that starts again goes on."""
    world.write("a.txt", "one\n")
    assert world.values() == ["one"]
    world.append("a.txt", "two\nthree\n")
    assert world.values() == ["two", "three"]
    world.run.stop().start()
    world.append("a.txt", "four\n")
    assert world.values() == ["four"]
    assert world.run.plan().empty


def test_what_the_name_node_does_not_know_yet_waits(world: HdfsWorld) -> None:
    """An append that is under way: what was there before is read, nothing else, without a wait."""
    world.write("a.txt", "one\n")
    with world.writing("a.txt", "POST", "APPEND", b"two\n", b"three\n"):
        world.wait_until(lambda: world.is_open("a.txt"))
        assert world.values() == ["one"]
        assert world.run.input.waiting(world.run.input.bounds()) == []
    assert world.values() == ["two", "three"]


def test_a_line_of_a_file_that_is_open_for_writing_waits_until_it_is_closed(
    world: HdfsWorld,
) -> None:
    """The name node knows of the first blocks, which end inside a line; the file's own time is from
    its beginning, so that it would count as quiet."""
    begun = f"first\n{LONG}".encode()
    with world.writing("a.txt", "PUT", "CREATE", begun * 20, b"last\n", blocksize=4096):
        world.wait_until(lambda: world.length("a.txt") > 4096)
        found = world.values()
        assert found[0] == "first"
        assert {len(value) for value in found[1:]} <= {len(LONG) + len("first")}
        bounds = world.run.input.bounds()
        assert world.run.input.waiting(bounds) == []
    assert [*found, *world.values()] == ["first", *[f"{LONG}first"] * 19, f"{LONG}last"]


def test_a_last_line_on_hdfs_is_taken_once_it_is_quiet(make_world: MakeWorld) -> None:
    """By the time of the file's last close, which is the name node's."""
    world = make_world(quiet_s=60)
    world.write("a.txt", "one\ntwo")
    assert world.values() == ["one"]
    assert world.run.input.waiting(world.run.input.bounds()) == ["a.txt"]
    world.ahead_s = 61
    assert world.values() == ["two"]


def test_a_writer_that_ends_between_two_questions_has_its_line_whole(
    world: HdfsWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size was asked for before, and whether somebody writes after: no half of a line."""
    world.write("a.txt", "one\nthr")
    inner, left = WebHdfs.ask, ["ee\n"]

    def ask(self: WebHdfs, operation: str, *given: Any, **options: Any) -> Any:
        if operation == "GET_BLOCK_LOCATIONS" and left:
            world.append("a.txt", left.pop())
        return inner(self, operation, *given, **options)

    monkeypatch.setattr(WebHdfs, "ask", ask)
    assert world.values() == ["one", "three"]


def test_a_file_rotated_on_hdfs_goes_on_under_its_new_name(world: HdfsWorld) -> None:
    """And another one at its old path is read from its beginning."""
    world.write("a.log", "one\n")
    assert world.values() == ["one"]
    world.append("a.log", "two\n")
    world.rename("a.log", "a.log.1")
    world.write("a.log", "three\n")
    assert sorted(world.values()) == ["three", "two"]


def test_a_file_rotated_on_hdfs_inside_its_window_is_found_again(world: HdfsWorld) -> None:
    """Between plan and read, and between read and verify."""
    world.write("a.log", "one\n")
    window = world.run.log(world.run.plan())
    world.rename("a.log", "a.log.1")
    world.write("a.log", "two\n")
    assert [row["value"] for row in world.run.rows(window)] == ["one"]
    world.rename("a.log.1", "a.log.2")
    world.run.hold(window)
    assert world.values() == ["two"]


def test_a_file_that_is_open_is_read_by_its_number(world: HdfsWorld) -> None:
    """Another file that comes to its path meanwhile is not read instead; once it is deleted, that
    is said."""
    world.write("a.log", "one\n")
    file = folder_of(world).open("a.log", "lines")
    other = folder_of(world).open("a.log", "lines")
    assert file is not None
    assert other is not None
    world.rename("a.log", "a.log.1")
    world.write("a.log", "two\n")
    assert file.read(4, 0) == b"one\n"
    world.delete("a.log.1")
    with pytest.raises(Gone):
        other.read(4, 0)


def test_a_file_deleted_on_hdfs_before_it_is_read_stops_its_window(world: HdfsWorld) -> None:
    """With the command that skips it."""
    world.write("a.txt", "one\n")
    window = world.run.log(world.run.plan())
    world.delete("a.txt")
    with pytest.raises(SourceChanged, match=r"(?s)no such file.*--part a\.txt@0"):
        world.run.rows(window)


def test_a_file_deleted_on_hdfs_while_it_is_looked_at_is_gone(
    world: HdfsWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the name node has told of it, before a byte is read."""
    opened = HdfsFolder.open

    def deleting(self: HdfsFolder, path: str, name: str) -> Any:
        file = opened(self, path, name)
        if file is not None:
            world.delete(path)
        return file

    world.write("c.txt", "three\n")
    assert world.values() == ["three"]
    world.write("a.txt", "one\n")
    window = world.run.log(world.run.plan())
    world.delete("c.txt")
    for name in ("b.txt", "c.txt", "d.txt"):
        world.write(name, "three\n")
    bounds = world.run.input.bounds()
    monkeypatch.setattr(HdfsFolder, "open", deleting)
    with pytest.raises(SourceChanged, match="no such file"):
        world.run.rows(window)
    after = world.run.windows.read(1).plans["source"].end
    assert world.run.input.plan(after, bounds).empty
    world.write("d.txt", "four\n")
    assert world.run.input.waiting(world.run.input.bounds()) == []


def test_a_file_gone_from_hdfs_with_an_unread_rest_is_refused(make_world: MakeWorld) -> None:
    """As on a disk."""
    world = make_world(max_bytes_per_window=4)
    world.write("a.txt", "one\ntwo\n")
    assert world.run.window() is not None
    world.delete("a.txt")
    with pytest.raises(UnreadVanished, match=r"a\.txt.*of its 8 bytes only 4"):
        world.run.plan()


def test_a_file_truncated_on_hdfs_is_refused(world: HdfsWorld) -> None:
    """To less than was read."""
    world.write("a.txt", "one\ntwo\n")
    assert world.values() == ["one", "two"]
    world.truncate("a.txt", 4)
    with pytest.raises(FileTruncated, match=r"read up to byte 8 and has only 4"):
        world.run.plan()


def test_a_file_truncated_on_hdfs_and_written_again_is_refused(world: HdfsWorld) -> None:
    """It keeps its number: the digest tells."""
    world.write("a.txt", "one\ntwo\n")
    assert world.values() == ["one", "two"]
    number = world.status("a.txt")["fileId"]
    world.truncate("a.txt", 4)
    world.append("a.txt", "three\n")
    assert world.status("a.txt")["fileId"] == number
    with pytest.raises(FileRewritten, match=r"a\.txt was read up to byte 8"):
        world.run.plan()


def test_a_copy_put_again_is_refused(world: HdfsWorld) -> None:
    """`hdfs dfs -put -f` makes another file; one with other content is new."""
    world.write("a.txt", "one\n")
    world.write("b.txt", "eins\n")
    assert sorted(world.values()) == ["eins", "one"]
    world.write("b.txt", "zwei\n")
    assert world.values() == ["zwei"]
    world.write("a.txt", "one\ntwo\n")
    with pytest.raises(FileReplaced, match=r"a\.txt"):
        world.run.plan()


def test_a_copy_that_was_interrupted_is_not_read(world: HdfsWorld) -> None:
    """`hdfs dfs -put` died half way, and was said again: each line once, none in half."""
    world.write("a.txt._COPYING_", "one\ntwo\nthr")
    assert world.run.drain() == []
    world.delete("a.txt._COPYING_")
    world.write("a.txt", "one\ntwo\nthree\n")
    assert [row["value"] for row in world.run.drain()] == ["one", "two", "three"]


def test_hidden_names_folders_and_patterns_are_as_on_a_disk(make_world: MakeWorld) -> None:
    """Names of files and of folders."""
    world = make_world(pattern="*.txt")
    for name in ("a.txt", "sub/deep/b.txt", "_c.txt", ".d.txt", "_temporary/e.txt", "f.csv"):
        world.write(name, f"{name}\n")
    rows = world.run.drain()
    assert sorted(row["path"] for row in rows) == ["a.txt", "sub/deep/b.txt"]
    assert sorted(row["value"] for row in rows) == ["a.txt", "sub/deep/b.txt"]


@pytest.mark.parametrize("name", ["a b", "ü%41+c", "50%/x#y?z", "'q'\"", "#LATEST"])
def test_odd_names_on_hdfs_are_read(world: HdfsWorld, name: str) -> None:
    """And their files found again."""
    world.write(name, "one\n")
    rows = world.run.drain()
    assert [(row["path"], row["value"]) for row in rows] == [(name, "one")]


@pytest.mark.spark
def test_tasks_read_the_same_rows_from_hdfs(make_world: MakeWorld, spark: SparkSession) -> None:
    """As the driver: blocks of HDFS and of lines, several files, a rotated one, a mark, an empty
    line."""
    worlds = [make_world(spark, reader=reader) for reader in ("driver", "executors")]
    lines = "".join(f"{number} {'y' * (number % 90)}\r\n" for number in range(30_000))
    worlds[0].write("big.txt", f"\ufeff{lines}", blocksize=1_048_576)
    worlds[0].write("sub/ü a.txt", "one\n\ntwo")
    frames = []
    for world in worlds:
        window = world.run.log(world.run.plan())
        frames.append((world, window))
    worlds[0].rename("big.txt", "big.txt.1")
    (driver, of_driver), (executors, of_executors) = frames
    expected = driver.run.rows(of_driver)
    assert len(expected) == 30_003
    assert executors.run.rows(of_executors) == expected
    read = [world.run.input.read(window.plans["source"], ()).schema for world, window in frames]
    assert read[0].names == read[1].names
    assert [f.dataType for f in read[0].fields] == [f.dataType for f in read[1].fields]
