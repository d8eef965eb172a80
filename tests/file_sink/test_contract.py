"""FileSink keeps the contract: both layouts, every format that pyarrow reads, with and without
Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from file_sink import FileSink
from tests.file_sink.readers import rows_by_pyarrow
from windowed.testing.sink_contract import SinkContract, SparkSinkContract
from windowlog.contracts import Sink


class Windows(SinkContract):
    """Parquet, a folder for each window."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """A folder that is not there yet."""
        return tmp_path / "words"

    def sink(self, place: Any) -> Sink:
        """The defaults."""
        return FileSink(place)

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """As pyarrow reads them."""
        return rows_by_pyarrow(place)


class TestWindows(Windows):
    """The contract, in layout `windows`."""


class TestFiles(Windows):
    """The contract, in layout `files`."""

    def sink(self, place: Any) -> Sink:
        """All windows' files in one folder."""
        return FileSink(place, layout="files")


class TestPartitioned(Windows):
    """The contract, with Hive partition folders."""

    def sink(self, place: Any) -> Sink:
        """A folder for each word."""
        return FileSink(place, layout="files", partition_by=["word"])


@pytest.mark.spark
class TestWindowsOfSpark(SparkSinkContract):
    """The contract, and rows from Spark."""

    place = Windows.place
    sink = Windows.sink
    rows = Windows.rows


@pytest.mark.spark
class TestFilesOfSpark(SparkSinkContract):
    """The contract, and rows from Spark, in Hive partition folders."""

    place = Windows.place
    sink = TestPartitioned.sink
    rows = Windows.rows
