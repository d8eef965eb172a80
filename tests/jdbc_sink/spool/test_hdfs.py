"""A spool on a real HDFS: tasks write there, the driver takes exactly what they counted; nothing
stays, neither there nor here."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import duckdb
import pytest

from jdbc_sink import JdbcSink
from jdbc_sink.spool.files import Incomplete, take
from jdbc_sink.spool.on_hdfs import HdfsSpool, HdfsSpools
from jdbc_sink.spool.source import SpoolWriter, options
from jdbc_sink.spool.stores import HdfsStore
from tests.file_sink.hdfs_world import files_of
from tests.jdbc_sink.spool.tasks import MANIFEST, SCHEMA, table
from tests.windowlog.storage.fake_name_node import nobody
from tests.windowlog.storage.hdfs_world import ask, names_of
from windowed import Pipeline
from windowed.testing import RowsInput
from windowlog import WindowLog
from windowlog.access.webhdfs_url import parse_place
from windowlog.errors import BadArgument, StorageFailed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = [("a", 1), ("b", 2), (None, 3)]


@pytest.fixture
def spools(on_hdfs: str) -> Iterator[HdfsSpools]:
    """Those of one sink."""
    found = HdfsSpools(parse_place(on_hdfs, {}), ("p", "s"))
    yield found
    found.close()


def write(spool: HdfsSpool, rows: list[Any], rows_per_file: int = 2, **given: Any) -> None:
    """What Spark does with one task, and with one more whose rows nobody counts."""
    writer = SpoolWriter(
        options(spool.folder, MANIFEST, SCHEMA, rows_per_file),
        store=lambda folder: HdfsStore(spool.login, folder),
    )
    lost = writer.write(iter(table([("lost", 1)]).to_batches()))
    message = writer.write(iter(table(rows).to_batches()))
    writer.commit([message, lost] if given.get("twice") else [message])


def test_exactly_the_counted_files_are_taken(
    spools: HdfsSpools, on_hdfs: str, tmp_path: Path
) -> None:
    """Those of an attempt that failed stay there, and are not even copied."""
    spool = spools.make("log", 1)
    write(spool, ROWS)
    assert len(files_of(on_hdfs)) == 4
    spool.fetch(tmp_path, MANIFEST)
    found = take(tmp_path, MANIFEST, SCHEMA)
    assert found.read().to_pylist() == table(ROWS).to_pylist()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_file_that_is_gone_or_has_other_rows_is_missed(
    spools: HdfsSpools, on_hdfs: str, tmp_path: Path
) -> None:
    """A list that is not there, too."""
    spool = spools.make("log", 1)
    with pytest.raises(Incomplete, match=f"{MANIFEST} is not there"):
        spool.fetch(tmp_path, MANIFEST)
    write(spool, ROWS, twice=True)
    folder = urlsplit(on_hdfs)._replace(path=spool.folder).geturl()
    victim = min(name for name in names_of(folder) if name != MANIFEST)
    assert ask(f"{folder}/{victim}", "DELETE", "DELETE") == {"boolean": True}
    with pytest.raises(Incomplete, match=f"{victim} is not there"):
        spool.fetch(tmp_path, MANIFEST)


def test_what_nobody_can_hold_any_more_is_swept(spools: HdfsSpools, on_hdfs: str) -> None:
    """Windows up to the held one, and those of other logs; what is to come stays."""
    for log, window in (("log", 7), ("log", 8), ("log", 9), ("other", 9)):
        spools.make(log, window)
    [sink] = names_of(on_hdfs)
    HdfsSpools(parse_place(on_hdfs, {}), ("p", "another")).sweep("log", 8)
    assert len(names_of(f"{on_hdfs}/{sink}")) == 4
    spools.sweep("log", 8)
    assert [name[:6] for name in names_of(f"{on_hdfs}/{sink}")] == ["log.9."]
    spools.close()
    assert names_of(f"{on_hdfs}/{sink}") == []


@pytest.mark.spark
@pytest.mark.parametrize("database", ["duckdb", "sqlite"])
def test_a_pipeline_loads_through_hdfs(
    spark: SparkSession,
    on_hdfs: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    database: str,
) -> None:
    """Windows one after the other, also an empty one; nothing stays."""
    # A folder of this test alone: other tests run beside it and make spools too.
    here = tmp_path / "tmp"
    here.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    ask(on_hdfs, "PUT", "MKDIRS")
    path = tmp_path / f"x.{database}"
    windows: list[list[tuple[str | None, int]]] = [[*ROWS], [], [("c", 3)]]
    sink = JdbcSink(f"{database}:///{path}", table="words", load="executors", spool=on_hdfs)
    assert sink.files()[1].startswith(f"{on_hdfs}/")
    pipeline = Pipeline(
        "spooled",
        inputs={"rows": RowsInput(windows, schema="word string, n bigint")},
        sinks={"out": sink},
        log=WindowLog.in_memory(),
        transform=lambda rows: rows.selectExpr("word", "n"),
    )
    pipeline.run(spark, progress=False)
    assert list(here.iterdir()) == []
    assert files_of(on_hdfs) == []
    found = _rows(path, database)
    assert sorted(found, key=repr) == sorted([*ROWS, ("c", 3)], key=repr)


def _rows(path: Path, database: str) -> list[Any]:
    """By the database's own driver."""
    connect: Any = duckdb.connect if database == "duckdb" else sqlite3.connect
    with closing(connect(str(path))) as connection:
        found: list[Any] = connection.execute("SELECT word, n FROM words").fetchall()
    return found


def test_an_hdfs_that_does_not_answer_is_an_error() -> None:
    """Passing: the next run goes on."""
    with nobody() as node:
        spools = HdfsSpools(parse_place(f"webhdfs://{node}/s?patience_s=0.1", {}), ())
        with pytest.raises(StorageFailed, match="making a folder"):
            spools.make("log", 1)
        spools.sweep("log", 1)
        spools.close()


@pytest.mark.parametrize(
    "spool", ["hdfs://nn:8020/spool", "webhdfs://nn:9870/a/../b", "s3a://bucket/x", "", 7]
)
def test_a_spool_that_cannot_be_is_refused(spool: Any) -> None:
    """On construction."""
    with pytest.raises(BadArgument, match=r"spool=|url="):
        JdbcSink("duckdb:///x.db", table="words", spool=spool)


def test_a_spool_on_hdfs_takes_no_ticket() -> None:
    """Tasks have none."""
    with pytest.raises(BadArgument, match="ticket"):
        JdbcSink("duckdb:///x.db", table="words", spool="webhdfs://nn/s?kerberos=true")
