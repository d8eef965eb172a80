"""State on a real HDFS: written by Spark's tasks or by the driver, with log and sink there too."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from file_sink import FileSink, FileState
from file_sink.errors import FolderUnsuitable
from tests.file_sink.hdfs_world import files_of, rows_at
from tests.file_sink.state.arrow_world import ArrowWorld
from tests.file_sink.state.totals import SCHEMA, WINDOWS, expected, rows_of, totals
from tests.windowlog.storage.hdfs_world import ask
from tests.windowlog.storage.lossy_proxy import LossyProxy
from windowed import Pipeline, windows
from windowed.testing import RowsInput
from windowed.testing.crash import Crash, Fuse
from windowlog import WindowLog
from windowlog.errors import StorageFailed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowed.testing.services import HdfsService

# A run has some two hundred and fifty steps; all of them in `make soak`.
steps = pytest.mark.parametrize("step", [53, pytest.param(1, marks=pytest.mark.soak)])


@pytest.mark.spark
def test_log_state_and_output_on_hdfs(spark: SparkSession, hdfs: HdfsService, on_hdfs: str) -> None:
    """Totals over three runs; the newest checkpoint is damaged between two of them; what is left
    there are two checkpoints."""
    place = f"{hdfs.hdfs_url}{urlsplit(on_hdfs).path}"

    def driver() -> Pipeline:
        return Pipeline(
            "totals",
            inputs={"lines": RowsInput(rows_of(WINDOWS), schema="word string")},
            transform=totals,
            sinks={"out": FileSink(f"{place}/out", storage=hdfs.webhdfs_url)},
            log=WindowLog(f"{on_hdfs}/log"),
            state=FileState(
                f"{place}/state", schema=SCHEMA, key=["word"], storage=hdfs.webhdfs_url
            ),
            checkpoint_every=2,
        )

    assert driver().run(spark, until=windows(3)).windows_run == 3
    newest = [f for f in files_of(f"{on_hdfs}/state") if "/states/000000000003." in f]
    ask(f"{on_hdfs}/state/{newest[0]}", "DELETE", "DELETE")
    summary = driver().run(spark, until=windows(2))
    assert (summary.windows_replayed, summary.window_ids[0]) == (1, 3)
    assert driver().run(spark).windows_replayed == 0
    assert sorted(rows_at(f"{on_hdfs}/out")) == sorted(
        (word, n) for window in expected(WINDOWS).values() for word, n in window.items()
    )
    left = files_of(f"{on_hdfs}/state")
    records = sorted(path.rpartition("/")[2] for path in left if "/checkpoints/" in path)
    assert records == ["000000000006.json", "000000000007.json"]
    assert {p.split("/")[2].split(".")[0] for p in left if "/states/" in p} == {
        "000000000006",
        "000000000007",
    }


@steps
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_driver_may_die_at_every_step_on_hdfs(
    tmp_path: Path, on_hdfs: str, after: bool, step: int
) -> None:
    """The next one finds a state that is whole, of the windows before."""
    at = 11 + 20 * after
    while True:
        world = ArrowWorld(tmp_path, url=f"{on_hdfs}/{at}")
        fuse = Fuse(at, after=after)
        with suppress(Crash):
            world.driver(fuse.call).run(None, progress=False)
        world.drain()
        world.check()
        if not fuse.dead:
            break
        at += step
    assert at > 150


@pytest.mark.parametrize("loss", ["before", "after"])
def test_requests_or_their_answers_may_be_lost(tmp_path: Path, on_hdfs: str, loss: Any) -> None:
    """Each seventh: made good in the same run."""
    with LossyProxy(on_hdfs) as proxy:
        proxy.lose = lambda request: loss if request.number % 7 == 3 else None
        world = ArrowWorld(tmp_path, url=on_hdfs, via=proxy.url)
        world.drain()
        world.check()
        assert len(proxy.seen) > 100


def test_a_quota_that_is_used_up(tmp_path: Path, on_hdfs: str) -> None:
    """Said at once; with more of it the next run goes on."""
    world = ArrowWorld(tmp_path, url=on_hdfs)
    more, world.windows = world.windows[3:], world.windows[:3]
    world.drain()
    world.windows += more
    ask(f"{on_hdfs}/state", "PUT", "SETQUOTA", namespacequota=1)
    with pytest.raises(StorageFailed, match=r"hdfs.*raise it"):
        world.drain()
    ask(f"{on_hdfs}/state", "PUT", "SETQUOTA", namespacequota=1000)
    world.drain()
    world.check()


@pytest.mark.spark
def test_a_port_that_spark_does_not_reach(
    tmp_path: Path, spark: SparkSession, hdfs: HdfsService, on_hdfs: str
) -> None:
    """The web port, in the path: said so, before a window is held."""
    web = urlsplit(hdfs.webhdfs_url).netloc
    path = f"hdfs://{web}{urlsplit(on_hdfs).path}/state"
    state = FileState(path, schema=SCHEMA, key=["word"], storage=hdfs.webhdfs_url)
    from tests.file_sink.state.totals import made
    from windowed.testing import ListSink

    sink = ListSink()
    with pytest.raises(FolderUnsuitable, match="RPC port"):
        made(tmp_path, WINDOWS, sink, state=state).run(spark)
    assert sink.store.windows == {}
