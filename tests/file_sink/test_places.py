"""Places that are refused, and disks that fail: the second table of docs/file_sink.md."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO

import pytest

from file_sink import FileSink
from file_sink.errors import FolderUnsuitable
from file_sink.local_tree import LocalTree
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_pyarrow
from windowed.testing.sink_story import Story
from windowlog.errors import BadArgument, StorageFailed, StorageUnsuitable


@pytest.mark.parametrize("name", ["out", "out.staging"])
def test_a_path_that_is_a_file_is_refused(tmp_path: Path, name: str) -> None:
    """On opening: nothing is made."""
    (tmp_path / name).write_text("a file")
    sink = FileSink(tmp_path / "out")
    with pytest.raises(FolderUnsuitable, match=f"{name} is a file"):
        Story(sink).open(sink)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_staging_on_another_file_system_is_refused(tmp_path: Path) -> None:
    """Such as a folder that is a mount point itself: found before a row is written."""

    class TwoSystems(LocalTree):
        def one_system(self, path: str, other: str) -> bool:
            return False

    bench = Bench(tmp_path / "out", storage=TwoSystems())
    with pytest.raises(FolderUnsuitable, match="another file system"):
        bench.sink.prepare(words().schema)


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="absent: a second file system")
def test_two_file_systems_are_told_apart(tmp_path: Path) -> None:
    """By the machine itself, as far as it has two."""
    tree = LocalTree()
    if os.stat("/dev/shm").st_dev != os.stat(tmp_path).st_dev:
        assert not tree.one_system("/dev/shm", str(tmp_path))
    assert tree.one_system(str(tmp_path), str(tmp_path.parent))


class Failing(LocalTree):
    """A tree in which creating a file fails."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number: int | None = number

    def create(self, path: str) -> BinaryIO:
        """Once, as the system would say it."""
        number, self.number = self.number, None
        if number is None:
            return super().create(path)
        with self._explaining(path, "creating it"):
            raise OSError(number, os.strerror(number), path)


def test_a_full_disk_stops_the_window_and_nothing_else(tmp_path: Path) -> None:
    """Passing: the window is staged again, by the next run or by this one."""
    bench = Bench(tmp_path / "out", storage=Failing(errno.ENOSPC))
    window = bench.story.window()
    bench.sink.prepare(words().schema)
    with pytest.raises(StorageFailed, match="No space left") as caught:
        bench.sink.stage(window, words(("a", 1)))
    assert caught.value.passing
    assert [p for p in bench.staging() if p.startswith("staged")] == []
    bench.sink.stage(window, words(("a", 1)))
    bench.sink.hold(window)
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("a", 1)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="absent: /dev/full")
def test_a_disk_that_is_full_while_rows_are_written_is_explained(tmp_path: Path) -> None:
    """The error comes from the stream, in the middle of a file."""

    class Full(LocalTree):
        def create(self, path: str) -> BinaryIO:
            return open("/dev/full", "wb", buffering=0)

    bench = Bench(tmp_path / "out", storage=Full(), format="json")
    with pytest.raises(StorageFailed, match="No space left"):
        bench.stage(words(("a", 1)))


def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    """With what to do."""

    class ReadOnly(LocalTree):
        def make(self, folder: str, *, durable: bool = True) -> None:
            with self._explaining(folder, "making it"):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), folder)

    bench = Bench(tmp_path / "out", storage=ReadOnly())
    with pytest.raises(StorageUnsuitable, match="Mount it writable"):
        bench.sink.prepare(words().schema)


@pytest.mark.parametrize(
    "path",
    ["s3a://key:hidden@bucket/out", "gs://b/o", "abfss://c@a.dfs.core.windows.net/o", "wasb://c/o",
     "ABFS://c/o", "s3://b/o", "oss://b/o", "dbfs:/o"],
)  # fmt: skip
def test_object_stores_are_refused_on_construction(path: str) -> None:
    """They have no rename in one step; the message says what works, and repeats no credentials."""
    with pytest.raises(BadArgument, match=r"(?s)has no atomic rename; a folder of this") as caught:
        FileSink(path)
    assert "hidden" not in str(caught.value)
