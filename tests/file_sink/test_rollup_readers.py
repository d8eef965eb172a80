"""What readers find that look while files are joined, each in its own words."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.dataset
import pyarrow.parquet
import pytest

from tests.file_sink.bench import words
from tests.file_sink.readers import asked_of_duckdb, rows_by_duckdb, rows_by_pyarrow
from tests.file_sink.test_rollup import filled, roll_up, rows

LOOKS_MIN = 6

LATE_READERS: dict[str, Callable[[list[str]], list[Any]]] = {
    "duckdb": lambda files: asked_of_duckdb(f"SELECT word, n FROM read_parquet({files})"),
    "pyarrow": lambda files: [
        tuple(row.values())
        for row in pyarrow.dataset.dataset(files, format="parquet")
        .to_table(["word", "n"])
        .to_pylist()
    ],
}


@pytest.mark.parametrize("reader", LATE_READERS)
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_reader_that_listed_before_the_switch_finds_an_error_or_all_rows(
    tmp_path: Path, layout: str, times: int, reader: str
) -> None:
    """Never other rows under a path that it knew: one that is joined is gone. ‡"""
    bench = filled(tmp_path / "out", 6, layout=layout)
    listed = [str(bench.path / path) for path in bench.published()]
    before = {path: Path(path).read_bytes() for path in listed}
    for number in range(7, 7 + times):
        roll_up(bench)
        bench.publish(words((f"w{number % 3}", number)))
    with pytest.raises((OSError, duckdb.IOException)):
        LATE_READERS[reader](listed)
    there = {path: Path(path).read_bytes() for path in listed if Path(path).exists()}
    assert there.items() <= before.items()


def test_a_dataset_that_was_listed_before_the_switch_is_read_on(tmp_path: Path) -> None:
    """Pyarrow lists first and opens later: an error, or the rows; files that are open go on."""
    bench = filled(tmp_path / "out", 6)
    dataset = pyarrow.dataset.dataset(bench.path, format="parquet", partitioning="hive")
    opened = [(bench.path / path).open("rb") for path in bench.published()]
    roll_up(bench)
    with pytest.raises(FileNotFoundError):
        dataset.to_table()
    found = [row for file in opened for row in pyarrow.parquet.read_table(file).to_pylist()]
    assert Counter((row["word"], row["n"]) for row in found) == rows(6)
    for file in opened:
        file.close()


def test_readers_that_look_all_the_time_see_every_row_once(tmp_path: Path) -> None:
    """During twenty roll-ups; a look whose files vanish is an error to its reader, who looks
    again."""
    bench, over, looks = filled(tmp_path / "out", 8), threading.Event(), [0, 0]

    def read() -> None:
        while not over.is_set():
            least = bench.story.log.newest - 1
            try:
                found = Counter(rows_by_duckdb(bench.path))
            # The query's, and of the walk before it.
            except (duckdb.IOException, FileNotFoundError):
                looks[1] += 1
                continue
            looks[0] += 1
            numbers = sorted(n for _, n in found)
            assert numbers == list(range(1, len(numbers) + 1)), "a row is missing or there twice"
            assert len(numbers) >= least

    failures: list[BaseException] = []

    def reading() -> None:
        try:
            read()
        except BaseException as error:  # noqa: BLE001 (told to the test)
            failures.append(error)

    reader = threading.Thread(target=reading)
    reader.start()
    last = 8
    # On a busy machine the reader may see little of twenty roll-ups.
    while (last < 68 or looks[0] < LOOKS_MIN) and reader.is_alive():
        for number in range(last + 1, last + 4):
            bench.publish(words((f"w{number % 3}", number)))
        last += 3
        roll_up(bench)
    over.set()
    reader.join()
    assert failures == []
    assert Counter(rows_by_pyarrow(bench.path)) == rows(last)
