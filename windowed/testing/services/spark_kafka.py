"""Spark's own Kafka source, for a session on this machine."""

from __future__ import annotations

from windowed.testing.services.java import fetch_jars


def jars_of_spark_kafka() -> str:
    """Its jars, as the option `spark.jars` takes them: a class path is chosen at the start. Fetched
    once. Raises ServiceUnavailable where they cannot be had."""
    import pyspark

    version = ".".join([*pyspark.__version__.split(".")[:2], "0"])
    module = "spark-sql-kafka-0-10_2.13"
    folder = fetch_jars("Spark's Kafka source", "org.apache.spark", module, version)
    return ",".join(str(jar) for jar in sorted(folder.glob("*.jar")))
