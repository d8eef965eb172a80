"""KafkaInput keeps the contract of inputs, read as Arrow and by Spark."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from connectors import KafkaInput
from tests.connectors.kafka.world import Broker
from tests.listeners import Listeners
from windowed.testing import InputContract
from windowed.testing.services import KafkaService

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class TestKafkaInput(InputContract):
    """Without Spark: by the driver's own consumer. Three partitions, one of them always empty."""

    rows_per_window = 7

    @pytest.fixture
    def place(
        self, broker: Broker, kafka: KafkaService, listeners: Listeners, tmp_path: Path
    ) -> Iterator[Path]:
        """A topic of its own: its name is the place's. An input that has crashed here is let go of
        at the end, as its process would be."""
        self.broker = broker
        self.address = kafka.address("SECRET")
        self.client = listeners.client("SECRET")
        self.secrets = (self.client["sasl_plain_password"],)
        self.made: list[KafkaInput] = []
        yield tmp_path / broker.create(3)
        for one in self.made:
            one.close()

    def make(self, place: Path) -> KafkaInput:
        """Windows of a few records, by a listener that asks for a password."""
        one = KafkaInput(
            self.address,
            [place.name],
            max_records_per_window=self.rows_per_window,
            stall_timeout_s=10,
            client=self.client,
        )
        self.made.append(one)
        return one

    def add(self, place: Path, count: int) -> None:
        """Records into two of the partitions."""
        for partition in (0, 2):
            share = count // 2 if partition else count - count // 2
            values = [secrets.token_bytes(8) for _ in range(share)]
            self.broker.send(place.name, *values, partition=partition)


@pytest.mark.spark
class TestKafkaInputWithSpark(TestKafkaInput):
    """The same, as DataFrames; a window takes long."""

    rows_per_window = 25

    @pytest.fixture
    def session(self, spark: SparkSession) -> SparkSession:
        """The session of all tests."""
        return spark
