"""A pipeline with state under fire: each word's total so far is the state, on this machine or on a
real HDFS, and the sink has for each word the newest total that it was given. A state that lacks a
window, or has one twice, gives other totals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pyarrow

from file_sink import FileState
from file_sink.state_files import StateFiles
from tests.kill.moments import MOMENTS, Trap, after
from tests.kill.variants import Rows, Variant, Windows
from windowlog.checkpoints import CheckpointRecords

SCHEMA = pyarrow.schema([("word", pyarrow.string()), ("count", pyarrow.int64())])
OF_A_STATE = ("state staged", "checkpoint recorded", "older records gone", "older states gone")
HERE = "here"
# Two that are kept, and one that a driver made before it died; of windows that were staged since.
CHECKPOINTS_MAX = 3
STATES_MAX = 12


@dataclass(frozen=True)
class StateVariant(Variant):
    """`web` is a folder that is not there yet, webhdfs://…, and `hdfs` where Spark finds HDFS; or
    `web` is "here"."""

    web: str = HERE
    hdfs: str = HERE
    moments: ClassVar[tuple[str, ...]] = (*MOMENTS, *OF_A_STATE)
    spark_moments: ClassVar[tuple[str, ...]] = (*OF_A_STATE, "staged", "after commit")
    delay_max_s: ClassVar[float] = 0.2
    spark_lines: ClassVar[tuple[int, int]] = 40, 120
    checkpoint_every = 2

    def _words(self) -> tuple[str, ...]:
        return "state", self.database, self.mode, self.load, self.web, self.hdfs

    def state(self, root: Path) -> FileState:
        """Where it is kept."""
        if self.web == HERE:
            return FileState(root / "totals", schema=SCHEMA, key="word")
        url = urlsplit(self.web)
        path = f"{self.hdfs}{url.path}/totals"
        return FileState(path, schema=SCHEMA, key="word", storage=f"webhdfs://{url.netloc}")

    def expected(self, windows: Windows) -> Rows:
        """Each word's total over all windows."""
        total: Counter[str] = sum(windows.values(), Counter())
        return Counter(dict.fromkeys(total.items(), 1))

    def inspect(self, root: Path, held: int) -> None:
        """What killed drivers leave does not pile up."""
        if self.web != HERE:
            return
        records = list((root / "totals").glob("*/checkpoints/*.json"))
        assert len(records) <= CHECKPOINTS_MAX, sorted(path.name for path in records)
        states = list((root / "totals").glob("*/states/*"))
        assert len(states) <= STATES_MAX, sorted(path.name for path in states)


def running_totals(counts: Any, state: Any) -> Any:
    """The new totals of a window's words, from their counts in it."""
    if not isinstance(counts, pyarrow.Table):
        from pyspark.sql import functions as F  # noqa: N812 (as all of Spark's users call it)

        before = state.frame.withColumnRenamed("count", "before")
        total = (F.coalesce("before", F.lit(0)) + F.col("count")).alias("count")
        put = counts.join(before, "word", "left").select("word", total)
        return put, state.change(put=put)
    known = {row["word"]: row["count"] for row in state.frame.to_pylist()}
    rows = [
        {"word": row["word"], "count": known.get(row["word"], 0) + row["count"]}
        for row in counts.to_pylist()
    ]
    put = pyarrow.Table.from_pylist(rows, schema=SCHEMA)
    return put, state.change(put=put)


def install(trap: Trap) -> None:
    """Wrap the state of this process, which is about to die."""
    after(StateFiles, "stage", lambda *_: trap.passed("state staged"))
    after(CheckpointRecords, "create", lambda *_: trap.passed("checkpoint recorded"))
    after(CheckpointRecords, "let_go", lambda *_: trap.passed("older records gone"))
    after(StateFiles, "let_go", lambda *_: trap.passed("older states gone"))
