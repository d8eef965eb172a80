"""A process of its own that shows whatever can be shown of pipelines that log in: run by
test_leaks.py, with its settings as JSON on the standard input.

Python logs at DEBUG, Kafka's client for Java and Spark's source too; Spark keeps an event log.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connectors import KafkaInput
from file_sink import FileSink
from windowed import Pipeline

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG4J = """rootLogger.level = info
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.target = SYSTEM_ERR
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d %p %c: %m%n%ex
logger.kafka.name = org.apache.kafka
logger.kafka.level = debug
logger.source.name = org.apache.spark.sql.kafka010
logger.source.level = debug
logger.plans.name = org.apache.spark.sql.execution
logger.plans.level = debug
"""
_MODES = ("simple", "extended", "codegen", "cost", "formatted")


def main() -> None:
    """One pipeline for each reader, then reads that fail."""
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    given = json.load(sys.stdin)
    folder = Path(given["folder"])
    spark = session(folder, given["jars"])
    for reader in ("driver", "executors", "spark"):
        source = KafkaInput(**given["input"], reader=reader)
        tell(repr(source), vars(source), source.identity())
        run(spark, folder / reader, source)
    for wrong in ({"sasl_plain_password": given["wrong"]}, {"ssl_password": given["wrong"]}):
        options = given["input"] | {"client": given["input"]["client"] | wrong}
        shown(lambda options=options: run(spark, folder / "x", KafkaInput(**options)))
    for failing in given["failing"]:
        shown(lambda failing=failing: spark_reads(spark, given, failing))
    spark.stop()


def tell(*values: object) -> None:
    """As a notebook shows them."""
    sys.stdout.write(" ".join(map(str, values)) + "\n")


def session(folder: Path, jars: str) -> SparkSession:
    """With all that Spark can write down."""
    from pyspark.sql import SparkSession

    (folder / "events").mkdir()
    logging_settings = folder / "log4j2.properties"
    logging_settings.write_text(_LOG4J)
    builder: SparkSession.Builder = SparkSession.builder
    return (
        builder.master("local[2]")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.dir", (folder / "events").as_uri())
        .config("spark.eventLog.compress", "false")
        .config("spark.eventLog.logBlockUpdates.enabled", "true")
        .config("spark.sql.debug.maxToStringFields", "1000")
        .config("spark.sql.maxPlanStringLength", str(2**24))
        .config("spark.ui.enabled", "false")
        .config("spark.jars", jars)
        .config("spark.sql.shuffle.partitions", "2")
        .config(
            "spark.driver.extraJavaOptions",
            f"-Dlog4j2.configurationFile={logging_settings} -Dderby.system.home={folder}",
        )
        .getOrCreate()
    )


def run(spark: SparkSession, folder: Path, source: KafkaInput) -> None:
    """All of a topic into files; the frame is explained in every way."""

    def transform(topic: Any) -> Any:
        for mode in _MODES:
            topic.explain(mode=mode)
        tell(topic, topic.schema.json())
        return topic.selectExpr("cast(value as string) as value")

    pipeline = Pipeline(
        f"told-{folder.name}",
        inputs={"topic": source},
        transform=transform,
        sinks={"out": FileSink(str(folder / "out"), format="json")},
        log=str(folder / "log"),
    )
    tell(repr(pipeline), pipeline.run(spark, progress=False))


def spark_reads(spark: SparkSession, given: dict[str, Any], failing: dict[str, Any]) -> None:
    """A read of offsets that are not there, or with a log-in that fails where Spark reads."""
    from connectors.kafka.parts import OffsetRange
    from connectors.kafka.settings import checked
    from connectors.kafka.spark_source import in_spark

    options = {
        "pattern": None, "start": "earliest", "fallback": "earliest", "stop_at": None,
        "max_records_per_window": 5, "group_id": None, "reader": "spark", "stall_timeout_s": 5,
    } | given["input"]  # fmt: skip
    settings = checked(**options | {"client": options["client"] | failing["client"]})
    piece = OffsetRange(options["topics"][0], "x", 0, failing["start"], failing["end"])
    tell(in_spark(spark, settings, [piece]).collect())


def shown(work: Any) -> None:
    """What a person sees of a failure."""
    try:
        work()
    except Exception:  # noqa: BLE001 (whatever it is)
        traceback.print_exc()
        tell("failed as it should")
    else:
        tell("did not fail")


if __name__ == "__main__":
    main()
