"""Small windows: a window of 1,000 lines against a batch of Structured Streaming's foreachBatch."""

from __future__ import annotations

import os
import time
from itertools import islice
from pathlib import Path

from benchmarks.against_stream import Match, Sizes, against_stream
from benchmarks.command import alone
from benchmarks.result import Result
from benchmarks.text import lines
from connectors import FileInput
from samples.session import local_session
from samples.wordcount import count_words

FULL = Sizes(windows=100, warm_up=30, lines=1000)
QUICK = Sizes(windows=20, warm_up=10, lines=1000)


def measure(sizes: Sizes, folder: Path) -> Result:
    """Both read the same files with the same query in one Spark session, one after the other."""
    source = files(folder / "in", sizes)
    spark = local_session("small_windows")
    theirs = spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(str(source))
    ours = FileInput(source, max_files_per_window=1)
    match = Match("small_windows", ours, theirs, count_words, limit=0.45)
    return against_stream(spark, match, sizes, folder)


def files(folder: Path, sizes: Sizes) -> Path:
    """A file for each window, and one more: the stream plans it at the end of its last turn.

    Each is a second younger than the one before: both rivals take the oldest first."""
    folder.mkdir()
    real = lines()
    count = sizes.warm_up + sizes.windows + 1
    oldest_s = time.time() - count
    for number in range(count):
        path = folder / f"{number:05d}.txt"
        path.write_bytes(b"".join(islice(real, sizes.lines)))
        os.utime(path, (oldest_s + number, oldest_s + number))
    return folder


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
