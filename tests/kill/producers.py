"""`python -m tests.kill.producers BOOTSTRAP TOPIC PARTITIONS KIND TIMEOUT_MS`: a producer that is
killed while it writes. Says "writes" once its first records are written, and never ends by itself.

"plain" has no ids: what it tries again may be written twice. "transactions" commits one after the
other, with an id. "open" begins one transaction, writes all of it, and does not end it.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KINDS = ("plain", "transactions", "open")
_RECORDS = 8
_PAUSE_S = 0.005


@contextmanager
def writing(*given: object) -> Iterator[Any]:
    """One that writes by now: a process to be killed. It ends at the end at the latest. `given` are
    its arguments."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.kill.producers", *map(str, given)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None, "piped"
        assert process.stdout.readline() == "writes\n", f"the producer {given} did not start"
        yield process
    finally:
        process.kill()
        process.communicate()


def main() -> None:
    """Write until killed."""
    from kafka import KafkaProducer

    bootstrap, topic, partitions, kind, timeout_ms = sys.argv[1:]
    options: dict[str, Any] = {"enable_idempotence": False, "acks": "all"}
    if kind != "plain":
        options = {
            "transactional_id": f"{kind} of {topic}",
            "transaction_timeout_ms": int(timeout_ms),
        }
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=1, **options)
    if kind != "plain":
        producer.init_transactions()
    for turn in itertools.count():
        _write(producer, topic, int(partitions), kind, turn)
        if turn == 0:
            print("writes", flush=True)
        time.sleep(3600 if kind == "open" else _PAUSE_S)


def _write(producer: Any, topic: str, partitions: int, kind: str, turn: int) -> None:
    if kind != "plain":
        producer.begin_transaction()
    for number in range(_RECORDS):
        text = f"{kind} {turn % 10} {number}".encode()
        producer.send(topic, text, partition=number % partitions)
    if kind == "transactions":
        producer.commit_transaction()
    elif kind == "open" or turn % 4 == 0:
        producer.flush()


if __name__ == "__main__":
    main()
