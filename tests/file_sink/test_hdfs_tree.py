"""HdfsTree on a real HDFS: each verb, when all is well."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

import pytest

from file_sink.hdfs_tree import HdfsTree
from file_sink.tree import Entry
from tests.file_sink.hdfs_world import Place
from tests.windowlog.storage.hdfs_world import ask, names_of
from tests.windowlog.storage.lossy_proxy import LossyProxy, verbs
from windowlog.access.webhdfs import WebHdfs
from windowlog.access.webhdfs_url import HdfsPlace
from windowlog.errors import RecordExists, RecordNotFound, StorageFailed, StorageUnsuitable


def test_a_look_says_what_stands_there(place: Place) -> None:
    """A file, a folder, nothing; a listing has names, kinds and sizes, in order."""
    file, folder = place.write("a.txt"), place / "b"
    place.tree.make(folder)
    assert [place.tree.kind(path) for path in (file, folder, place / "c")] == [
        "file",
        "folder",
        None,
    ]
    assert place.tree.list(place.path) == [Entry("a.txt", "file", 4), Entry("b", "folder", 0)]
    assert place.tree.list(place / "c") == []
    with pytest.raises(StorageUnsuitable, match="A file stands where a folder is wanted"):
        place.tree.list(file)


@pytest.mark.parametrize("verb", ["LISTSTATUS", "MKDIRS"])
def test_what_is_refused_is_neither_empty_nor_taken(place: Place, verb: str) -> None:
    """A folder that may not be looked into may have something in it."""
    place.proxy.lose = verbs(f"{verb} at the name node", "refuse")
    with pytest.raises(StorageUnsuitable, match="no rights"):
        (place.tree.list if verb == "LISTSTATUS" else place.tree.make)(place / "a")


def test_what_is_being_written_is_not_listed(place: Place) -> None:
    """By its name; other hidden files are somebody's."""
    for name in (f".x.{'0' * 16}.tmp", f"x.{'0' * 16}.tmp", ".x.0.tmp", ".x"):
        place.write(name)
    names = [entry.name for entry in place.tree.list(place.path)]
    assert names == [".x", ".x.0.tmp", f"x.{'0' * 16}.tmp"]


def test_a_folder_is_made_with_those_above_it(place: Place) -> None:
    """Any number of times; not where a file is, or below one."""
    file = place.write("file")
    for _ in range(2):
        place.tree.make(place / "a/b/c")
    assert place.tree.kind(place / "a/b/c") == "folder"
    for taken in (file, f"{file}/below"):
        with pytest.raises(RecordExists):
            place.tree.make(taken)


@pytest.mark.parametrize("durable", [True, False])
def test_a_folder_that_is_to_last_is_synced(place: Place, durable: bool) -> None:
    """Also one that is there: another driver's may not be in the name node's log yet. ‡"""
    place.tree.make(place / "a", durable=durable)
    assert ("SETTIMES" in [request.verb for request in place.proxy.seen]) is durable


def test_a_file_comes_whole_when_it_is_closed(place: Place) -> None:
    """Its bytes are on the data nodes' disks; before, nothing is there."""
    path = place / "ü a.txt"
    with place.tree.create(path) as stream:
        stream.write(b"one ")
        stream.write(b"two")
        assert names_of(place.url) == []
    with place.tree.open(path) as stream:
        assert (stream.read(3), stream.seek(4), stream.read()) == (b"one", 4, b"two")
    (written,) = [r for r in place.proxy.seen if (r.verb, r.at_data_node) == ("CREATE", True)]
    assert "SYNC_BLOCK" in written.query["createflag"][0]
    assert names_of(place.url) == ["ü a.txt"]


def test_a_file_is_created_in_a_folder_that_is_there_and_under_a_free_name(place: Place) -> None:
    """At once, before a byte is written; and when the name is taken meanwhile."""
    file = place.write("file")
    for taken in (file, place.path):
        with pytest.raises(RecordExists):
            place.tree.create(taken)
    for nowhere in (place / "no/file", f"{file}/below"):
        with pytest.raises(RecordNotFound):
            place.tree.create(nowhere)
    stream = place.tree.create(place / "late")
    place.write("late", b"theirs")
    stream.write(b"ours")
    with pytest.raises(RecordExists):
        stream.close()
    with place.tree.open(place / "late") as theirs:
        assert theirs.read() == b"theirs"


def test_what_is_not_there_is_not_found(place: Place) -> None:
    """By every verb that needs it; what is to be removed may be gone."""
    gone = place / "gone"
    for verb in (place.tree.open, place.tree.sync, place.tree.fingerprint):
        with pytest.raises(RecordNotFound, match="gone"):
            verb(gone)
    with pytest.raises(RecordNotFound, match="gone"):
        place.tree.rename(gone, place / "new")
    place.tree.remove(gone)


def test_a_rename_moves_files_and_folders_and_overwrites_nothing(place: Place) -> None:
    """Not even an empty folder, and never into one."""
    file = place.write("file")
    place.write("folder/inner")
    place.tree.make(place / "empty")
    for source in (file, place / "folder"):
        for taken in (place / "empty", place / "folder", file, source):
            with pytest.raises(RecordExists):
                place.tree.rename(source, taken)
        with pytest.raises(RecordNotFound) as raised:
            place.tree.rename(source, place / "no/new")
        assert raised.value.values["name"] == "no"
    assert names_of(f"{place.url}/empty") == []
    place.tree.rename(file, place / "empty/file")
    place.tree.rename(place / "folder", place / "moved")
    assert names_of(place.url) == ["empty", "moved"]
    assert names_of(f"{place.url}/moved") == ["inner"]


def test_a_sync_is_a_change_of_the_name_nodes(place: Place) -> None:
    """Of the time, which is now: it is in the log when it is answered, and all before it. ‡"""
    file = place.write("file")
    ask(f"{place.url}/file", "PUT", "SETTIMES", modificationtime=1)
    before = time.time() * 1000
    place.tree.sync(file)
    status: object = ask(f"{place.url}/file", "GET", "GETFILESTATUS")
    assert isinstance(status, dict)
    assert status["FileStatus"]["modificationTime"] >= int(before)


def test_a_fingerprint_tells_bytes_apart(place: Place) -> None:
    """Equal for equal ones, under any name; no byte is read."""
    files = [place.write(name, data) for name, data in (("a", b"1"), ("b", b"1"), ("c", b"2"))]
    one, same, other = map(place.tree.fingerprint, files)
    assert one == same != other
    assert "OPEN" not in [request.verb for request in place.proxy.seen]


def test_a_folder_is_removed_with_all_in_it_and_a_failure_hinders_nothing(place: Place) -> None:
    """It is swept later."""
    place.write("folder/inner/file")
    place.proxy.lose = verbs("DELETE at the name node", "before", times=1000)
    place.hasty().remove(place / "folder")
    place.proxy.lose = lambda request: None
    assert names_of(place.url) == ["folder"]
    place.tree.remove(place / "folder")
    assert names_of(place.url) == []


def test_records_are_kept_where_they_are_named_by_whom_the_tree_is(
    on_hdfs: str, proxy: LossyProxy
) -> None:
    """With odd letters in the folder; patience and user are the tree's."""
    tree = HdfsTree(f"{proxy.url}?user.name=alice", timeout_s=60, patience_s=0.1)
    ask(on_hdfs, "PUT", "MKDIRS", permission="777")
    records = tree.records(f"hdfs://cluster{urlsplit(on_hdfs).path}/ü%41 b")
    records.create("one", b"data")
    assert names_of(f"{on_hdfs}/%C3%BC%2541%20b") == ["one"]
    assert {request.query["user.name"][0] for request in proxy.seen} == {"alice"}
    proxy.lose = lambda request: "before"
    asked = len(proxy.seen)
    with pytest.raises(StorageFailed):
        records.list()
    assert len(proxy.seen) - asked < 5


def test_one_client_serves_all_verbs_and_each_thread_has_its_own(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept until it is closed, and then made anew; all is of one system."""
    made, closed = list[WebHdfs](), list[WebHdfs]()

    def make(at: HdfsPlace) -> WebHdfs:
        made.append(WebHdfs(at))
        return made[-1]

    monkeypatch.setattr("file_sink.hdfs_tree.WebHdfs", make)
    monkeypatch.setattr(WebHdfs, "close", lambda client: closed.append(client))
    file, tree = place.write("file"), HdfsTree(place.proxy.url)
    for _ in range(3):
        assert tree.kind(file) == "file"
    assert len(made) == 1
    with tree._client():
        assert tree.kind(file) == "file"
    assert len(made) == 2
    tree.close()
    assert sorted(map(id, closed)) == sorted(map(id, made))
    assert tree.kind(file) == "file"
    assert tree.one_system(place.path, "hdfs://cluster/another")
