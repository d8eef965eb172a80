"""FileInput over a folder of a real HDFS that cannot be read: always an error, never an empty
folder."""

from __future__ import annotations

import pytest

from connectors import FileInput
from connectors.files.errors import FolderMissing, Unreadable
from tests.connectors.files.hdfs_world import HdfsWorld
from tests.windowlog.storage.fake_name_node import nobody
from tests.windowlog.storage.hdfs_world import ask
from windowed.testing.input_run import InputRun
from windowlog.errors import StorageFailed


@pytest.fixture
def world(on_hdfs: str) -> HdfsWorld:
    """All files are quiet at once."""
    return HdfsWorld(on_hdfs)


def test_a_folder_of_hdfs_that_is_missing_or_a_file_is_an_error(world: HdfsWorld) -> None:
    """When it is looked at."""
    world.delete("")
    with pytest.raises(FolderMissing, match="does not exist"):
        world.run.input.bounds()
    ask(world.url, "PUT", "CREATE", b"one\n")
    with pytest.raises(FolderMissing, match="is not a folder"):
        world.run.input.bounds()


def test_what_may_not_be_read_on_hdfs_is_an_error(world: HdfsWorld) -> None:
    """A folder that may not be listed, a file that may not be read: leaving them out would lose
    their lines."""
    world.write("a.txt", "one\n")
    world.write("sub/b.txt", "two\n")
    other = HdfsWorld(world.url, storage=f"{world.options['storage']}?user.name=somebody")
    assert other.run.plan().bytes == 8
    ask(world.at("a.txt"), "PUT", "SETPERMISSION", permission="600")
    with pytest.raises(Unreadable, match=r"a\.txt cannot be read: .*denied"):
        other.run.plan()
    ask(world.at("sub"), "PUT", "SETPERMISSION", permission="700")
    with pytest.raises(Unreadable, match=r"sub cannot be read: .*denied"):
        other.run.input.bounds()


def test_a_name_node_that_does_not_answer_is_an_error() -> None:
    """And never a folder without files, which would be believed."""
    with nobody() as node:
        storage = f"webhdfs://{node}?patience_s=0.2"
        run = InputRun(lambda: FileInput("hdfs://cluster/in", storage=storage)).start()
        with pytest.raises(StorageFailed, match=r"hdfs://cluster/in: listing it failed"):
            run.input.bounds()
