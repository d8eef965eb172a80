"""What can be known of an input on HDFS without one: arguments, places, reads of a network."""

from __future__ import annotations

import json
import random
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from connectors import FileInput
from connectors.files.doors import AHEAD_BYTES, BLOCK_BYTES, Blocks
from connectors.files.hdfs_folder import HdfsFolder
from connectors.files.places import reader_for
from file_sink import FileSink
from jdbc_sink import JdbcSink, accumulate
from windowed import Pipeline
from windowlog.access.hdfs_path import name_nodes
from windowlog.access.webhdfs import WebHdfs
from windowlog.access.webhdfs_url import parse_place
from windowlog.errors import BadArgument, StorageFailed, StorageUnsuitable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATA = random.Random(1).randbytes(3 * BLOCK_BYTES + 100)
WEB = "webhdfs://nn:9870"


@pytest.mark.parametrize("path", ["hdfs://nn:8020/a/b", "hdfs://nn:8020//a/b/"])
@pytest.mark.parametrize("storage", [WEB, None, name_nodes(WEB, {"token": "x"})])
def test_a_folder_of_hdfs_has_one_name(path: str, storage: Any) -> None:
    """However it is written; the log would take another spelling for another place."""
    identity = FileInput(path, storage=storage).identity()
    assert (identity.kind, identity.place) == ("files/lines", "hdfs://nn:8020/a/b")


@pytest.mark.parametrize("path", ["hdfs://nn:8020/in/.snapshot/s0", "hdfs://nn:8020/.reserved/a"])
def test_a_folder_in_a_snapshot_is_refused(path: str) -> None:
    """A file's number leads to its newest bytes, not to those of the snapshot."""
    with pytest.raises(BadArgument, match="not in a snapshot"):
        FileInput(path)


@pytest.mark.parametrize("number", [None, 0, 16385])
def test_a_name_node_that_does_not_number_files_is_refused(
    number: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All files of a proxy that says 0 of each would be one. The first number is 16386."""
    listed: dict[str, Any] = {"pathSuffix": "a.txt", "type": "FILE", "length": 1}
    listed["modificationTime"] = 0
    if number is not None:
        listed["fileId"] = number
    answer = {"FileStatuses": {"FileStatus": [listed]}}
    monkeypatch.setattr(WebHdfs, "ask", lambda *_: answer)
    folder = HdfsFolder("hdfs://nn:8020/in", name_nodes(WEB, {}))
    with pytest.raises(StorageUnsuitable, match="Name the name nodes themselves"):
        folder.walk(re.compile(".*"), "lines")


@pytest.mark.parametrize("path", ["hdfs://cluster/a", "hdfs://nn:9000/a"])
def test_a_name_node_that_cannot_be_known_is_asked_for(path: str) -> None:
    """As a file sink asks."""
    with pytest.raises(BadArgument, match=r'^storage=None .*"webhdfs://NAMENODE:9870"'):
        FileInput(path)
    FileInput(path, storage="webhdfs://nn1,nn2")


@pytest.mark.parametrize(
    ("path", "storage"),
    [
        ("/a", WEB),
        ("hdfs://nn:8020/", WEB),
        ("hdfs://nn:8020/a/../b", None),
        ("hdfs://nn:8020/a", "nn:9870"),
        ("hdfs://nn:8020/a", "webhdfs://nn:9870/a"),
        ("hdfs://nn:8020/a", parse_place(f"{WEB}/a", {})),
        ("hdfs://nn:8020/a", 7),
    ],
)
def test_what_does_not_go_together_is_refused(path: str, storage: Any) -> None:
    """On construction; nothing is touched."""
    with pytest.raises(BadArgument, match=r"hdfs://NAMENODE|without a folder"):
        FileInput(path, storage=storage)


def test_tasks_without_a_ticket_are_refused() -> None:
    """A Kerberos ticket is the driver's alone."""
    folder: Any = SimpleNamespace(in_tasks=False)
    with pytest.raises(BadArgument, match="ticket"):
        reader_for(folder, "executors")
    assert reader_for(folder, "auto") == "auto"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("hdfs://nn:8020/in/out/part-1", True),
        ("hdfs://NN:8020/in/part-1", True),
        ("hdfs://nn:8020/in/_out/part-1", False),
        ("hdfs://nn:8020/in.staging/part-1", False),
        ("hdfs://other:8020/in/part-1", False),
        ("webhdfs://nn:9870/in/state/windows/1", True),
        ("webhdfs://nn2:9870,nn:9870/in/state/windows/1", True),
        ("webhdfs://nn:9870/in/.state/windows/1", False),
        ("webhdfs://other:9870/in/state/windows/1", False),
        ("hdfs:in/part-1", False),
        ("/in/part-1", False),
    ],
)
def test_which_places_an_input_on_hdfs_would_read(written: str, read: bool) -> None:
    """Of a sink, by Spark's name of the cluster; of a log, by its name nodes."""
    assert FileInput("hdfs://nn:8020/in", storage=WEB).reads(written) is read


def test_a_log_on_hdfs_that_the_input_would_read_is_refused() -> None:
    """Each window would give the next one something to read, for ever; so would files."""
    source = FileInput("hdfs://nn:8020/in", storage=WEB)
    sink = JdbcSink("duckdb:///:memory:", table="t", mode=accumulate(["a"], add=["b"]))

    def pipeline(log: str, **sinks: Any) -> Pipeline:
        inputs = {"lines": source}
        return Pipeline("p", inputs=inputs, transform=lambda lines: lines, sinks=sinks, log=log)

    with pytest.raises(BadArgument, match="feed itself"):
        pipeline(f"{WEB}/in/state", counts=sink)
    with pytest.raises(BadArgument, match="feed itself"):
        pipeline(f"{WEB}/state", files=FileSink("hdfs://nn:8020/in/out", storage=WEB))
    pipeline(f"{WEB}/in/_state", counts=sink)


def test_a_sink_on_hdfs_is_in_no_folder_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its URL looked like a path below the present folder."""
    monkeypatch.chdir(tmp_path)
    assert not FileInput(".").reads("hdfs://nn:8020/out/part-1")


class _Listener(BaseHTTPRequestHandler):
    """A name node that lets nobody in, and remembers what was asked."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Any verb. It repeats the token."""
        self.asked.append(self.path)
        said = {"exception": "SecurityException", "message": "no Geheimnis+1"}
        body = json.dumps({"RemoteException": said}).encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.mark.spark
def test_a_token_is_nowhere_to_be_seen(
    spark: SparkSession, capfd: pytest.CaptureFixture[str]
) -> None:
    """In no identity, query or message; tasks have it, and speak of it as little."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Listener) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"webhdfs://127.0.0.1:{server.server_port}"
        storage = name_nodes(url, {"token": "Geheimnis+1", "patience_s": 0.1})
        source = FileInput("hdfs://nn:8020/in", storage=storage)
        shown = [repr([source, source.identity(), vars(source), storage])]
        frame = HdfsFolder("hdfs://nn:8020/in", storage).load(spark, [[("/a", "a", 0, 4, "", "")]])
        frame.explain(True)
        with pytest.raises(Exception, match="HdfsError: no …") as refused:
            frame.collect()
        server.shutdown()
    with pytest.raises(Exception, match="delegation=…") as unreached:
        frame.collect()
    with pytest.raises(StorageFailed) as failed:
        source.bounds()
    shown += [str(each.value) for each in (refused, unreached, failed)]
    shown += capfd.readouterr()
    assert "delegation=Geheimnis%2B1" in _Listener.asked[0]
    assert "windowed_lines_hdfs" in "".join(shown)
    assert "Geheimnis" not in "".join(shown)


def test_blocks_give_the_bytes_that_are_there() -> None:
    """Wherever they are asked for, and none behind the size that was known."""
    size = len(DATA) - 50
    rng = random.Random(2)

    def fetch(offset: int, length: int) -> bytes:
        assert 0 <= offset < offset + length <= size
        return DATA[offset : offset + length]

    blocks = Blocks(fetch, size)
    for _ in range(300):
        offset, length = rng.randrange(len(DATA) + 10), rng.choice([0, 1, 100, 5000, 2**20])
        assert blocks.read(length, offset) == DATA[:size][offset : offset + length]


def test_blocks_ask_seldom() -> None:
    """A small file once, wherever it is looked at; lines in order in large pieces."""
    asked: list[tuple[int, int]] = []

    def fetch(offset: int, length: int) -> bytes:
        asked.append((offset, length))
        return bytes(length)

    small = Blocks(fetch, 1000)
    for offset in (996, 0, 500):
        small.read(4, offset)
    assert asked == [(0, 1000)]
    asked.clear()
    large = Blocks(fetch, 4 * AHEAD_BYTES)
    for offset in range(0, 4 * AHEAD_BYTES, 2**20):
        large.read(2**20, offset)
    assert len(asked) == 4


def test_blocks_pass_on_that_a_file_has_become_shorter() -> None:
    """Truncated after its size was told: fewer bytes, and then none."""
    blocks = Blocks(lambda offset, length: b"abc"[offset:], 10)
    assert blocks.read(10, 0) == b"abc"
    assert blocks.read(4, 6) == b""
