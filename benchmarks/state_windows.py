"""Windows with state: totals of words so far, against Structured Streaming's own state (a grouped
count in update mode, its state store on this machine's disk) with foreachBatch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.against_stream import Match, Sizes, Totals, against_stream
from benchmarks.command import alone
from benchmarks.result import Result
from benchmarks.small_windows import files
from connectors import FileInput
from file_sink import FileState
from samples.session import local_session
from samples.wordcount import count_words
from windowed import State

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FULL = Sizes(windows=60, warm_up=20, lines=1000)
QUICK = Sizes(windows=12, warm_up=6, lines=1000)
EVERY = 10


def totals(lines: DataFrame, state: State) -> Any:
    """New totals of a window's words."""
    from pyspark.sql import functions as F  # noqa: N812 (as all of Spark's users call it)

    before: Any = state.frame
    known = count_words(lines).withColumnRenamed("count", "fresh").join(before, "word", "left")
    total = F.coalesce(F.col("count"), F.lit(0)) + F.col("fresh")
    put = known.select("word", total.alias("count"))
    return put, state.change(put=put)


def measure(sizes: Sizes, folder: Path) -> Result:
    """The same files, one session, one window after the other."""
    source = files(folder / "in", sizes)
    spark = local_session("state_windows")
    lines = spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(str(source))
    state = FileState(folder / "state", schema="word string, count long", key=["word"])
    match = Match(
        "state_windows",
        FileInput(source, max_files_per_window=1),
        count_words(lines),
        lambda counted: counted,
        # The whole state is written each window; Spark's own writes what has changed.
        limit=2.0,
        totals=Totals(totals, state, EVERY),
    )
    return against_stream(spark, match, sizes, folder)


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
