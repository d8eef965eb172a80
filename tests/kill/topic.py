"""A topic of a real broker as what the pipeline under fire reads. What is in it, and up to where it
can be read, says the clerk: a client that knows nothing of the kit."""

from __future__ import annotations

import json
import random
import secrets
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connectors import KafkaInput
from tests.kill.clerk import Clerk
from tests.kill.source import Piece, Violation, count_words, new_line

if TYPE_CHECKING:
    from windowed.testing.services import KafkaService

STARTS = ("earliest", "latest", "offsets", "time", "group")
PARTITIONS_MAX = 6
_RECORDS_PER_WINDOW = 40
_WRITTEN_DOWN = "topic.json"
# A broker that is killed comes back within it.
_STALL_TIMEOUT_S = 60


@dataclass(frozen=True)
class Cluster:
    """Who knows its topics; and its brokers, where they may be killed. `second` leads some
    partitions, until it is killed."""

    clerk: Clerk
    first: KafkaService | None = None
    second: KafkaService | None = None


class Topic:
    """`start` is one of STARTS, `reader` one of KafkaInput's."""

    moments: tuple[str, ...] = (
        "looked",
        "some records fetched",
        "topics verified",
        "group committed",
    )
    spark_moments: tuple[str, ...] = ("log synced", "read", "staged", "group committed")
    # An offset is all that this input has to remember.
    never: tuple[str, ...] = ("folded",)
    delay_max_s: float = 0.3

    def __init__(self, cluster: Cluster, start: str = "earliest", reader: str = "driver") -> None:
        self.cluster = cluster
        self.clerk = cluster.clerk
        self.name = f"k-{secrets.token_hex(4)}"
        self.group = f"g-{self.name}"
        self._start, self._reader = start, reader
        self._starts: list[int] = []
        self._least: list[int] = []
        self._pinned = False
        # The broker aborts what a killed producer has left open after so long.
        self.transaction_timeout_ms = 4_000

    def save(self, root: Path) -> None:
        """Make the topic, with something in it; write down where reading begins."""
        replicas = 2 if self.cluster.second is not None else 1
        self.clerk.ask("create", topic=self.name, partitions=3, replicas=replicas)
        self.send([(number % 2, f"old {number}") for number in range(7)])
        start = self._begin()
        self.send([(number % 3, f"young {number}") for number in range(5)])
        said = {
            "bootstrap": self.clerk.bootstrap,
            "topic": self.name,
            "start": start,
            "group": self.group,
            "reader": self._reader,
        }
        (root / _WRITTEN_DOWN).write_text(json.dumps(said))

    def _begin(self) -> Any:
        """As the start policy's argument, in JSON; and what that must come to."""
        ends = self.ends_list()
        self._starts, self._pinned = ends, self._start != "latest"
        if self._start == "earliest":
            self._starts = [0] * len(ends)
        if self._start == "offsets":
            self._starts = [2, 0, 0]
            return {self.name: {"0": 2}}
        if self._start == "time":
            time.sleep(0.01)
            moment = datetime.now(UTC)
            time.sleep(0.01)
            return {"at": moment.isoformat()}
        if self._start == "group":
            self._starts = [3, 1, 0]
            self.clerk.ask("commit", group=self.group, topic=self.name, offsets=self._starts[:2])
        return self._start

    def produce(self, rng: random.Random, lines: int) -> None:
        """Records in every partition: plain ones, a transaction's, an aborted one's."""
        records = self._made(rng, lines)
        cut, other = sorted(rng.choices(range(lines + 1), k=2))
        self.send(records[:cut])
        if cut < other:
            self._transact(records[cut:other], commit=True)
        if rng.random() < 0.3:
            self._transact(records[:3], commit=False)
        self.send(records[other:])
        self.look()

    def look(self) -> None:
        """What is there now is what a run must come to, and where "latest" is."""
        self._least = self.ends_list()
        if not self._pinned:
            self._starts = self._least

    def _made(self, rng: random.Random, lines: int) -> list[tuple[int, str | None]]:
        partitions = len(self.ends_list())
        return [
            (
                rng.randrange(partitions),
                None if rng.random() < 0.05 else new_line(rng, rng.randrange(12)),
            )
            for _ in range(lines)
        ]

    def send(self, records: Sequence[tuple[int, str | None]]) -> None:
        """Plain records."""
        self.clerk.ask("send", topic=self.name, records=records)

    def _transact(self, records: Sequence[tuple[int, str | None]], *, commit: bool) -> None:
        self.clerk.ask("transact", topic=self.name, records=records, commit=commit)

    def grow(self) -> None:
        """A partition more, with something in it."""
        partitions = len(self.ends_list()) + 1
        self.clerk.ask("grow", topic=self.name, partitions=partitions)
        self.send([(partitions - 1, "a partition more")])

    def ends_list(self) -> list[int]:
        """By partition: what can be read now."""
        found: list[int] = self.clerk.ask("ends", topic=self.name)
        return found

    def settle(self, timeout_s: float = 30) -> None:
        """Wait until no transaction is open."""
        limit = time.monotonic() + timeout_s
        while self.ends_list() != self.clerk.ask("latest", topic=self.name):
            assert time.monotonic() < limit, "a transaction is still open"
            time.sleep(0.05)
        self.look()

    def logged(self) -> None:
        """The first plan says where "latest" was."""
        self._pinned = True

    def piece(self, part: Mapping[str, Any]) -> Piece:
        """A range of offsets."""
        place, start, end = part["partition"], part["start"], part["end"]
        if part["topic"] != self.name or part["id"] != f"{self.name}:{place}@{start}":
            raise Violation(f"a plan has {part}, and {self.name} is read")
        return Piece(str(place), start, end)

    def words(self, piece: Piece) -> Counter[str]:
        """Those of the committed records, by the clerk's consumer."""
        given = {"partition": int(piece.place), "start": piece.start, "end": piece.end}
        texts = self.clerk.ask("read", topic=self.name, **given)
        return count_words("\n".join(texts).encode())

    def start(self, place: str) -> int:
        """As the start policy says; a partition that came later is read from its first record."""
        number = int(place)
        return self._starts[number] if number < len(self._starts) else 0

    def ends(self) -> Mapping[str, int]:
        """Below the first open transaction."""
        return _numbered(self.ends_list())

    def least(self) -> Mapping[str, int]:
        """What could be read before the run began."""
        return _numbered(self._least)

    def inspect(self, read: Mapping[str, int]) -> None:
        """The group is never ahead of what the sink holds."""
        committed = self.clerk.ask("committed", group=self.group, topic=self.name)
        for place, offset in committed.items():
            if offset > read.get(place, self.start(place)):
                raise Violation(f"group at {offset} of partition {place}, the sink before: {read}")


def input_of(root: Path) -> KafkaInput | None:
    """The input of the world at `root`, if that is a topic."""
    written = root / _WRITTEN_DOWN
    if not written.exists():
        return None
    said = json.loads(written.read_text())
    return KafkaInput(
        said["bootstrap"],
        said["topic"],
        start=_start(said["start"]),
        max_records_per_window=_RECORDS_PER_WINDOW,
        group_id=said["group"],
        reader=said["reader"],
        stall_timeout_s=_STALL_TIMEOUT_S,
    )


def reader_of(root: Path) -> str | None:
    """KafkaInput's reader, if a topic is read."""
    written = root / _WRITTEN_DOWN
    return str(json.loads(written.read_text())["reader"]) if written.exists() else None


def _start(said: Any) -> Any:
    if isinstance(said, str):
        return said
    if "at" in said:
        return datetime.fromisoformat(said["at"])
    return {
        topic: {int(number): at for number, at in offsets.items()}
        for topic, offsets in said.items()
    }


def _numbered(offsets: Sequence[int]) -> dict[str, int]:
    return {str(number): offset for number, offset in enumerate(offsets)}
