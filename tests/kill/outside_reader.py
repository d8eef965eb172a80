"""A reader from outside, in a process of its own: looks at a published folder until it is told that
all is over, and checks each look.

Each row says which window it is of, its number there, and how many rows that window has. Says
"ready" before the first look, and at the end what it has seen, as JSON.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

# How each reader says that a file is no longer there.
GONE = re.compile(
    "No such file|FILE_NOT_EXIST|FileNotFound|NoSuchFile|does not exist|PATH_NOT_FOUND"
)
COLUMNS = ("mark", "number", "total")
LATE_S_MAX = 0.2

Rows = Iterable[tuple[Any, ...]]


def check(rows: Rows, before: set[int]) -> set[int]:
    """The windows in a look. AssertionError if one is not whole, is there twice, or is gone."""
    found: dict[int, Counter[tuple[int, int]]] = defaultdict(Counter)
    for mark, number, total in rows:
        found[mark][number, total] += 1
    for mark, counted in found.items():
        total = next(iter(counted))[1]
        expected = Counter({(number, total): 1 for number in range(total)})
        assert counted == expected, f"window {mark} was seen as {sorted(counted.elements())}"
    gone = sorted(before - set(found))
    assert not gone, f"windows {gone} were seen before, and now only {sorted(found)}"
    return set(found)


def _reader(name: str) -> Callable[[Path], Rows]:
    if name == "spark":
        return _by_spark()
    from tests.file_sink.readers import rows_by_duckdb, rows_by_pyarrow

    if name == "duckdb":
        return lambda folder: rows_by_duckdb(folder, ", ".join(COLUMNS))
    return lambda folder: rows_by_pyarrow(folder, COLUMNS)


def _by_spark() -> Callable[[Path], Rows]:
    from samples.session import local_session

    spark = local_session("reader")
    rng = random.Random(1)

    def look(folder: Path) -> Rows:
        if not any(folder.rglob("*.parquet")):
            return []
        frame = spark.read.parquet(str(folder)).select(*COLUMNS)
        # What was listed now is opened then: a reader may take its time.
        time.sleep(rng.choice([0, rng.uniform(0, LATE_S_MAX)]))
        return [tuple(row) for row in frame.collect()]

    return look


def looked(over: Path, name: str) -> Path:
    """What a reader touches before each look."""
    return over.with_name(f"looked-{name}")


def main(name: str, folder: Path, over: Path) -> None:
    """Look until `over` is there, and once more then. Looks that find nothing yet do not count."""
    look = _reader(name)
    print("ready", flush=True)
    sign = looked(over, name)
    looks, different, again, seen, last = 0, 0, 0, set[int](), False
    while not last:
        is_over = over.exists()
        sign.touch()
        try:
            rows = look(folder)
        except Exception as error:
            # A roll-up has replaced what was listed: an error, and never other rows.
            if not GONE.search(str(error)):
                raise
            again += 1
            continue
        last = is_over
        try:
            now = check(rows, seen)
        except AssertionError as broken:
            raise AssertionError(f"{name}: {broken}") from None
        looks, different, seen = looks + bool(now), different + (now != seen), now
    told = {"looks": looks, "different": different, "again": again, "windows": len(seen)}
    print(json.dumps({"name": name, **told}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
