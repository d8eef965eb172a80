"""The `spark` reader: Spark's own Kafka source, where its package is on the class path, between
pinned offsets."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from connectors.kafka import spark_login
from connectors.kafka.parts import OffsetRange
from connectors.kafka.read import joined, rounds
from connectors.kafka.settings import Settings
from windowlog.access.unlogged import unlogged
from windowlog.errors import BadArgument

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

_FORMAT = "kafka"
_NOT_FOUND = re.compile("Failed to find (?:the )?data source")
_CONNECT = "pyspark.sql.connect"
_PACKAGE = "org.apache.spark:spark-sql-kafka-0-10_2.13"

# How many of the records that it has fetched Kafka's client hands on at a time. With its own 500,
# Spark's source read a million records of 100 bytes in 2.53 s (1.62 s of CPU), with 5,000 in 1.92
# (1.40), with 50,000 in 1.81 (1.28): two cores, median of five.
_POLL_RECORDS = 10_000

# kafka-python's names of what Spark's client has too, under the same name with dots.
_SHARED = (
    "check_crcs",
    "client_id",
    "client_rack",
    "fetch_max_bytes",
    "fetch_max_wait_ms",
    "fetch_min_bytes",
    "max_partition_fetch_bytes",
    "metadata_max_age_ms",
    "receive_buffer_bytes",
    "reconnect_backoff_max_ms",
    "reconnect_backoff_ms",
    "request_timeout_ms",
    "retry_backoff_ms",
    "send_buffer_bytes",
)


def is_there(spark: SparkSession) -> bool:
    """Whether this session finds Spark's Kafka source. It is asked for without any option, which it
    refuses where it is there."""
    try:
        spark.read.format(_FORMAT).load()
    except Exception as error:  # noqa: BLE001 (classic and Connect have kinds of their own)
        return _NOT_FOUND.search(str(error)) is None
    return True


def not_passed_on(settings: Settings) -> list[str]:
    """Names of options that this reader cannot take over. Files are not looked at."""
    known = {*_SHARED, *spark_login.TRANSLATED}
    given = {name for name, value in settings.client.items() if value is not None}
    return [*sorted(given - known), *spark_login.unfit(settings.client)]


def fits(spark: SparkSession, settings: Settings) -> bool:
    """Whether this reader can be used, in this session and with these options."""
    return not not_passed_on(settings) and _refusal(spark, settings) is None


def check_fits(spark: SparkSession, settings: Settings) -> None:
    """BadArgument if Spark's source is not there, or cannot be told how to log in."""
    refusal = _refusal(spark, settings)
    if refusal is not None:
        raise refusal


def _refusal(spark: SparkSession, settings: Settings) -> BadArgument | None:
    """What stands against it, beside options that it does not know."""
    if not is_there(spark):
        package = f"spark.jars.packages={_PACKAGE}:{spark.version}"
        allowed = f"'spark' only with Spark's own source: make the session with {package}"
        return BadArgument(argument="reader", value="spark", allowed=allowed)
    client = settings.client
    key = spark_login.unfit_key(client)
    if key is not None:
        allowed = (
            "with reader='spark' a key that Kafka's client for Java reads: openssl pkcs8 -topk8"
            " -in OLD -out NEW, and -nocrypt or -v1 PBE-SHA1-3DES; the other readers take this one"
        )
        return BadArgument(argument="client", value=key, allowed=allowed)
    if spark_login.is_secret(client) and type(spark).__module__.startswith(_CONNECT):
        allowed = (
            "'driver' or 'executors' with a password or key on Spark Connect, whose server writes"
            " options as they are into the event log"
        )
        return BadArgument(argument="reader", value="spark", allowed=allowed)
    return None


def check_options(settings: Settings) -> None:
    """BadArgument if this reader is asked for with options that it cannot take over."""
    left = not_passed_on(settings) if settings.reader == "spark" else []
    if left:
        allowed = "with reader='spark' only what Spark's own client can be told too"
        raise BadArgument(argument="client", value=left, allowed=allowed)


def in_spark(spark: SparkSession, settings: Settings, pieces: Sequence[OffsetRange]) -> DataFrame:
    """The rows of all ranges, read when they are needed, in as many tasks as there are ranges.
    Where this reader `fits`."""
    whole = joined(pieces)
    with unlogged():
        reader = _reader(spark, settings)
        frames = [
            _between(reader, [whole[number] for number in numbers])
            .option("minPartitions", str(len(pieces)))
            .load()
            for numbers in rounds(whole)
        ]
    return reduce(lambda one, other: one.unionAll(other), frames)


def _reader(spark: SparkSession, settings: Settings) -> DataFrameReader:
    timeout_ms = str(int(settings.stall_timeout_s * 1000))
    options = {
        "kafka.bootstrap.servers": settings.where,
        "kafka.isolation.level": "read_committed",
        "kafka.allow.auto.create.topics": "false",
        "kafka.max.poll.records": str(_POLL_RECORDS),
        "kafkaConsumer.pollTimeoutMs": timeout_ms,
        "includeHeaders": "true",
        "failOnDataLoss": "true",
    }
    client = settings.client
    given = {name: client[name] for name in _SHARED if client.get(name) is not None}
    options |= {f"kafka.{name.replace('_', '.')}": str(value) for name, value in given.items()}
    options |= spark_login.translated(client)
    return spark.read.format(_FORMAT).options(**options)


def _between(reader: DataFrameReader, pieces: Sequence[OffsetRange]) -> DataFrameReader:
    """Each partition from a given offset to a given one, and no other partition."""
    assigned: dict[str, list[int]] = {}
    starts: dict[str, dict[str, int]] = {}
    ends: dict[str, dict[str, int]] = {}
    for piece in pieces:
        assigned.setdefault(piece.topic, []).append(piece.partition)
        starts.setdefault(piece.topic, {})[str(piece.partition)] = piece.start
        ends.setdefault(piece.topic, {})[str(piece.partition)] = piece.end
    return (
        reader.option("assign", json.dumps(assigned))
        .option("startingOffsets", json.dumps(starts))
        .option("endingOffsets", json.dumps(ends))
    )
