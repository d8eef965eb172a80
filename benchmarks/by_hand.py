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

_TOTALS = (
    f"INSERT INTO {TABLE} AS target SELECT word, count FROM new_rows"
    " ON CONFLICT (word) DO UPDATE SET count = excluded.count"
)


class ByHand:
    """A DuckDB file with the table of word counts, kept open. `totals`: what comes are new totals,
    and not counts to be added."""

    def __init__(self, path: Path, *, totals: bool = False) -> None:
        self._statement = _TOTALS if totals else _INSERT
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
            f"UPDATE done SET number = {number:d} WHERE number < {number:d}"
        ).fetchone()
        if moved == (1,):
            self._insert(rows)
        self._connection.commit()

    def _insert(self, rows: pyarrow.Table) -> None:
        self._connection.register("new_rows", rows)
        try:
            self._connection.execute(self._statement)
        finally:
            self._connection.unregister("new_rows")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def contents(path: Path) -> list[tuple[str, int]]:
    """All words of a database and their counts, in order."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(f"SELECT word, count FROM {TABLE} ORDER BY word").fetchall()


def check_equal(ours: Path, theirs: Path) -> None:
    """A benchmark of wrong results is none: RuntimeError unless both tables hold the same."""
    found, expected = contents(ours), contents(theirs)
    if found != expected or not found:
        counts = f"{sum(n for _, n in found)} and {sum(n for _, n in expected)}"
        raise RuntimeError(f"{ours} and {theirs} differ: they count {counts} words")
