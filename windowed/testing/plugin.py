"""Fixtures for the tests of your own pipelines, found by pytest wherever this package is installed.

Their names begin with `windowed_`. Nothing of Spark or DuckDB is imported before a test asks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyspark.sql import SparkSession

# A failed assertion of a contract shows its values, like one in the test itself.
pytest.register_assert_rewrite(
    "windowed.testing.input_contract",
    "windowed.testing.sink_contract",
    "windowed.testing.state_apart",
    "windowed.testing.state_contract",
    "windowed.testing.state_story",
    "windowed.testing.state_sweeping",
    "windowed.testing.storage_contract",
)

_LOGGING = "rootLogger.level = error\n"


@pytest.fixture(scope="session")
def windowed_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A small Spark session on this machine, started once for all tests: two cores, one partition
    after a shuffle, UTC, no web page, errors only, all its files in a temporary folder.

    If a session of yours is active already, it is that one, and is left running."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    folder = tmp_path_factory.mktemp("windowed_spark")
    logging = folder / "log4j2.properties"
    logging.write_text(_LOGGING)
    # Else Spark starts its Python workers with whatever `python3` is first on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    java = f"-Dlog4j2.configurationFile={logging} -Dderby.system.home={folder}"
    options: dict[str, bool | float | int | str | None] = {
        "spark.driver.extraJavaOptions": java,
        "spark.local.dir": str(folder / "local"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder: SparkSession.Builder = SparkSession.builder
    session = builder.master("local[2]").appName("tests").config(map=options).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def windowed_duckdb() -> Iterator[DuckDBPyConnection]:
    """An empty DuckDB database in memory, open: give it to JdbcSink, and ask it afterwards."""
    import duckdb

    with duckdb.connect() as connection:
        yield connection


@pytest.fixture
def windowed_log(tmp_path: Path) -> Path:
    """A folder for a window log, which is not there yet: `Pipeline(…, log=windowed_log)`."""
    return tmp_path / "windowed_log"
