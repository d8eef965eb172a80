"""`make kafka-wordcount`: start a real Kafka, write text into a topic, count its words, kill the
word count at random moments while more comes, and compare with an independent count.

The independent count is of what was written, by a regular expression: neither Spark nor Kafka nor
this kit has touched it."""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from samples.session import need_java
from samples.wordcount.killing import WORD, Killing
from samples.wordcount.stdlib import copy_standard_library
from samples.wordcount.topics import REJECTS
from windowed.testing.services import KafkaService
from windowlog import KitError

PARTITIONS = 3
# One record of so many is cut inside a character: such a one is set aside.
BROKEN_EVERY = 1_000
_BROKEN = "naïve"[:3].encode()[:-1]
_SOON_S = 60


@dataclass(kw_only=True)
class KafkaDemo(Killing):
    """One demonstration in `home`. `lines` come into a new topic in `shares` shares, each before a
    start that is killed; the last start is not."""

    bootstrap: str
    lines: Sequence[bytes]
    shares: int
    window_records: int
    topic: str = field(default_factory=lambda: f"lines-{secrets.token_hex(3)}")
    expected: Counter[str] = field(default_factory=Counter)
    broken: int = 0
    written: int = 0

    def run(self) -> int:
        """0 if counts and rejects are those of what was written."""
        _create(self.bootstrap, self.topic)
        print(f"Topic {self.topic} at {self.bootstrap} has {PARTITIONS} partitions.", flush=True)
        size = -(-len(self.lines) // self.shares)
        for start in range(0, len(self.lines), size):
            self._write(self.lines[start : start + size])
            if self._run_and_kill():
                self._tell_kill()
        self._run_and_kill(kill=False)
        equal = self._verdict(self.expected)
        [(found,)] = self._ask(f"SELECT count(*) FROM {REJECTS}")
        verdict = "as many" if found == self.broken else "NOT AS MANY"
        print(
            f"{found:,} records that are not UTF-8 are in table {REJECTS},"
            f" {verdict} as were written ({self.broken:,})"
        )
        return 0 if equal and found == self.broken else 1

    def _write(self, lines: Sequence[bytes]) -> None:
        from kafka import KafkaProducer

        producer = KafkaProducer(bootstrap_servers=self.bootstrap, linger_ms=20)
        sent = []
        for line in lines:
            self.written += 1
            record = line + _BROKEN if self.written % BROKEN_EVERY == 0 else line
            partition = self.written % PARTITIONS
            sent.append(producer.send(self.topic, record, partition=partition))
            self._expect(record)
        for one in sent:
            one.get(timeout=_SOON_S)
        producer.close()
        print(f"{len(lines):,} lines are written into it, {self.written:,} in all", flush=True)

    def _expect(self, record: bytes) -> None:
        try:
            record.decode()
        except UnicodeDecodeError:
            self.broken += 1
        else:
            self.expected.update(word.lower().decode() for word in WORD.findall(record))

    def _command(self) -> list[str]:
        words = [sys.executable, "-m", "samples.wordcount", "--kafka", self.bootstrap]
        words += ["--topic", self.topic, "--window-records", str(self.window_records)]
        return [*words, *self._places()]


def _create(bootstrap: str, topic: str) -> None:
    from kafka import KafkaAdminClient

    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    settings = {"num_partitions": PARTITIONS, "replication_factor": 1}
    admin.create_topics({topic: settings}, wait_for_metadata=True)
    admin.close()


def lines_of(folder: Path) -> Iterator[bytes]:
    """The lines of all Python files there that are not empty."""
    for path in sorted(folder.rglob("*.py")):
        yield from filter(None, path.read_bytes().splitlines())


@contextmanager
def _kafka(bootstrap: str | None) -> Iterator[str]:
    """A broker's address: the one that is given, or of one that is started and ended here."""
    if bootstrap is not None:
        yield bootstrap
        return
    print("Starting Kafka; the first time its jars are fetched (100 MB).", flush=True)
    with KafkaService() as service:
        yield service.bootstrap


def main(words: list[str] | None = None) -> int:
    """Over the standard library's own lines, in a folder that is new each time."""
    parser = argparse.ArgumentParser(
        prog="python -m samples.wordcount.kafka_demo", description=__doc__
    )
    parser.add_argument("folder", nargs="?", type=Path, help="default: the standard library")
    parser.add_argument("--kafka", metavar="BOOTSTRAP", help="default: one is started")
    parser.add_argument("--lines", type=int, default=80_000)
    parser.add_argument("--shares", type=int, default=4)
    parser.add_argument("--window-records", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=None, help="default: another one each time")
    given = parser.parse_args(words)
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(10**6)
    again = f"python -m samples.wordcount.kafka_demo --seed {seed}"
    print("Counting lines that come through Kafka, killed at random moments.", flush=True)
    print(f"To draw the same moments again: {again}", flush=True)
    try:
        need_java()
        with (
            _kafka(given.kafka) as bootstrap,
            tempfile.TemporaryDirectory(prefix="kafka-wordcount-") as home,
        ):
            return KafkaDemo(
                bootstrap=bootstrap,
                home=Path(home),
                rng=random.Random(seed),
                lines=list(islice(lines_of(given.folder or copy_standard_library()), given.lines)),
                shares=given.shares,
                window_records=given.window_records,
            ).run()
    except KitError as refused:
        print(refused, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
