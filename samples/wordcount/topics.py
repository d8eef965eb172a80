"""The same word count from Kafka: records of topics → words and how often they come → a table.

A record that is not UTF-8 is set aside: into a table of its own, in the same transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from connectors import KafkaInput
from jdbc_sink import JdbcSink, accumulate, append
from samples.wordcount.words import TABLE, count_words
from windowed import Pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

REJECTS = "undecodable_records"
TOPICS_HOME = Path(".run/kafka-wordcount")
WINDOW_RECORDS = 200_000


def _both(lines: DataFrame, lines_rejects: DataFrame) -> dict[str, dict[str, DataFrame]]:
    # Not every database has a type for headers.
    return {"counts": {TABLE: count_words(lines), REJECTS: lines_rejects.drop("headers")}}


def build_from_topics(
    bootstrap: str,
    topics: Sequence[str],
    pattern: str = "",
    start: str = "earliest",
    database: str = f"duckdb:///{TOPICS_HOME}/counts.duckdb",
    state: str = f"{TOPICS_HOME}/state",
    window_records: int = WINDOW_RECORDS,
) -> Pipeline:
    """The word count of all records of `topics`, or of those whose name matches `pattern`, from
    `start` on ("earliest", "latest" or a moment). Touches nothing yet."""
    arguments = [bootstrap, list(topics), pattern, start, database, state, window_records]
    # JSON's double quotes survive a shell's single ones: a refusal prints commands to copy.
    given = json.dumps(arguments, ensure_ascii=False)
    counts = accumulate(key=["word"], add=["count"])
    lines = KafkaInput(
        bootstrap,
        list(topics) or None,
        pattern=pattern or None,
        start=_start(start),
        max_records_per_window=window_records,
        value="utf8",
        on_bad_record="set_aside",
    )
    return Pipeline(
        "wordcount",
        inputs={"lines": lines},
        transform=_both,
        sinks={"counts": JdbcSink(database, tables={TABLE: counts, REJECTS: append()})},
        log=state,
        locator=f"samples.wordcount:build_from_topics({given[1:-1]})",
    )


def _start(text: str) -> str | datetime:
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    return text
