"""Tables that somebody alters while a run goes on."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from jdbc_sink import append, upsert
from jdbc_sink.effects import Mode
from jdbc_sink.errors import TargetUnsuitable
from tests.jdbc_sink.windows import DATABASES, Bench, ask
from windowlog.errors import NotHeld

both = pytest.mark.parametrize("database", DATABASES)


def rows(word: str, n: float) -> pyarrow.Table:
    """A frame of one row."""
    return pyarrow.table({"word": [word], "n": [n]})


@both
@pytest.mark.parametrize(
    ("columns", "mode", "finding"),
    [
        ("word INTEGER, n DOUBLE", append(), "column word is INTEGER"),
        ("word VARCHAR, n INTEGER", append(), "column n is INTEGER"),
        ("word VARCHAR COLLATE NOCASE PRIMARY KEY, n DOUBLE", upsert(["word"]), "the collation"),
    ],
)
def test_a_table_that_would_change_values_now_takes_none(
    tmp_path: Path, database: str, columns: str, mode: Mode, finding: str
) -> None:
    """It was made anew between two windows: '007' would be 7, and 2.5 be 2 or 3."""
    bench = Bench(tmp_path / "x.db", database, mode=mode)
    bench.hold_all(rows("006", 1.5))
    window = bench.stage(rows("007", 2.5))
    bench.sink.idle()
    ask(bench.path, database, "DROP TABLE words")
    ask(bench.path, database, f"CREATE TABLE words ({columns})")
    with pytest.raises(TargetUnsuitable, match=finding):
        bench.sink.hold(window)
    assert bench.ask("SELECT count(*) FROM words") == [(0,)]
    assert bench.ask("SELECT window_id FROM window_ledger") == [(1,)]


@both
def test_a_table_that_still_fits_is_filled_on(tmp_path: Path, database: str) -> None:
    """A new column of somebody's is no reason to stop."""
    bench = Bench(tmp_path / "x.db", database)
    bench.hold_all(rows("a", 1.0))
    bench.sink.idle()
    ask(bench.path, database, "ALTER TABLE words ADD COLUMN note VARCHAR")
    bench.hold_all(rows("b", 2.0), rows("c", 3.0))
    assert bench.ask("SELECT word, note FROM words") == [("a", None), ("b", None), ("c", None)]


@both
def test_a_table_that_is_gone_is_not_made_again(tmp_path: Path, database: str) -> None:
    """The next start misses it (TargetLost)."""
    bench = Bench(tmp_path / "x.db", database)
    bench.hold_all(rows("a", 1.0))
    bench.sink.idle()
    ask(bench.path, database, "DROP TABLE words")
    with pytest.raises(NotHeld, match="words"):
        bench.hold_all(rows("b", 2.0))
    assert bench.ask("SELECT window_id FROM window_ledger") == [(1,)]
