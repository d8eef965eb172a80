"""Memory: one window of a million records with each reader, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.command import alone
from benchmarks.kafka_topic import VALUE_BYTES, Topic, broker, filled, kafka_session
from benchmarks.result import Figure, Grid, Result

READERS = ("driver", "executors", "spark")
_LIMIT_MB = 512


@dataclass(frozen=True, slots=True)
class Sizes:
    """`records` in one window."""

    records: int


FULL = Sizes(1_000_000)
QUICK = Sizes(100_000)


def measure(sizes: Sizes, folder: Path) -> Result:
    """On a broker of its own."""
    with broker() as bootstrap:
        topic = filled(kafka_session("kafka_memory"), bootstrap, sizes.records)
        return compare(topic, folder)


def compare(topic: Topic, folder: Path) -> Result:
    """Each reader counts the words of the topic in one window."""
    found = {reader: _peaks(topic, reader, folder) for reader in READERS}
    return Result(
        "kafka_memory",
        f"How much memory takes a window of {topic.records:,} records of {VALUE_BYTES} bytes?",
        [
            Figure(f"driver's Python, reader {reader}", of["python_mb"], "MB", _LIMIT_MB)
            for reader, of in found.items()
        ],
        [
            Grid(
                "peak resident memory, MB",
                ("reader", "Python driver", "JVM", "Python workers", "s"),
                [
                    (reader, of["python_mb"], of["jvm_mb"], of["workers_mb"], of["seconds"])
                    for reader, of in found.items()
                ],
            )
        ],
        ["Each in a process of its own, word count into DuckDB; seconds are of a cold session."],
    )


def _peaks(topic: Topic, reader: str, folder: Path) -> dict[str, float]:
    words = [topic.bootstrap, topic.name, str(topic.records), reader, str(folder / reader)]
    command = [sys.executable, "-m", "benchmarks.kafka_window", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
