"""Spark's own way for small windows: Structured Streaming with foreachBatch, one batch at a time.

"Batch" is the rival's word. Its sink is idempotent in the usual manner: the batch's number is
written in the transaction of the rows.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.by_hand import ByHand

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

# Far above any cycle: a query that died must not hang the benchmark.
TURN_MAX_S = 120.0


class Stream:
    """A query over a stream, one window a batch, that waits for its turns."""

    def __init__(
        self,
        by_hand: ByHand,
        transform: Callable[[DataFrame], DataFrame],
    ) -> None:
        self._by_hand = by_hand
        self._transform = transform
        self._go = threading.Semaphore(0)
        self._back = threading.Semaphore(0)
        self._over = False
        self._query: StreamingQuery | None = None

    def start(self, lines: DataFrame, checkpoint: Path, output: str = "append") -> None:
        """Start, and wait until the first batch is planned and asks for its turn. `output` is
        Spark's output mode."""
        writer = lines.writeStream.outputMode(output).foreachBatch(self._batch)
        self._query = writer.option("checkpointLocation", str(checkpoint)).start()
        self._wait()

    def turn(self) -> None:
        """One whole cycle: the batch, its commit, and the planning of the next one."""
        self._go.release()
        self._wait()

    def _wait(self) -> None:
        if not self._back.acquire(timeout=TURN_MAX_S):
            found = self._query.exception() if self._query is not None else None
            raise RuntimeError(f"the query gave no sign for {TURN_MAX_S} s: {found}")

    def _batch(self, frame: DataFrame, number: int) -> None:
        self._back.release()
        if not self._over:
            self._go.acquire()
        if not self._over:
            self._by_hand.add_once(number, self._transform(frame).toArrow())

    def durations(self) -> dict[str, list[float]]:
        """Spark's own account of its last cycles, ms by phase. `addBatch` and `triggerExecution`
        hold the waiting for turns too, so they are left out."""
        found: dict[str, list[float]] = defaultdict(list)
        for progress in self._query.recentProgress if self._query is not None else ():
            for phase, taken_ms in progress["durationMs"].items():
                if phase not in ("addBatch", "triggerExecution"):
                    found[phase].append(float(taken_ms))
        return dict(found)

    def stop(self) -> None:
        """End the query; the batch that is waiting does nothing."""
        self._over = True
        self._go.release()
        if self._query is not None:
            # Interrupted in the middle of its commit it would print a page of exceptions.
            with suppress(Exception):
                self._query.processAllAvailable()
            self._query.stop()
