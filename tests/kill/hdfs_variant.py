"""A sink of files under fire whose log, staging and output are on a real HDFS. After a kill they
are copied as any reader would, and the copies are looked at as those of a disk are."""

from __future__ import annotations

import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote, urlsplit

from file_sink import FileSink
from tests.file_sink.hdfs_world import download
from tests.kill.files_variant import LAYOUTS, FilesVariant

HDFS_LAYOUTS = tuple(name for name in LAYOUTS if name != "rolled")
"""HDFS cannot exchange two folders in one step."""


@dataclass(frozen=True)
class HdfsVariant(FilesVariant):
    """`web` is a folder that is not there yet, webhdfs://…; `cluster` how Spark finds HDFS."""

    web: str = ""
    cluster: str = ""
    delay_max_s: ClassVar[float] = 1.0
    spark_lines: ClassVar[tuple[int, int]] = 40, 120

    def save(self, root: Path) -> None:
        """Write it down."""
        (root / "variant").write_text(f"hdfs {self.layout} {self.web} {self.cluster}")

    def log(self, root: Path) -> str:
        """The log's place."""
        return f"{self.web}/state"

    def sink(self, root: Path) -> FileSink:
        """The sink under fire."""
        place = urlsplit(self.web)
        options = LAYOUTS[self.layout]
        storage = f"webhdfs://{place.netloc}"
        return FileSink(f"{self.cluster}{place.path}/out", storage=storage, **options)

    def fetch(self, root: Path) -> None:
        """Copies of plans and manifests, and then of what is published: what comes to be seen
        meanwhile was held before."""
        for folder in ("state/windows", "out.staging/manifests", "out.staging/marks"):
            # Without records that were never finished. Elsewhere such a file is a violation.
            download(f"{self.web}/{folder}", root / folder, hidden=False)
        download(f"{self.web}/out", root / "out")

    def plan(self, root: Path, name: str) -> bytes:
        """The record of a plan."""
        return read_file(f"{self.web}/state/windows/{name}")


def read_file(url: str) -> bytes:
    """A file of HDFS, read without the kit."""
    place = urlsplit(url)
    address = f"http://{place.netloc}/webhdfs/v1{quote(place.path)}?op=OPEN"
    with urllib.request.urlopen(address) as answer:
        data: bytes = answer.read()
    return data
