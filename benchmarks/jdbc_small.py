"""Small windows: what the sink adds to the same rows in one transaction by hand, both files kept
open, window by window in turns."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.jdbc_by_hand import ACCUMULATE, insert, words_database
from benchmarks.jdbc_rows import NAME, words
from benchmarks.result import Figure
from benchmarks.stats import differences, median
from jdbc_sink import JdbcSink, accumulate
from windowed.testing.sink_story import Story

ROWS = 100
_WARM_UP = 20
_KEPT_OPEN_S = 3600.0


def small_windows(count: int, folder: Path) -> Figure:
    """Windows of ROWS words, half of which are known."""
    mode = accumulate(["word"], add=["n"])
    url = f"duckdb:///{folder / 'small.duckdb'}"
    sink = JdbcSink(url, table=NAME, mode=mode, release_s=_KEPT_OPEN_S)
    story = Story(sink)
    story.open(sink)
    sink.adopt(None, story.beginning)
    by_hand = words_database(folder / "small-by-hand.duckdb")
    ours_ms, theirs_ms = [], []
    for number in range(count + _WARM_UP):
        rows, window = words(ROWS, number), story.window()
        start_s = time.perf_counter()
        sink.prepare(rows.schema)
        sink.stage(window, rows)
        sink.hold(window)
        held_s = time.perf_counter()
        insert(by_hand, ACCUMULATE, rows)
        ours_ms.append((held_s - start_s) * 1000)
        theirs_ms.append((time.perf_counter() - held_s) * 1000)
    sink.close()
    by_hand.close()
    added_ms = differences(ours_ms[_WARM_UP:], theirs_ms[_WARM_UP:])
    return Figure(f"DuckDB, windows of {ROWS} rows, added at p50", median(added_ms), "ms", 2.0)
