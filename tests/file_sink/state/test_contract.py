"""FileState obeys the contract of a state's store: on this machine, with frames of Arrow and of
Spark, and on HDFS."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from file_sink import FileState
from tests.file_sink.hdfs_world import files_of
from tests.windowlog.storage.hdfs_world import ask
from windowed.testing import StateContract
from windowed.testing.rows import parse_schema
from windowlog.state_store import StateStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def flipped(data: bytes) -> bytes:
    """With another byte in the middle."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


class TestHere(StateContract):
    """A folder of this machine."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """Not there yet."""
        return tmp_path / "state"

    def store(self, place: Any, schema: str = "word string, n bigint") -> StateStore:
        """As a new driver makes it."""
        return FileState(place, schema=parse_schema(schema), key=["word"])

    def listing(self, place: Any) -> Sequence[str]:
        """Without empty folders."""
        return [str(p.relative_to(place)) for p in sorted(place.rglob("*")) if p.is_file()]

    def damage(self, place: Any, name: str) -> None:
        """One byte."""
        path = place / name
        path.write_bytes(flipped(path.read_bytes()))

    def lose(self, place: Any, name: str) -> None:
        """The file."""
        (place / name).unlink()


class TestOnHdfs(StateContract):
    """A folder of a real HDFS."""

    @pytest.fixture
    def place(self, on_hdfs: str) -> str:
        """Not there yet."""
        return f"{on_hdfs}/state"

    def store(self, place: Any, schema: str = "word string, n bigint") -> StateStore:
        """As Spark sees it, and how the driver gets there."""
        url = urlsplit(place)
        path, storage = f"hdfs://cluster{url.path}", f"webhdfs://{url.netloc}"
        return FileState(path, schema=parse_schema(schema), key=["word"], storage=storage)

    def listing(self, place: Any) -> Sequence[str]:
        """As the name node lists it."""
        return files_of(place)

    def damage(self, place: Any, name: str) -> None:
        """A file of the same length in its place."""
        import urllib.request

        url = urlsplit(f"{place}/{name}")
        with urllib.request.urlopen(f"http://{url.netloc}/webhdfs/v1{url.path}?op=OPEN") as answer:
            data = answer.read()
        ask(f"{place}/{name}", "DELETE", "DELETE")
        ask(f"{place}/{name}", "PUT", "CREATE", flipped(data))

    def lose(self, place: Any, name: str) -> None:
        """The file."""
        ask(f"{place}/{name}", "DELETE", "DELETE")


@pytest.mark.spark
class TestWithSpark(TestHere):
    """Frames of Spark."""

    @pytest.fixture
    def session(self, spark: SparkSession) -> Any:
        """The tests' own."""
        return spark
