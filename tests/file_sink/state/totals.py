"""A pipeline whose state are words and how often each came, and what that is by plain counting."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from file_sink import FileState
from windowed import Pipeline, State
from windowed.testing import ListSink, RowsInput
from windowlog import WindowLog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCHEMA = "word string, n long"
WINDOWS = ["a b", "a", "a c a", "b", "c", "d a", "b"]


def totals(lines: DataFrame, state: State) -> Any:
    """The new totals of this window's words, for sinks and for the state."""
    from pyspark.sql import functions as F  # noqa: N812 (as all of Spark's users call it)

    counts = lines.groupBy("word").agg(F.count(F.lit(1)).alias("fresh"))
    known = counts.join(state.frame, "word", "left")
    put = known.select("word", (F.coalesce("n", F.lit(0)) + F.col("fresh")).alias("n"))
    return put, state.change(put=put)


def rows_of(windows: list[str]) -> list[Any]:
    """Windows of words, as RowsInput takes them."""
    return [[(word,) for word in window.split()] for window in windows]


def made(
    folder: Path,
    windows: list[str],
    sink: ListSink,
    *,
    state: FileState | None = None,
    every: int = 2,
    transform: Any = totals,
) -> Pipeline:
    """The pipeline, in a new driver."""
    return Pipeline(
        "totals",
        inputs={"lines": RowsInput(rows_of(windows), schema="word string")},
        transform=transform,
        sinks={"out": sink},
        log=WindowLog(folder / "log"),
        state=state or FileState(folder / "state", schema=SCHEMA, key=["word"]),
        checkpoint_every=every,
    )


def expected(windows: list[str]) -> dict[int, dict[str, int]]:
    """Window -> word -> how often it came up to that window, of the words in it."""
    total: Counter[str] = Counter()
    found: dict[int, dict[str, int]] = {}
    for number, window in enumerate(windows, 1):
        total.update(window.split())
        found[number] = {word: total[word] for word in window.split()}
    return found


def held(sink: ListSink) -> dict[int, dict[str, int]]:
    """The same, as the sink has it. A word that is there twice is an error."""
    found: dict[int, dict[str, int]] = {}
    for number, rows in sink.store.windows.items():
        assert len({row["word"] for row in rows}) == len(rows), f"window {number}: {rows}"
        found[number] = {row["word"]: row["n"] for row in rows}
    return found


def checkpoints(folder: Path) -> list[str]:
    """The names of the records."""
    return sorted(path.name for path in folder.glob("*/checkpoints/*.json"))


def states(folder: Path) -> list[Path]:
    """The folders of states that are there."""
    return sorted(folder.glob("*/states/*"))
