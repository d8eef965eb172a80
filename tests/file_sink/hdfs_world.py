"""A world whose folder is on a real HDFS; what readers find there is asked without the sink."""

from __future__ import annotations

import shutil
import tempfile
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from file_sink import FileSink
from file_sink.hdfs_tree import HdfsTree
from tests.file_sink.readers import paths, rows_by_pyarrow, rows_of_json
from tests.file_sink.world import Moment, Told, World
from tests.windowlog.storage.hdfs_world import ask
from tests.windowlog.storage.lossy_proxy import LossyProxy
from windowed import Pipeline
from windowed.testing import RowsInput
from windowlog import WindowLog

SCHEMA = "word string, n bigint"
VERBS = ("kind", "list", "make", "create", "rename", "sync", "remove", "fingerprint")


def files_of(url: str) -> list[str]:
    """The relative paths of all files below a folder, hidden ones too."""
    try:
        found: Any = ask(url, "GET", "LISTSTATUS")
    except OSError:
        return []
    files: list[str] = []
    for each in found["FileStatuses"]["FileStatus"]:
        name = each["pathSuffix"]
        inner = [] if each["type"] == "FILE" else files_of(f"{url}/{quote(name)}")
        files += [name] if each["type"] == "FILE" else [f"{name}/{path}" for path in inner]
    return sorted(files)


def download(url: str, folder: Path, *, hidden: bool = True) -> Path:
    """A copy of a folder of HDFS, as a reader sees it now; without `hidden` files, if so told."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    place = urlsplit(url)
    for path in files_of(url):
        if path.rpartition("/")[2][0] == "." and not hidden:
            continue
        address = f"http://{place.netloc}/webhdfs/v1{place.path}/{quote(path)}?op=OPEN"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(address) as answer:
            (folder / path).write_bytes(answer.read())
    return folder


def rows_at(url: str) -> list[tuple[Any, ...]]:
    """The rows that pyarrow reads in a published folder of Parquet."""
    with tempfile.TemporaryDirectory() as folder:
        return rows_by_pyarrow(download(url, Path(folder, "out")))


class WatchedHdfs(HdfsTree):
    """An HdfsTree whose every step, and every step of the records in it, goes through `moment`."""

    def __init__(self, url: str, moment: Moment) -> None:
        super().__init__(url)
        self._moment = moment

    def __getattribute__(self, name: str) -> Any:
        verb = super().__getattribute__(name)
        if name not in VERBS:
            return verb
        moment = super().__getattribute__("_moment")
        return lambda *given, **more: moment(f"{name} {given[0]}", lambda: verb(*given, **more))

    def records(self, folder: str) -> Any:
        """Told, each verb."""
        return Told(super().records(folder), self._moment)


@dataclass
class HdfsWorld(World):
    """`url` is a folder on HDFS, for the sink's two; `via` is where the driver reaches HDFS."""

    url: str = ""
    via: str = ""

    @property
    def path(self) -> str:
        """The sink's path."""
        return f"hdfs://cluster{urlsplit(self.url).path}/out"

    def driver(self, moment: Moment | None = None) -> Pipeline:
        """As for a folder of this machine."""
        place = urlsplit(self.url)
        name_node = self.via or f"webhdfs://{place.netloc}"
        tree = name_node if moment is None else WatchedHdfs(name_node, moment)
        return Pipeline(
            "files",
            inputs={"rows": RowsInput(self.windows, schema=SCHEMA)},
            transform=lambda rows: rows,
            sinks={"out": FileSink(self.path, storage=tree, **self.arguments)},
            log=WindowLog(self.storage if moment is None else Told(self.storage, moment)),
        )

    def seen(self) -> Counter[tuple[Any, ...]]:
        """From a copy made now."""
        reader = rows_of_json if self.arguments.get("format") == "json" else rows_by_pyarrow
        return Counter(reader(download(f"{self.url}/out", self.base / "copy")))

    def check_end(self) -> None:
        """After all has been drained: every row, once; nothing staged; one manifest, one mark."""
        assert self.seen() == Counter(row for window in self.windows for row in window)
        assert [p for p in paths(self.base / "copy") if p.rpartition("/")[2][0] == "."] == []
        left = [path for path in files_of(f"{self.url}/out.staging") if "/." not in path]
        assert [path.split("/")[0] for path in left] == ["manifests", "marks"], left


class Place:
    """A folder, by its name for the tree and by its URL; a tree that goes through a proxy."""

    def __init__(self, url: str, proxy: LossyProxy) -> None:
        self.url = url
        self.proxy = proxy
        self.path = f"hdfs://cluster{urlsplit(url).path}"
        self.tree = HdfsTree(proxy.url, timeout_s=60, patience_s=20)
        ask(url, "PUT", "MKDIRS")

    def __truediv__(self, name: str) -> str:
        return f"{self.path}/{name}"

    def write(self, name: str, data: bytes = b"data") -> str:
        """A file, without the tree."""
        ask(f"{self.url}/{name}", "PUT", "CREATE", data)
        return self / name

    def hasty(self) -> HdfsTree:
        """A tree that gives up soon."""
        return HdfsTree(self.proxy.url, patience_s=0.1)
