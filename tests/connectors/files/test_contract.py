"""FileInput passes the contract of inputs: without Spark, with each reader, and on HDFS."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest

from connectors import FileInput
from tests.windowlog.storage.hdfs_world import ask
from windowed.testing.input_contract import InputContract

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_numbers = itertools.count()


class TestFileInput(InputContract):
    """Two files that grow, in windows of a few lines."""

    reader = "driver"

    def make(self, place: Path) -> FileInput:
        """Some seven lines in a window."""
        return FileInput(place, max_bytes_per_window=100, reader=self.reader)

    def add(self, place: Path, count: int) -> None:
        """Lines of about 13 bytes, in turn in two files."""
        for number in itertools.islice(_numbers, count):
            with open(place / f"{number % 2}.txt", "a") as file:
                file.write(f"line {number:06}\n")


@pytest.mark.spark
class TestWithSparkInTheDriver(TestFileInput):
    """The driver reads, Spark gets a DataFrame."""

    @pytest.fixture
    def session(self, spark: SparkSession) -> SparkSession:
        """The tests' own."""
        return spark


@pytest.mark.spark
class TestWithSparkInExecutors(TestWithSparkInTheDriver):
    """Tasks read."""

    reader = "executors"


class TestOnHdfs(InputContract):
    """Two files of a real HDFS, in windows of some seventeen lines."""

    @pytest.fixture
    def place(self, on_hdfs: str) -> Any:
        """A folder on HDFS."""
        ask(on_hdfs, "PUT", "MKDIRS")
        return on_hdfs

    def make(self, place: Any) -> FileInput:
        """As Spark would see it."""
        url = urlsplit(place)
        storage = f"webhdfs://{url.netloc}"
        return FileInput(f"hdfs://cluster{url.path}", storage=storage, max_bytes_per_window=220)

    def add(self, place: Any, count: int) -> None:
        """Lines of about 13 bytes: half of them more in one file, the others in a new one."""
        text = [f"line {number:06}\n".encode() for number in itertools.islice(_numbers, count)]
        half = count // 2
        ask(f"{place}/new-{next(_numbers)}.txt", "PUT", "CREATE", b"".join(text[half:]))
        if half and not _append(f"{place}/grows.txt", text[:half]):
            ask(f"{place}/grows.txt", "PUT", "CREATE", b"".join(text[:half]))


def _append(url: str, lines: list[bytes]) -> bool:
    """False if there is no such file."""
    try:
        ask(url, "POST", "APPEND", b"".join(lines))
    except HTTPError:
        return False
    return True
