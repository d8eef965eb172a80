"""The rivals' sink: what a person writes into DuckDB by hand, in the fastest way we know.

`ByHand.add` promises nothing after a crash. `ByHand.add_once` remembers a number in the same
transaction, as foreachBatch needs it to be idempotent.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow

TABLE = "word_counts"
_INSERT = (
    f"INSERT INTO {TABLE} AS target SELECT word, sum(count)::BIGINT FROM new_rows GROUP BY word"
    " ON CONFLICT (word) DO UPDATE SET count = target.count + excluded.count"
)


class ByHand:
    """A DuckDB file with the table of word counts, kept open."""

    def __init__(self, path: Path) -> None:
        self._connection = duckdb.connect(str(path))
        self._connection.execute(f"CREATE TABLE {TABLE} (word VARCHAR PRIMARY KEY, count BIGINT)")
        self._connection.execute("CREATE TABLE done (number BIGINT)")
        self._connection.execute("INSERT INTO done VALUES (-1)")

    def add(self, rows: pyarrow.Table) -> None:
        """One transaction with the rows."""
        self._connection.begin()
        self._insert(rows)
        self._connection.commit()

    def add_once(self, number: int, rows: pyarrow.Table) -> None:
        """One transaction with the rows and the number, unless it was done."""
        self._connection.begin()
        moved = self._connection.execute(
            "UPDATE done SET number = $1 WHERE number < $1", [number]
        ).fetchone()
        if moved == (1,):
            self._insert(rows)
        self._connection.commit()

    def _insert(self, rows: pyarrow.Table) -> None:
        self._connection.register("new_rows", rows)
        try:
            self._connection.execute(_INSERT)
        finally:
            self._connection.unregister("new_rows")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def totals(path: Path) -> tuple[int, int]:
    """(words, sum of their counts) of a database's table: rivals must agree in both."""
    with duckdb.connect(str(path), read_only=True) as connection:
        found = connection.execute(f"SELECT count(*), sum(count)::BIGINT FROM {TABLE}").fetchone()
    assert found is not None, "an aggregate always gives a row"
    return found[0], found[1]


def check_equal(ours: Path, theirs: Path) -> None:
    """A benchmark of wrong results is none: RuntimeError unless both tables hold the same."""
    found = totals(ours), totals(theirs)
    if found[0] != found[1]:
        raise RuntimeError(f"{ours} holds {found[0]} (words, counts), {theirs} holds {found[1]}")
