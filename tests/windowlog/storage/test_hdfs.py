"""HdfsStorage on a real HDFS, when all is well: the contract, and what is HDFS's own."""

from __future__ import annotations

import getpass
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.windowlog.storage.hdfs_world import ask, names_of
from tests.windowlog.storage.lossy_proxy import LossyProxy
from windowed.testing.services import HdfsService
from windowed.testing.storage_contract import StorageContract
from windowlog.contracts import Storage
from windowlog.errors import RecordExists, RecordNotFound, StorageFailed, StorageUnsuitable
from windowlog.storage import HdfsStorage, open_storage

HOUR_MS = 3600 * 1000


class TestHdfsStorage(StorageContract):
    """Files of a real HDFS, each verb a few requests."""

    walk_steps = 40

    @pytest.fixture
    def storage(self, on_hdfs: str) -> Storage:
        """A folder that does not exist yet."""
        return HdfsStorage(f"{on_hdfs}/state/log")

    def another(self, storage: Storage) -> Storage:
        """The same folder, opened anew."""
        return HdfsStorage(storage.describe())


def test_a_url_is_a_storage(on_hdfs: str) -> None:
    """Where a folder's path is taken, too; nothing is touched by that."""
    storage = open_storage(f"{on_hdfs}/a%20b?user.name=alice&timeout_s=3")
    assert isinstance(storage, HdfsStorage)
    assert storage.within("c").describe() == f"{on_hdfs}/a b/c"
    with pytest.raises(Exception, match="404"):
        ask(on_hdfs, "GET", "GETFILESTATUS")


@pytest.mark.parametrize(
    "name",
    ["a#LATEST", "#LATEST", "a%20b", "a?op=DELETE", "a;b&c=d+e", "a\\b", "a\nb", "日本 語", "~"],
)
def test_odd_names_are_names(on_hdfs: str, name: str) -> None:
    """Nothing in a name is taken for something else, by no server on the way."""
    storage = HdfsStorage(on_hdfs)
    storage.create(name, b"data")
    storage.sync(name)
    assert (storage.list(), storage.read(name), names_of(on_hdfs)) == ([name], b"data", [name])
    storage.rename(name, f"{name}2")
    storage.delete(f"{name}2")
    assert storage.list() == []


@pytest.mark.parametrize("name", ["a:b", "x" * 250])
def test_a_name_that_hdfs_does_not_take_is_refused_in_words(on_hdfs: str, name: str) -> None:
    """Before anything is there."""
    with pytest.raises(StorageUnsuitable, match="HDFS takes no such name"):
        HdfsStorage(on_hdfs).create(name, b"data")
    assert HdfsStorage(on_hdfs).list() == []


def test_a_folder_is_no_record(on_hdfs: str) -> None:
    """Its name is taken, and it cannot be read, synced, moved or deleted."""
    storage = HdfsStorage(on_hdfs)
    storage.within("folder").create("inner", b"data")
    with pytest.raises(RecordExists):
        storage.create("folder", b"data")
    storage.create("record", b"data")
    with pytest.raises(RecordExists):
        storage.rename("record", "folder")
    for verb in (storage.read, storage.sync):
        with pytest.raises(RecordNotFound):
            verb("folder")
    with pytest.raises(RecordNotFound):
        storage.rename("folder", "free")
    with pytest.raises(StorageFailed, match="deleting folder failed"):
        storage.delete("folder")
    assert storage.within("folder").list() == ["inner"]


def test_a_file_is_no_folder(on_hdfs: str) -> None:
    """Which is said, where it could speak of rights or of an empty place. ‡"""
    HdfsStorage(on_hdfs).create("file", b"data")
    storage = HdfsStorage(on_hdfs).within("file")
    for verb in (storage.list, lambda: storage.create("record", b"")):
        with pytest.raises(StorageUnsuitable, match="A file stands where a folder is wanted"):
            verb()


def test_nothing_unfinished_is_left_behind(on_hdfs: str) -> None:
    """Neither by a creation nor by one that was refused."""
    storage = HdfsStorage(on_hdfs)
    storage.create("record", b"data")
    with pytest.raises(RecordExists):
        storage.create("record", b"data")
    assert names_of(on_hdfs) == ["record"]


def test_what_killed_drivers_left_is_swept_by_a_later_creation(on_hdfs: str) -> None:
    """An hour older than another record, by the servers' clock; younger ones may be in use."""
    storage = HdfsStorage(on_hdfs)
    old, young = f".x.json.{'0' * 16}.tmp", f".x.json.{'1' * 16}.tmp"
    foreign = ".hidden.tmp"
    for name in (old, young, foreign):
        ask(f"{on_hdfs}/{name}", "PUT", "CREATE", overwrite="false")
    storage.create("record", b"")
    now = int(time.time() * 1000)
    for name, age_ms in ((old, 2 * HOUR_MS), (young, HOUR_MS // 2), (foreign, 9 * HOUR_MS)):
        ask(f"{on_hdfs}/{name}", "PUT", "SETTIMES", modificationtime=now - age_ms)
    assert storage.list() == ["record"]
    assert len(names_of(on_hdfs)) == 4
    storage.create("another", b"")
    assert set(names_of(on_hdfs)) == {young, foreign, "record", "another"}


def test_a_sync_makes_the_name_node_write_its_log(on_hdfs: str, hdfs: HdfsService) -> None:
    """What others did is seen before it is durable; a change of our own comes after it. ‡"""
    storage = HdfsStorage(on_hdfs)
    storage.create("record", b"data")
    syncs: list[Callable[[], object]] = [storage.sync, lambda: storage.sync("record")]
    for sync in syncs:
        # What tests before this one left half way may be finished by the servers meanwhile.
        assert any(_writes_nothing(hdfs, storage) for _ in range(9))
        before = edits(hdfs)
        sync()
        assert edits(hdfs) != before


def _writes_nothing(hdfs: HdfsService, storage: HdfsStorage) -> bool:
    """Do a listing and a read leave the name node's log as it is?"""
    before = edits(hdfs)
    storage.list()
    storage.read("record")
    return edits(hdfs) == before


def edits(hdfs: HdfsService) -> bytes:
    """What the name node's log holds; it is filled up with 0xff."""
    current = hdfs.folder / "namenode" / "current"
    (log,) = current.glob("edits_inprogress_*")
    return log.read_bytes().rstrip(b"\xff")


def test_blocks_are_on_the_disk_however_the_cluster_is_set_up(on_hdfs: str) -> None:
    """The data node is told to sync them: without dfs.datanode.synconclose it would not."""
    with LossyProxy(on_hdfs) as proxy:
        HdfsStorage(f"{proxy.url}{urlsplit(on_hdfs).path}").create("record", b"data")
        (write,) = [request for request in proxy.seen if request.at_data_node]
    assert re.split("%2C|,", write.query["createflag"][0]) == ["CREATE", "SYNC_BLOCK"]


def test_it_goes_on_in_a_forked_child(on_hdfs: str) -> None:
    """With connections of its own: two that read from one would get each other's answers."""
    storage = HdfsStorage(on_hdfs)
    storage.create("record", b"data")
    child = os.fork()
    if child == 0:
        ours = [storage.read("record") for _ in range(20)] == [b"data"] * 20
        os._exit(0 if ours else 1)
    assert [storage.read("record") for _ in range(20)] == [b"data"] * 20
    assert os.waitpid(child, 0)[1] == 0


def test_who_we_are_comes_from_the_url_the_environment_or_the_system(
    on_hdfs: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In this order; a token goes instead of a name."""
    path = urlsplit(on_hdfs).path
    monkeypatch.setenv("HADOOP_USER_NAME", "environment")
    with LossyProxy(on_hdfs) as proxy:
        HdfsStorage(f"{proxy.url}{path}?user.name=url").list()
        HdfsStorage(f"{proxy.url}{path}?user.name=url", user="argument").list()
        HdfsStorage(f"{proxy.url}{path}").list()
        monkeypatch.delenv("HADOOP_USER_NAME")
        HdfsStorage(f"{proxy.url}{path}").list()
        HdfsStorage(f"{proxy.url}{path}?delegation=abc").list()
        found = [(each.query.get("user.name"), each.query.get("delegation")) for each in proxy.seen]
    system = getpass.getuser()
    names = ["url", "argument", "environment", system]
    assert found == [*[([name], None) for name in names], (None, ["abc"])]
