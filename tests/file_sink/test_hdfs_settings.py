"""FileSink's path and storage on HDFS: what goes together, said on construction; and streams."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from file_sink import FileSink
from file_sink.hdfs_files import Reading, Writing
from file_sink.hdfs_tree import HdfsTree
from windowlog.access.hdfs_path import webhdfs_of
from windowlog.errors import BadArgument

DATA = bytes(range(256))


@pytest.mark.parametrize(
    "path", ["hdfs://nn:8020/a/b", "hdfs://nn:8020//a/b/", "HDFS://nn:8020/a/b"]
)
@pytest.mark.parametrize("storage", ["webhdfs://nn:9870", None])
def test_one_folder_has_one_name(path: str, storage: str | None) -> None:
    """However it is written; and it is Spark's."""
    published, staged, *_ = FileSink(path, storage=storage).files()
    assert published.startswith("hdfs://nn:8020/a/b/window_id=00000001/part-")
    assert staged.startswith("hdfs://nn:8020/a/b.staging/staged/")
    assert HdfsTree("webhdfs://nn").spark_path("hdfs://nn:8020/a/b") == "hdfs://nn:8020/a/b"
    assert HdfsTree("webhdfs://nn").place(path) == path.lower().replace("//a/b/", "/a/b")


@pytest.mark.parametrize("path", ["hdfs://cluster/a", "hdfs://nn:9000/a"])
def test_a_name_node_that_cannot_be_known_is_asked_for(path: str) -> None:
    """The name of a cluster, and a port that is not Hadoop's own: the message says what to give."""
    with pytest.raises(BadArgument, match=r'^storage=None .*"webhdfs://NAMENODE:9870"'):
        FileSink(path)
    FileSink(path, storage="webhdfs://nn1,nn2")


def test_hadoops_own_ports_go_together() -> None:
    """The only ones of which that is known."""
    assert webhdfs_of("hdfs://nn.example:8020/a") == "webhdfs://nn.example:9870"


@pytest.mark.parametrize(
    "path",
    [
        "hdfs://nn:8020/",
        "hdfs:///a",
        "hdfs:/a",
        "hdfs://nn:8020/a/../b",
        "hdfs://nn:8020/a:b",
    ],
)
def test_a_path_that_is_no_folder_of_hdfs_is_refused(path: str) -> None:
    """With a storage on HDFS."""
    with pytest.raises(BadArgument, match=r"^path=.*hdfs://NAMENODE:8020/FOLDER"):
        FileSink(path, storage="webhdfs://nn:9870")


@pytest.mark.parametrize("path", ["/a", "a/b", Path("a"), "~/a"])
@pytest.mark.parametrize("storage", ["webhdfs://nn:9870", "swebhdfs://nn?delegation=secret"])
def test_a_storage_for_a_folder_of_this_machine_is_refused(path: Any, storage: str) -> None:
    """It is the storage that is too much."""
    with pytest.raises(BadArgument, match=r"^storage='s?webhdfs.*goes with a path of") as refused:
        FileSink(path, storage=storage)
    assert "secret" not in str(refused.value)


def test_a_password_in_a_path_is_not_repeated() -> None:
    """Where one would stand in other URLs."""
    with pytest.raises(BadArgument) as refused:
        FileSink("hdfs://etl:secret@nn:8020/a")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("storage", ["nn:9870", "hdfs://nn:8020", "webhdfs://nn:9870/a", 7])
def test_a_storage_that_cannot_be_is_refused(storage: Any) -> None:
    """A folder is the path's to name."""
    with pytest.raises(BadArgument, match=r"webhdfs://|without a folder"):
        FileSink("hdfs://nn:8020/a", storage=storage)


def test_a_file_is_read_at_any_place() -> None:
    """Piece by piece, and not past its end."""
    stream = io.BufferedReader(Reading(256, lambda at, length: DATA[at : at + length]), 16)
    assert (stream.seek(-3, io.SEEK_END), stream.read()) == (253, DATA[253:])
    assert (stream.seek(5), stream.read(40), stream.tell()) == (5, DATA[5:45], 45)
    assert (stream.seek(10, io.SEEK_CUR), stream.read(2)) == (55, DATA[55:57])
    assert (stream.seek(999), stream.read(1)) == (999, b"")


def test_a_file_is_written_once_and_only_whole() -> None:
    """When it is closed; not where an exception came before, or it was forgotten."""
    written = list[bytes]()
    with Writing(written.append) as stream:
        stream.write(b"ab")
        stream.write(b"c")
    stream.close()
    forgotten = Writing(written.append)
    del forgotten
    broken = Writing(written.append)
    broken.write(b"half")
    broken.__exit__(KeyError, KeyError(), None)
    assert broken.closed
    assert written == [b"abc"]
