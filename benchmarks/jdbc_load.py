"""The JDBC sink against the same rows written by hand, on DuckDB and SQLite, without Spark.

Each rival opens its own file, writes the same rows in one durable transaction, and closes: what the
database does at its end belongs to both."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.command import alone
from benchmarks.jdbc_by_hand import (
    ACCUMULATE,
    UPSERT,
    duckdb_rows,
    duckdb_spool,
    duckdb_words,
    sqlite_rows,
)
from benchmarks.jdbc_rows import Loader, spooled, table, words
from benchmarks.jdbc_small import small_windows
from benchmarks.result import Figure, Grid, Result
from benchmarks.stats import median
from jdbc_sink import accumulate, append, upsert
from jdbc_sink.effects import Mode


@dataclass(frozen=True, slots=True)
class Sizes:
    """Rows through the driver, through executors, by key, into SQLite; small windows; rounds, and
    how many of the statements by key, which are short and scatter more."""

    driver: int
    executors: int
    keyed: int
    sqlite: int
    small_windows: int
    rounds: int
    keyed_rounds: int


FULL = Sizes(10**6, 10**7, 10**5, 3 * 10**5, small_windows=1000, rounds=7, keyed_rounds=25)
QUICK = Sizes(10**6, 2 * 10**6, 10**5, 10**5, small_windows=200, rounds=3, keyed_rounds=3)


@dataclass(frozen=True, slots=True)
class Race:
    """`ours` and `theirs` each write into a new file of this name and give the seconds it took, in
    each of `rounds`."""

    name: str
    limit: float
    ours: Callable[[Path], float]
    theirs: Callable[[Path], float]
    rounds: int


def measure(sizes: Sizes, folder: Path) -> Result:
    """Race after race; in each, rounds in turns, of which the first does not count."""
    figures, rows = [], []
    for race in _races(sizes, folder):
        ours, theirs = _run(race, folder)
        pairs = median([other / own for own, other in zip(ours, theirs, strict=True)])
        figures.append(Figure(race.name, pairs, "of by hand", race.limit, at_least=True))
        rows.append((race.name, median(ours), median(theirs)))
    figures.append(small_windows(sizes.small_windows, folder))
    return Result(
        "jdbc_load",
        "How fast is the JDBC sink with its ledger, against the same rows by hand?",
        figures,
        [Grid("seconds, median", ("", "ours", "by hand"), rows)],
        ["Throughput is by hand's time over ours, pair by pair. Files are closed inside the time."],
    )


def _run(race: Race, folder: Path) -> tuple[list[float], list[float]]:
    found: dict[str, list[float]] = {"ours": [], "theirs": []}
    works = {"ours": race.ours, "theirs": race.theirs}
    for at in range(race.rounds + 1):
        for name in sorted(works, reverse=at % 2 == 0):
            place = folder / f"{name}-{at}"
            place.mkdir()
            taken_s = works[name](place / "x.db")
            shutil.rmtree(place)
            if at:
                found[name].append(taken_s)
    return found["ours"], found["theirs"]


def _races(sizes: Sizes, folder: Path) -> list[Race]:
    rows, spool = table(sizes.driver), spooled(sizes.executors, folder / "spool")
    some, rounds = table(sizes.sqlite), sizes.rounds
    return [
        Race(
            f"DuckDB, append {rows.num_rows:,} rows",
            0.9,
            Loader("duckdb", append()).loads(rows),
            lambda path: duckdb_rows(path, rows),
            rounds,
        ),
        Race(
            f"DuckDB, append {spool.num_rows:,} rows from a spool",
            0.85,
            Loader("duckdb", append()).loads(spool),
            lambda path: duckdb_spool(path, spool),
            rounds,
        ),
        _by_key("upsert", upsert(["word"]), UPSERT, sizes),
        _by_key("accumulate", accumulate(["word"], add=["n"]), ACCUMULATE, sizes),
        Race(
            f"SQLite, append {some.num_rows:,} rows",
            0.9,
            Loader("sqlite", append()).loads(some),
            lambda path: sqlite_rows(path, some),
            rounds,
        ),
    ]


def _by_key(name: str, mode: Mode, statement: str, sizes: Sizes) -> Race:
    """Words of which half are in the table."""
    old, new = words(sizes.keyed, seed=1), words(sizes.keyed, seed=2)
    return Race(
        f"DuckDB, {name} {new.num_rows:,} rows",
        0.9,
        Loader("duckdb", mode).loads(new, after=old),
        lambda path: duckdb_words(path, statement, new, after=old),
        sizes.keyed_rounds,
    )


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
