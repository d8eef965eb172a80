"""Topics to measure with, on a real broker of the benchmark's own; and Spark's own ways of reading
them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow

from benchmarks.inputs import made_lines
from samples.session import local_session
from samples.wordcount import count_words
from windowed.testing.services import KafkaService
from windowed.testing.services.spark_kafka import jars_of_spark_kafka

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

VALUE_BYTES = 100
PARTITIONS = 4
_DIFFERENT = 20_000


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's place and size: as many records in each of PARTITIONS."""

    bootstrap: str
    name: str
    records: int


@contextmanager
def broker() -> Iterator[str]:
    """One that nobody else uses, for as long as it takes."""
    with KafkaService() as service:
        yield service.bootstrap


def kafka_session(name: str) -> SparkSession:
    """A session that finds Spark's own Kafka source."""
    given = os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    if "--jars" not in given:
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {jars_of_spark_kafka()} {given}"
    return local_session(name)


def filled(spark: SparkSession, bootstrap: str, records: int) -> Topic:
    """A new topic of lines of words, each VALUE_BYTES long."""
    from kafka import KafkaAdminClient
    from pyspark.sql import functions as f

    name = f"lines-{secrets.token_hex(4)}"
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    asked = {name: {"num_partitions": PARTITIONS, "replication_factor": 1}}
    admin.create_topics(asked, wait_for_metadata=True)
    admin.close()
    some = list(islice(made_lines(VALUE_BYTES, seed=2), min(records, _DIFFERENT)))
    table = pyarrow.table({"number": range(len(some)), "value": some})
    of_all = spark.range(records).withColumn("number", f.col("id") % len(some))
    lines = of_all.join(f.broadcast(spark.createDataFrame(table)), "number")
    placed = lines.select("value", (f.col("id") % PARTITIONS).cast("int").alias("partition"))
    writer = placed.write.format("kafka").option("kafka.bootstrap.servers", bootstrap)
    writer.option("kafka.batch.size", str(2**17)).option("topic", name).save()
    return Topic(bootstrap, name, records)


def count_values(records: DataFrame) -> DataFrame:
    """The word count, of records whose values are text."""
    return count_words(records.select(records["value"].cast("string")))


def plainly(spark: SparkSession, topic: Topic) -> DataFrame:
    """All of a topic, by Spark's own source."""
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", topic.bootstrap)
    return reader.option("subscribe", topic.name).load()


def streamed(spark: SparkSession, topic: Topic, window_records: int) -> DataFrame:
    """A topic as a stream, from its beginning, so many records a batch."""
    reader: DataStreamReader = spark.readStream.format("kafka")
    reader = reader.option("kafka.bootstrap.servers", topic.bootstrap)
    reader = reader.option("subscribe", topic.name).option("startingOffsets", "earliest")
    return reader.option("maxOffsetsPerTrigger", window_records).load()
