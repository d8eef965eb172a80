"""HdfsStorage when a real HDFS is in trouble: what is waited for, and what is said.

| trouble | what happens |
|---|---|
| the name node is killed and comes back during a run | the run goes on |
| the data node is down | names are listed; records wait for it, then StorageFailed |
| servers hang | StorageFailed after the time-outs; what was under way is whole or not there |
| safe mode | records are read; changes wait for its end, then StorageFailed |
| quota used up | StorageFailed at once |
| no right to write, or to look | StorageUnsuitable at once |
| a standby name node, a dead one or one that starts is asked first | the other one is asked |
| no name node answers | StorageFailed, all of them named |
| two drivers race for a window | one of them is fenced |
"""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tests.windowlog.drafts import begun, draft, opened
from tests.windowlog.storage.fake_name_node import FakeNameNode
from tests.windowlog.storage.hdfs_world import ask
from windowed import Pipeline
from windowed.testing import ListSink, RowsInput
from windowed.testing.services import HdfsService
from windowlog import WindowLog
from windowlog.errors import Fenced, StorageFailed, StorageUnsuitable
from windowlog.storage import HdfsStorage

# Servers that come back do so within this, on a busy machine too; an answer at once is long before.
PATIENCE_S = 240.0
SOON_S = 50.0


@contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """Do `work` in a thread beside the body."""
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def changes(storage: HdfsStorage) -> list[Callable[[], object]]:
    """Verbs that change something."""
    return [
        lambda: storage.create("another", b""),
        lambda: storage.sync(),
        lambda: storage.delete("record"),
    ]


def test_a_name_node_may_be_killed_and_come_back_during_a_run(
    hdfs: HdfsService, on_hdfs: str
) -> None:
    """Nothing of the log is lost, and the run goes on by itself."""
    killed = list[threading.Thread]()

    def transform(lines: object, window: object) -> object:
        if not killed:
            hdfs.namenode.kill()
            killed.append(threading.Thread(target=hdfs.start))
            killed[0].start()
        return lines

    sink = ListSink()
    rows = [[(f"line {number}",)] for number in range(4)]
    pipeline = Pipeline(
        "made",
        inputs={"lines": RowsInput(rows, schema="value string")},
        transform=transform,
        sinks={"out": sink},
        log=WindowLog(f"{on_hdfs}?patience_s={PATIENCE_S}"),
    )
    try:
        pipeline.run(None, progress=False)
    finally:
        killed[0].join()
    assert sink.rows == [{"value": f"line {number}"} for number in range(4)]
    assert HdfsStorage(on_hdfs).within("windows").list()[-1] == "000000000004.json"


def test_records_wait_for_a_data_node(hdfs: HdfsService, on_hdfs: str) -> None:
    """Names need none. Where it stays away, that is said; nothing unfinished gets a name."""
    patient, hasty = (HdfsStorage(on_hdfs, patience_s=s) for s in (PATIENCE_S, 0.3))
    patient.create("record", b"data")
    hdfs.datanode.kill()
    try:
        assert hasty.list() == ["record"]
        for verb in (lambda: hasty.read("record"), lambda: hasty.create("another", b"")):
            with pytest.raises(StorageFailed, match="dfsadmin -report"):
                verb()
        assert hasty.list() == ["record"]
        with meanwhile(hdfs.start):
            patient.create("another", b"data")
    finally:
        hdfs.start()
    assert patient.read("another") == patient.read("record") == b"data"


@pytest.mark.parametrize(("method", "verb"), [("PUT", "CREATE"), ("GET", "OPEN")])
def test_a_name_node_leaves_out_data_nodes_by_their_address(
    on_hdfs: str, method: str, verb: str
) -> None:
    """As HdfsStorage asks it to, of those that were silent; by name it would not. ‡"""
    HdfsStorage(on_hdfs).create("record", b"data")
    for excluded, found in (("localhost", 307), ("127.0.0.1", 403)):
        place = urlsplit(f"{on_hdfs}/record?op={verb}&excludedatanodes={excluded}")
        connection = http.client.HTTPConnection(place.netloc)
        connection.request(method, f"/webhdfs/v1{place.path}?{place.query}")
        assert connection.getresponse().status == found
        connection.close()


@pytest.mark.parametrize("name", ["namenode", "datanode"])
def test_servers_that_hang_are_waited_for_no_longer_than_asked(
    hdfs: HdfsService, on_hdfs: str, name: str
) -> None:
    """And what was asked of them meanwhile is whole or not there when they go on."""
    HdfsStorage(on_hdfs).create("record", b"data")
    storage = HdfsStorage(on_hdfs, timeout_s=0.4, patience_s=0.4)
    daemon = getattr(hdfs, name)
    daemon.pause()
    began = time.monotonic()
    try:
        with pytest.raises(StorageFailed, match=r"has not answered within 0\.4 s"):
            storage.create("another", b"data")
        with pytest.raises(StorageFailed, match=r"has not answered within 0\.4 s"):
            storage.read("record")
        assert time.monotonic() - began < SOON_S
    finally:
        daemon.resume()
    patient = HdfsStorage(on_hdfs)
    assert patient.read("record") == b"data"
    assert all(patient.read(each) == b"data" for each in patient.list())


def test_a_safe_mode_is_waited_for(hdfs: HdfsService, on_hdfs: str) -> None:
    """Records are read meanwhile; a change that cannot wait says what it waited for."""
    patient, hasty = (HdfsStorage(on_hdfs, patience_s=s) for s in (PATIENCE_S, 0.3))
    patient.create("record", b"data")
    hdfs.safe_mode(True)
    try:
        assert (hasty.list(), hasty.read("record")) == (["record"], b"data")
        for verb in changes(hasty):
            with pytest.raises(StorageFailed, match="It leaves safe mode when"):
                verb()
    finally:
        with meanwhile(lambda: hdfs.safe_mode(False)):
            patient.create("another", b"data")
    assert patient.list() == ["another", "record"]


@pytest.mark.parametrize("quota", [{"namespacequota": 2}, {"storagespacequota": 100}])
def test_a_quota_that_is_used_up_is_said_at_once(on_hdfs: str, quota: dict[str, int]) -> None:
    """Of names or of bytes; the records that are there can be read."""
    storage = HdfsStorage(on_hdfs, patience_s=PATIENCE_S)
    storage.create("record", b"data")
    ask(on_hdfs, "PUT", "SETQUOTA", **quota)
    began = time.monotonic()
    with pytest.raises(StorageFailed, match="raise it"):
        storage.create("another", b"data")
    assert time.monotonic() - began < SOON_S
    assert (storage.list(), storage.read("record")) == (["record"], b"data")


def test_a_user_without_rights_is_refused_in_words(on_hdfs: str) -> None:
    """Who may look may not write; who may not even look sees no empty place."""
    HdfsStorage(on_hdfs).create("record", b"data")
    other = HdfsStorage(on_hdfs, user="somebody")
    assert (other.list(), other.read("record")) == (["record"], b"data")
    for verb in changes(other):
        with pytest.raises(StorageUnsuitable, match="Permission denied: user=somebody"):
            verb()
    ask(on_hdfs, "PUT", "SETPERMISSION", permission="700")
    looks: list[Callable[[], object]] = [other.list, lambda: other.read("record")]
    for verb in [*looks, lambda: other.sync("record")]:
        with pytest.raises(StorageUnsuitable, match="Permission denied: user=somebody"):
            verb()


@pytest.mark.parametrize("says", ["StandbyException", "RetriableException", "HTML", "nothing"])
def test_the_name_node_that_can_is_found_and_asked_first_from_then_on(
    on_hdfs: str, says: str
) -> None:
    """Whatever the first one says or does not say, also about a creation."""
    place = urlsplit(on_hdfs)
    with FakeNameNode(says) as fake:
        storage = HdfsStorage(f"webhdfs://{fake.authority},{place.netloc}{place.path}")
        storage.create("record", b"data")
        storage.rename("record", "moved")
        assert (storage.list(), storage.read("moved")) == (["moved"], b"data")
        assert fake.asked == 1


def test_a_name_node_that_is_not_there_is_passed_over(on_hdfs: str) -> None:
    """A closed port, and a name that nobody knows; both are named if no other one answers."""
    place, absent = urlsplit(on_hdfs), "127.0.0.1:9,no-such-host.invalid:9870"
    HdfsStorage(f"webhdfs://{absent},{place.netloc}{place.path}").create("record", b"data")
    assert HdfsStorage(on_hdfs).list() == ["record"]
    alone = HdfsStorage(f"webhdfs://{absent}{place.path}", patience_s=0.1)
    with pytest.raises(StorageFailed, match=r"127\.0\.0\.1:9 cannot.*no-such-host\.invalid:9870"):
        alone.list()


def test_of_two_drivers_one_owns_each_window(on_hdfs: str) -> None:
    """At the same moment, each with connections of its own; the other one is fenced."""
    begun(HdfsStorage(on_hdfs), 1)
    logs = [opened(HdfsStorage(on_hdfs), run_id=run_id) for run_id in ("run-a", "run-b")]
    start, outcomes = threading.Barrier(2), list[object]()

    def append(number: int) -> None:
        start.wait()
        try:
            logs[number].append(draft(2, run_id=f"run-{number}"))
            outcomes.append(number)
        except Fenced:
            outcomes.append(Fenced)

    threads = [threading.Thread(target=append, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [outcome for outcome in outcomes if outcome is not Fenced]
    assert opened(HdfsStorage(on_hdfs)).read(2).run_id == f"run-{winner}"
