"""FileSink on a real HDFS: the contract, drivers that die or race, lost answers, troubles.

| case | what happens |
|---|---|
| the contract; rows from Spark, in strange partitions | as for a folder of this machine |
| a driver dies at a step, before or after | whole windows, once; the next start brings the rest |
| a request or its answer is lost | made good in the same run; nothing unfinished is published |
| two drivers | one holds each window |
| a foreign file, or a folder where a window goes | left alone; RowsLost |
| a quota is used up | StorageFailed; the next run goes on |
| a partition's value is too long for a name | FrameUnsuitable |
| Spark does not reach it by the path's host and port | StorageFailed, FolderUnsuitable |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from file_sink import FileSink
from file_sink.errors import FolderUnsuitable, FrameUnsuitable, RowsLost
from tests.file_sink.bench import Bench
from tests.file_sink.hdfs_world import HdfsWorld, files_of, rows_at
from tests.file_sink.world import LAYOUTS
from tests.windowlog.storage.hdfs_world import ask
from tests.windowlog.storage.lossy_proxy import LossyProxy
from windowed.testing.crash import Crash, Fuse
from windowed.testing.services.daemon import free_port
from windowed.testing.sink_contract import SinkContract
from windowlog.contracts import Sink
from windowlog.errors import Fenced, StorageFailed
from windowlog.storage import HdfsStorage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowed.testing.services import HdfsService

ROWS = [[("a", 1), ("b", 2)], [("b", 4), ("a", 3)]]
# A run of two windows has some ninety steps; all of them in `make soak`.
steps = pytest.mark.parametrize("step", [37, pytest.param(1, marks=pytest.mark.soak)])


class TestContract(SinkContract):
    """The contract, layout `windows`."""

    @pytest.fixture
    def place(self, on_hdfs: str) -> str:
        """A folder that is not there yet."""
        return f"{on_hdfs}/words"

    def sink(self, place: Any) -> Sink:
        """As Spark sees it, and how the driver gets there."""
        url = urlsplit(place)
        return FileSink(f"hdfs://cluster{url.path}", storage=f"webhdfs://{url.netloc}")

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """As pyarrow reads a copy."""
        return rows_at(place)


@pytest.fixture
def world(tmp_path: Path, on_hdfs: str) -> Callable[..., HdfsWorld]:
    """A new world for each call, in a folder of its own."""
    made: list[HdfsWorld] = []

    def make(layout: str = "windows", via: str = "") -> HdfsWorld:
        name = f"{len(made)}"
        url = f"{on_hdfs}/{name}"
        made.append(HdfsWorld(tmp_path / name, LAYOUTS[layout], [*ROWS], url=url, via=via))
        return made[-1]

    return make


@steps
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_driver_may_die_at_every_step_on_hdfs(
    world: Callable[..., HdfsWorld], after: bool, step: int
) -> None:
    """Before the restart a reader sees a beginning of the windows, after it all of them."""
    at, layout = 9 + 16 * after, "files" if after else "windows"
    while True:
        one, fuse = world(layout), Fuse(at, after=after)
        with suppress(Crash):
            one.driver(fuse.call).run(None, progress=False)
        one.check_prefix()
        one.drain()
        one.check_end()
        if not fuse.dead:
            break
        at += step
    assert at > 80


@pytest.mark.parametrize("loss", ["before", "after"])
@pytest.mark.parametrize("rest", [1, pytest.param(4, marks=pytest.mark.soak)])
def test_requests_or_their_answers_may_be_lost(
    world: Callable[..., HdfsWorld], on_hdfs: str, loss: Any, rest: int
) -> None:
    """Each seventh: made good in the same run, and nothing unfinished is published."""
    with LossyProxy(on_hdfs) as proxy:
        proxy.lose = lambda request: loss if request.number % 7 == rest else None
        one = world("partitions", via=proxy.url)
        one.drain()
        one.check_end()
        assert len(proxy.seen) > 100


@pytest.mark.parametrize(("verb", "every"), [("CREATE at the data node", 3), ("RENAME", 2)])
def test_answers_to_changes_may_be_lost(
    world: Callable[..., HdfsWorld], on_hdfs: str, verb: str, every: int
) -> None:
    """Every so many of a kind: what was carried out is found, what is in doubt is left behind."""
    with LossyProxy(on_hdfs) as proxy:
        count = [0]

        def lose(request: Any) -> Any:
            if not str(request).startswith(verb):
                return None
            count[0] += 1
            return "after" if count[0] % every == 0 else None

        proxy.lose = lose
        one = world("partitions", via=proxy.url)
        one.drain()
        one.check_end()
    assert count[0] > 10


@pytest.mark.parametrize("at", [20, 45, 70])
def test_of_two_drivers_on_hdfs_one_holds_each_window(
    world: Callable[..., HdfsWorld], at: int
) -> None:
    """One pauses before a step, the other does all that is to be done meanwhile. ‡"""
    one, count = world(), [0]

    def moment(name: str, action: Callable[[], Any]) -> Any:
        count[0] += 1
        if count[0] == at:
            one.drain()
            one.check_prefix()
        return action()

    with suppress(Fenced):
        one.driver(moment).run(None, progress=False)
    assert count[0] >= at
    one.drain()
    one.check_end()


def test_foreign_files_on_hdfs_are_left_alone(world: Callable[..., HdfsWorld]) -> None:
    """A file beside the windows stays; what stands where a window goes is refused, and stays."""
    one = world()
    del one.windows[1:]
    published = HdfsStorage(f"{one.url}/out")
    published.create("_notes", b"mine")
    one.drain()
    published.within("window_id=00000002").create("_other", b"theirs")
    one.windows.append(ROWS[1])
    with pytest.raises(RowsLost, match=r"hdfs://cluster/.*differs in .*Move it away"):
        one.drain()
    assert published.within("window_id=00000002").list() == ["_other"]
    ask(f"{one.url}/out/window_id=00000002", "DELETE", "DELETE", recursive="true")
    one.drain()
    one.check_end()
    assert published.read("_notes") == b"mine"


def test_a_quota_that_is_used_up_stops_the_window_and_nothing_else(
    world: Callable[..., HdfsWorld],
) -> None:
    """Said at once; readers keep what they have, and with more of it the next run goes on."""
    one = world()
    del one.windows[1:]
    one.drain()
    one.windows.append(ROWS[1])
    ask(one.url, "PUT", "SETQUOTA", namespacequota=1)
    with pytest.raises(StorageFailed, match=r"hdfs.*raise it"):
        one.drain()
    assert one.seen() == Counter(ROWS[0])
    ask(one.url, "PUT", "SETQUOTA", namespacequota=1000)
    one.drain()
    one.check_end()


@pytest.mark.spark
def test_spark_writes_to_hdfs_and_reads_whole_windows(
    spark: SparkSession, hdfs: HdfsService, on_hdfs: str
) -> None:
    """Counted by the footers, in partitions whose names HDFS would not take as they are."""
    path: Any = f"{hdfs.hdfs_url}{urlsplit(on_hdfs).path}/out"
    bench = Bench(path, storage=hdfs.webhdfs_url, partition_by=["k"])
    frame = spark.range(0, 6, 1, 2).selectExpr(
        "id AS n", "CASE WHEN id % 2 = 0 THEN 'a:b %41+c d/ü' ELSE 'x' END AS k"
    )
    bench.hold(frame)
    assert files_of(f"{on_hdfs}/out") == []
    bench.sink.committed(1)
    bench.publish(frame.where("n < 2"))
    found = spark.read.parquet(path)
    rows = Counter((row["n"], row["k"], row["window_id"]) for row in found.collect())
    names = ["a:b %41+c d/ü", "x"]
    assert rows == Counter(
        [(n, names[n % 2], 1) for n in range(6)] + [(n, names[n], 2) for n in range(2)]
    )
    assert [p.split("/")[0] for p in files_of(f"{on_hdfs}/out.staging")] == ["manifests", "marks"]


@pytest.mark.spark
def test_an_hdfs_that_spark_does_not_reach_is_said(
    spark: SparkSession, hdfs: HdfsService, on_hdfs: str
) -> None:
    """The driver reaches it by its web port, and can look at all; the path is Spark's alone."""
    folder, web = urlsplit(on_hdfs).path, urlsplit(hdfs.webhdfs_url).netloc
    cases: list[tuple[str, type[Exception], str]] = [
        (f"127.0.0.1:{free_port()}", StorageFailed, r"nobody who listens.*fs\.defaultFS"),
        (web, FolderUnsuitable, r"RPC port at hdfs://.*fs\.defaultFS"),
        ("no-such-host.invalid:8020", FolderUnsuitable, r"the name no-such-host\.invalid"),
    ]
    for number, (address, kind, told) in enumerate(cases):
        path: Any = f"hdfs://{address}{folder}/{number}"
        bench = Bench(path, storage=hdfs.webhdfs_url)
        with pytest.raises(kind, match=told):
            bench.hold(spark.range(3))
        assert files_of(f"{on_hdfs}/{number}") == []


@pytest.mark.spark
def test_a_value_that_is_too_long_for_a_name_of_hdfs_is_named(
    spark: SparkSession, hdfs: HdfsService, on_hdfs: str
) -> None:
    """As on a disk: what the name node says of it is Java's stack."""
    path: Any = f"{hdfs.hdfs_url}{urlsplit(on_hdfs).path}/out"
    bench = Bench(path, storage=hdfs.webhdfs_url, partition_by=["k"])
    with pytest.raises(FrameUnsuitable, match=r"column k makes .* of 302 bytes, of 255 .*: xxx"):
        bench.hold(spark.range(1).selectExpr("id", "repeat('x', 300) AS k"))
    assert files_of(f"{on_hdfs}/out") == []
