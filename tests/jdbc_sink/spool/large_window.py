"""One window of many rows, in a process of its own: `python -m tests.jdbc_sink.spool.large_window
DATABASE LOAD ROWS`. Prints its rows as DuckDB counts them, and the driver's peak memory in MB."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

from jdbc_sink import JdbcSink
from samples.session import local_session
from windowed.testing.sink_story import Story


def main(path: str, load: str, rows: int) -> None:
    """Ids, words, numbers and times."""
    spark = local_session("large window")
    frame = spark.range(0, rows, 1, 4).selectExpr(
        "id",
        "concat('word', id % 100000) AS word",
        "id / 3 AS number",
        "timestamp_seconds(id) AS at",
    )
    sink = JdbcSink(f"duckdb:///{path}", table="rows_of_ids", load=load)
    story = Story(sink)
    story.open(sink)
    sink.adopt(None, story.beginning)
    window = story.window()
    sink.prepare(frame.limit(0).toArrow().schema)
    sink.stage(window, frame)
    staged_mb = peak_mb()
    sink.hold(window)
    sink.close()
    spark.stop()
    held_mb = peak_mb()
    with duckdb.connect(path) as connection:
        found = connection.execute("SELECT count(*), sum(id) FROM rows_of_ids").fetchall()[0]
    sys.stdout.write(f"{found[0]} {found[1]} {staged_mb} {held_mb}\n")


def peak_mb() -> int:
    """The most memory that this process had until now."""
    status = Path("/proc/self/status").read_text()
    peak_kib = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak_kib) * 1024 // 10**6


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
