"""Small windows of a topic: 1,000 records each, against Structured Streaming's own Kafka source."""

from __future__ import annotations

from pathlib import Path

from benchmarks.against_stream import Match, Sizes, against_stream
from benchmarks.command import alone
from benchmarks.kafka_topic import broker, count_values, filled, kafka_session, streamed
from benchmarks.result import Result
from connectors import KafkaInput

FULL = Sizes(windows=100, warm_up=30, lines=1000)
QUICK = Sizes(windows=20, warm_up=10, lines=1000)


def measure(sizes: Sizes, folder: Path) -> Result:
    """On a broker of its own."""
    with broker() as bootstrap:
        return compare(bootstrap, sizes, folder)


def compare(bootstrap: str, sizes: Sizes, folder: Path) -> Result:
    """Both read the same ranges with the same query in one session, one after the other."""
    spark = kafka_session("kafka_small_windows")
    # One window more: the stream plans it at the end of its last turn.
    records = sizes.lines * (sizes.warm_up + sizes.windows + 1)
    topic = filled(spark, bootstrap, records)
    match = Match(
        "kafka_small_windows",
        KafkaInput(bootstrap, topic.name, max_records_per_window=sizes.lines),
        streamed(spark, topic, sizes.lines),
        count_values,
        limit=0.4,
    )
    return against_stream(spark, match, sizes, folder)


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
