"""`python -m benchmarks.kafka_window BOOTSTRAP TOPIC RECORDS READER FOLDER`: one window of so many
records in this process, word count into DuckDB. Prints its peaks of memory as JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benchmarks.by_hand import TABLE
from benchmarks.kafka_topic import count_values, kafka_session
from benchmarks.memory import watched
from connectors import KafkaInput
from jdbc_sink import JdbcSink, accumulate
from windowed import Pipeline, windows


def main() -> None:
    """Run it."""
    bootstrap, topic, records, reader, place = sys.argv[1:]
    folder = Path(place)
    folder.mkdir()
    spark = kafka_session("kafka_window")
    mode = accumulate(key=["word"], add=["count"])
    lines = KafkaInput(bootstrap, topic, reader=reader, max_records_per_window=int(records))
    pipeline = Pipeline(
        "kafka_window",
        inputs={"lines": lines},
        transform=lambda lines: count_values(lines),
        sinks={"counts": JdbcSink(f"duckdb:///{folder}/counts.duckdb", table=TABLE, mode=mode)},
        log=folder / "log",
    )
    with watched() as peaks:
        start_s = time.perf_counter()
        pipeline.run(spark, until=windows(1), progress=False)
        seconds = time.perf_counter() - start_s
    found = {
        "python_mb": peaks.python_mb,
        "jvm_mb": peaks.jvm_mb,
        "workers_mb": peaks.workers_mb,
        "seconds": seconds,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
