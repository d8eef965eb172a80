"""The pipeline: lines of text files → words and how often they come → a table.

A word is a maximal run of ASCII letters, digits or underscore, lower-cased after splitting:
lower-casing first would make a `k` of the Kelvin sign, and so a letter of what is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from connectors import FileInput
from file_sink import FileSink
from jdbc_sink import JdbcSink, accumulate
from windowed import Pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TABLE = "word_counts"
HOME = Path(".run/wordcount")
WINDOW_BYTES = 16 * 2**20


def count_words(lines: DataFrame) -> DataFrame:
    """`word` and `count` of the column `value`."""
    from pyspark.sql import functions as f

    words = lines.select(f.explode(f.split("value", "[^A-Za-z0-9_]+")).alias("word"))
    return (
        words.where("word <> ''")
        .groupBy(f.lower("word").alias("word"))
        .agg(f.count("*").alias("count"))
    )


def _twice(lines: DataFrame) -> dict[str, DataFrame]:
    """The same counts for both sinks."""
    counts = count_words(lines)
    return {"counts": counts, "files": counts}


def build(
    folder: str,
    database: str = f"duckdb:///{HOME}/counts.duckdb",
    state: str = f"{HOME}/state",
    window_bytes: int = WINDOW_BYTES,
    pattern: str = "*",
    files: str = "",
    storage: str = "",
) -> Pipeline:
    """The word count of all files in `folder` whose name matches `pattern`; each window's own
    counts as Parquet files into the folder `files`, if one is named. Folders may be on HDFS
    (`hdfs://…`), which the driver reaches through `storage`. Touches nothing yet."""
    given_more = [files, storage] if storage else [files] if files else []
    arguments = [folder, database, state, window_bytes, pattern, *given_more]
    # JSON's double quotes survive a shell's single ones: a refusal prints commands to copy.
    given = json.dumps(arguments, ensure_ascii=False)
    counts = JdbcSink(database, table=TABLE, mode=accumulate(key=["word"], add=["count"]))
    sinks: dict[str, JdbcSink | FileSink] = {"counts": counts}
    if files:
        sinks["files"] = FileSink(files, storage=_storage(files, storage))
    return Pipeline(
        "wordcount",
        inputs={
            "lines": FileInput(
                folder,
                format="lines",
                pattern=pattern,
                max_bytes_per_window=window_bytes,
                storage=_storage(folder, storage),
            )
        },
        transform=_twice if files else count_words,
        sinks=sinks,
        log=state,
        locator=f"samples.wordcount:build({given[1:-1]})",
    )


def _storage(path: str, storage: str) -> str | None:
    """A folder of this machine needs none; without one FileInput and FileSink know Hadoop's own
    ports."""
    return storage if storage and path.startswith("hdfs:") else None
