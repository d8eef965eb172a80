"""One broker's topics for all tests here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.connectors.kafka.world import Broker
from windowed.testing.services import KafkaService

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

READERS = [
    "driver",
    pytest.param("executors", marks=pytest.mark.spark),
    pytest.param("spark", marks=pytest.mark.spark),
]


@pytest.fixture(scope="session")
def broker(kafka: KafkaService) -> Iterator[Broker]:
    """Make topics of your own in it."""
    broker = Broker(kafka.bootstrap)
    yield broker
    broker.close()


@pytest.fixture(params=READERS)
def how(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each reader, and the session that it needs."""
    spark: SparkSession | None = None
    if request.param != "driver":
        spark = request.getfixturevalue("spark")
    return {"reader": request.param, "spark": spark}
