"""What every test may use: the fixture `spark`, repeatable random examples, a count of skips."""

from __future__ import annotations

import os
import secrets
import signal
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from tests.machine import absent, need_java, on_ci

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.listeners import Listeners
    from windowed.testing.services import HdfsService, KafkaService

_Report = TypeVar("_Report", pytest.TestReport, pytest.CollectReport)

# The same examples on every run: a red build can be repeated. The profile "soak" looks further.
# How long an example takes says how busy the machine is, and nothing else.
_ANY_SPEED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", _ANY_SPEED, derandomize=True, max_examples=50)
settings.register_profile("soak", _ANY_SPEED, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# A script's background job has SIGINT ignored, and so would each child that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Spark would start its Python workers with whatever `python3` is first on the path.
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

# Each Spark of the tests lives for a short time, also those that they start and kill: Java's better
# compiler and its parallel collector take more than half of the processor then, and give nothing.
# Spark's launcher is one more Java.
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
os.environ.setdefault("SPARK_LAUNCHER_OPTS", _SHORT_LIVED)
os.environ.setdefault(
    "PYSPARK_SUBMIT_ARGS",
    f'--conf "spark.driver.defaultJavaOptions={_SHORT_LIVED}" pyspark-shell',
)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One small Spark session for the whole run; leaves nothing in the current folder.

    Mark a test that uses it with `@pytest.mark.spark`. Do not stop it, and put back what you set.
    """
    need_java()
    session = _start(tmp_path_factory.mktemp("spark"))
    yield session
    session.stop()


def _start(folder: Path) -> SparkSession:
    from pyspark.sql import SparkSession

    logging = folder / "log4j2.properties"
    logging.write_text("rootLogger.level = error\n")
    java_options = f"-Dlog4j2.configurationFile={logging} -Dderby.system.home={folder}"
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": java_options,
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"),
        "spark.jars": _kafka_jars(),
    }
    builder: SparkSession.Builder = SparkSession.builder
    return builder.master("local[2]").appName("tests").config(map=options).getOrCreate()


def _kafka_jars() -> str:
    """Spark's own Kafka source. Nothing where it cannot be had."""
    from windowed.testing.services import ServiceUnavailable
    from windowed.testing.services.spark_kafka import jars_of_spark_kafka

    try:
        return jars_of_spark_kafka()
    except ServiceUnavailable:
        return ""


@pytest.fixture(scope="session")
def spark_jars() -> str:
    """What a session of a test's own has on its class path."""
    return _kafka_jars()


@pytest.fixture(scope="session")
def windowed_spark(spark: SparkSession) -> SparkSession:
    """The pages for users name the kit's own fixture. Here all tests share one session."""
    return spark


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What runs side by side (`-n 3 --dist loadgroup`): files, and all tests of one Spark session
    or one server together, so that there is one of each. Sparks that tests start come one by one,
    beside the session."""
    for item in items:
        names: list[str] = getattr(item, "fixturenames", [])
        group = str(item.path)
        if "hdfs" in names or "services" in group or "secured" in names:
            group = "services"
        elif "spark" in names:
            group = "spark"
        elif "kafka" in names:
            group = "kafka"
        elif item.get_closest_marker("spark") is not None:
            group = "sparks"
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HdfsService]:
    """One real HDFS for the whole run. Work in a folder of your own, and leave it as it was."""
    from windowed.testing.services import HdfsService, ServiceUnavailable

    need_java()
    service = HdfsService(tmp_path_factory.mktemp("hdfs"))
    try:
        service.start()
    except ServiceUnavailable as error:
        absent(str(error))
    yield service
    service.stop()


@pytest.fixture
def on_hdfs(hdfs: HdfsService) -> str:
    """The URL of a folder on HDFS that is not there yet."""
    return f"{hdfs.webhdfs_url}/{secrets.token_hex(6)}"


@pytest.fixture(scope="session")
def listeners(tmp_path_factory: pytest.TempPathFactory) -> Listeners:
    """The secured ways into the tests' Kafka."""
    from tests.listeners import Listeners

    return Listeners(tmp_path_factory.mktemp("listeners"))


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory, listeners: Listeners) -> Iterator[KafkaService]:
    """One real Kafka for the whole run. Work on topics of your own, and leave it running. It has
    an authorizer, which lets everybody do what no ACL denies, and secured listeners."""
    from tests.listeners import PROTOCOLS
    from windowed.testing.services import KafkaService, ServiceUnavailable

    need_java()
    authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
    more = {"authorizer.class.name": authorizer, "allow.everyone.if.no.acl.found": "true"}
    service = KafkaService(
        tmp_path_factory.mktemp("kafka"), listeners=PROTOCOLS, more=more | listeners.settings()
    )
    try:
        service.start()
    except ServiceUnavailable as error:
        absent(str(error))
    listeners.admit(service.bootstrap)
    yield service
    service.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With CI=true a skipped test is a failed one."""
    return _strict((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """With CI=true a skipped module is a failed one."""
    return _strict((yield))


def _strict(report: _Report) -> _Report:
    # An expected failure (xfail) also reports itself as skipped; it is not.
    if report.skipped and not hasattr(report, "wasxfail") and on_ci():
        report.outcome = "failed"
        report.longrepr = f"{_reason(report)}\nWith CI=true nothing may be skipped."
    return report


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    return report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped, and why."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        terminalreporter.section(f"{sum(reasons.values())} skipped")
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count:5}  {reason.removeprefix('Skipped: ')}")
