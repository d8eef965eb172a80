"""The pipeline under fire: files → word count → DuckDB. With a session on Spark, without one on
Arrow."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow

from connectors import FileInput
from jdbc_sink import JdbcSink, accumulate
from tests.kill.world import BYTES_PER_WINDOW
from windowed import Pipeline

if TYPE_CHECKING:
    from pathlib import Path

_WORD = re.compile(r"[A-Za-z0-9_]+")


def count_words(lines: Any) -> Any:
    """Words and how often they come, as the sample counts them."""
    if not isinstance(lines, pyarrow.Table):
        from samples.wordcount.words import count_words as on_spark

        return on_spark(lines)
    counts: Counter[str] = Counter()
    for line in lines.column("value").to_pylist():
        counts.update(word.lower() for word in _WORD.findall(line))
    schema = pyarrow.schema([("word", pyarrow.string()), ("count", pyarrow.int64())])
    return pyarrow.table({"word": list(counts), "count": list(counts.values())}, schema=schema)


def build(root: Path) -> Pipeline:
    """The pipeline of the world at `root`."""
    return Pipeline(
        "killed",
        inputs={
            "lines": FileInput(
                root / "in", format="lines", max_bytes_per_window=BYTES_PER_WINDOW, quiet_s=0
            )
        },
        transform=count_words,
        sinks={
            "counts": JdbcSink(
                f"duckdb:///{root / 'counts.duckdb'}",
                table="word_counts",
                mode=accumulate(key=["word"], add=["count"]),
            )
        },
        log=root / "state",
    )
