"""Spark's own way for files: Structured Streaming's file sink, one batch at a time, and a past of
many batches for it.

"Batch" is the rival's word. Its past is written in the forms that Spark 4 itself writes: a log that
is compacted each tenth batch, of which the newest compacted file is all that a start reads.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

# Spark's own default for both of its logs; a past ends where one was just compacted.
COMPACTED_EVERY = 10


@dataclass(frozen=True, slots=True)
class Folders:
    """Of one query: what it reads, what it writes, and what it remembers."""

    source: Path
    out: Path
    checkpoint: Path

    @classmethod
    def below(cls, folder: Path) -> Folders:
        """Three new folders; Spark makes the last two."""
        (folder / "source").mkdir(parents=True)
        return cls(folder / "source", folder / "out", folder / "checkpoint")


class FileStream:
    """A query from text files to Parquet files that is given one file at a time."""

    def __init__(self, spark: SparkSession, folders: Folders) -> None:
        self._folders = folders
        lines = spark.readStream.format("text").option("maxFilesPerTrigger", 1)
        writer = lines.load(str(folders.source)).writeStream.format("parquet")
        writer = writer.option("checkpointLocation", str(folders.checkpoint))
        self._query: StreamingQuery = writer.start(str(folders.out))

    def turn(self, path: Path) -> float:
        """One whole cycle for this file: seconds by Spark's own account, waiting left out."""
        # Written elsewhere and renamed, as a reader of folders has to be given files.
        target = self._folders.source / path.name
        aside = target.with_name(f".{path.name}")
        shutil.copyfile(path, aside)
        aside.rename(target)
        self._query.processAllAvailable()
        progress: Any = self._query.lastProgress
        if not progress or progress["numInputRows"] == 0:
            raise RuntimeError(f"the query has not read {target}: {progress}")
        return float(progress["durationMs"]["triggerExecution"]) / 1000

    def stop(self) -> None:
        """End the query."""
        self._query.stop()


def lengthen(folders: Folders, batches: int) -> None:
    """Of a query that has done one batch and was stopped: as if it had done so many, each with the
    same file."""
    if batches % COMPACTED_EVERY:
        raise ValueError(f"{batches} batches do not end with a compacted one")
    last = batches - 1
    _compact(folders.checkpoint / "sources/0", last, _sources(folders, batches))
    _compact(folders.out / "_spark_metadata", last, _outputs(folders, batches))
    for name, at in (("offsets", "logOffset"), ("commits", None)):
        folder = folders.checkpoint / name
        first = (folder / "0").read_text()
        for number in (last - 1, last):
            text = first if at is None else first.replace(f'"{at}":0', f'"{at}":{number}')
            (folder / str(number)).write_text(text)


def _sources(folders: Folders, batches: int) -> Iterator[dict[str, Any]]:
    entry = _only_entry(folders.checkpoint / "sources/0/0")
    first = folders.source / entry["path"].rpartition("/")[2]
    oldest_s = time.time() - batches - COMPACTED_EVERY
    for number in range(batches):
        path = folders.source / f"past-{number:06d}.txt"
        os.link(first, path) if number else first.rename(path)
        first = folders.source / "past-000000.txt"
        yield {**entry, "path": path.as_uri(), "batchId": number, "timestamp": int(oldest_s * 1000)}
    os.utime(first, (oldest_s, oldest_s))


def _outputs(folders: Folders, batches: int) -> Iterator[dict[str, Any]]:
    entry = _only_entry(folders.out / "_spark_metadata/0")
    first = folders.out / entry["path"].rpartition("/")[2]
    for number in range(batches):
        path = first.with_name(first.name.replace("part-00000-", f"part-00000-{number:06d}-"))
        os.link(first, path)
        yield {**entry, "path": path.as_uri()}


def _only_entry(path: Path) -> dict[str, Any]:
    version, *entries = path.read_text().splitlines()
    if version != "v1" or len(entries) != 1:
        raise RuntimeError(f"{path} is not in the form that is known here: {version}")
    found: dict[str, Any] = json.loads(entries[0])
    return found


def _compact(folder: Path, last: int, entries: Iterator[dict[str, Any]]) -> None:
    lines = ["v1", *(json.dumps(entry, separators=(",", ":")) for entry in entries)]
    (folder / f"{last}.compact").write_text("\n".join(lines))
