"""A whole pipeline: topics, Spark, a database; compared with an independent count."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from connectors import KafkaInput
from jdbc_sink import JdbcSink, accumulate
from tests.connectors.kafka.world import Broker
from windowed import Pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def count_words(lines: DataFrame) -> DataFrame:
    """Words of the records' values."""
    from pyspark.sql import functions

    words = functions.split(functions.col("value").cast("string"), " ")
    return lines.select(functions.explode(words).alias("word")).groupBy("word").count()


@pytest.mark.spark
def test_words_are_counted_once(broker: Broker, spark: SparkSession, tmp_path: Path) -> None:
    """Plain records, committed and aborted ones, in several windows and two runs; the readers take
    turns, as a job's settings may change."""
    topic = broker.create(2)
    broker.send(topic, *[b"one two two"] * 5)
    broker.transact(topic, b"three two", b"four", partition=1)
    broker.transact(topic, b"never", partition=1, commit=False)

    def run(**options: Any) -> range:
        source = KafkaInput(broker.bootstrap, topic, max_records_per_window=6, **options)
        return (
            Pipeline(
                "words",
                inputs={"lines": source},
                transform=count_words,
                sinks={
                    "counts": JdbcSink(
                        f"duckdb:///{tmp_path}/counts.duckdb",
                        table="counts",
                        mode=accumulate(key=["word"], add=["count"]),
                    )
                },
                log=tmp_path / "log",
            )
            .run(spark, progress=False)
            .window_ids
        )

    assert list(run(reader="executors")) == [1, 2]
    broker.send(topic, b"five", b"two")
    assert list(run(reader="spark")) == [3]
    assert list(run()) == []
    ends = broker.ends(topic, 2)
    records = [one for n in (0, 1) for one in broker.records(topic, 0, ends[n], n)]
    expected = Counter(word for record in records for word in record.value.decode().split())
    with duckdb.connect(f"{tmp_path}/counts.duckdb") as connection:
        found = connection.sql("select word, count from counts").fetchall()
    assert dict(found) == expected
    assert "never" not in expected
