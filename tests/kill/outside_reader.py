"""A reader from outside, in a process of its own: looks at a published folder until it is told that
all is over, and checks each look.

Each row says which window it is of, its number there, and how many rows that window has. Says
"ready" before the first look, and at the end what it has seen, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

COLUMNS = ("mark", "number", "total")

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
    assert before <= set(found), f"windows {sorted(before - set(found))} were seen before"
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

    def look(folder: Path) -> Rows:
        if not any(folder.rglob("*.parquet")):
            return []
        return [tuple(row) for row in spark.read.parquet(str(folder)).select(*COLUMNS).collect()]

    return look


def main(name: str, folder: Path, over: Path) -> None:
    """Look until `over` is there, and once more then. Looks that find nothing yet do not count."""
    look = _reader(name)
    print("ready", flush=True)
    looks, different, seen, last = 0, 0, set[int](), False
    while not last:
        last = over.exists()
        now = check(look(folder), seen)
        looks, different, seen = looks + bool(now), different + (now != seen), now
    print(json.dumps({"name": name, "looks": looks, "different": different, "windows": len(seen)}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
