"""FileInput passes the contract of inputs: without Spark, and with each reader."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from connectors import FileInput
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
