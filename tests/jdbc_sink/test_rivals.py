"""Sinks that fill one table by `replace_window`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jdbc_sink import JdbcSink, append, replace_window
from jdbc_sink.errors import TargetUnsuitable
from tests.jdbc_sink.windows import DATABASES, ask
from windowed import Pipeline
from windowed.testing import RowsInput
from windowlog import WindowLog

both = pytest.mark.parametrize("database", DATABASES)
REPLACE = replace_window()


def run(name: str, sinks: dict[str, JdbcSink], log: WindowLog, words: str = "ab") -> None:
    """A pipeline of this name that has a window for each word, and gives all sinks the same."""
    Pipeline(
        name,
        inputs={
            "words": RowsInput([[(f"{name} {word}",)] for word in words], schema="word string")
        },
        transform=lambda words: {
            sink: dict.fromkeys(each.tables, words) or words for sink, each in sinks.items()
        },
        sinks=sinks,
        log=log,
    ).run(None, progress=False)


@both
@pytest.mark.parametrize(
    "arguments",
    [
        {"table": "words", "mode": REPLACE},
        {"table": "MAIN.Words", "mode": REPLACE},
        {"tables": {"other": append(), "words": REPLACE}},
    ],
)
def test_a_second_pipeline_does_not_take_away_the_rows_of_the_first(
    tmp_path: Path, database: str, arguments: dict[str, Any]
) -> None:
    """Windows of both have the same numbers."""
    url = f"{database}:///{tmp_path / 'x.db'}"
    run("one", {"out": JdbcSink(url, table="words", mode=REPLACE)}, WindowLog.in_memory())
    with pytest.raises(TargetUnsuitable, match="sink out of pipeline one fills it by"):
        run("two", {"out": JdbcSink(url, **arguments)}, WindowLog.in_memory())
    assert ask(tmp_path / "x.db", database, "SELECT * FROM words") == [("one a", 1), ("one b", 2)]


@both
def test_two_sinks_of_one_pipeline_do_not_take_away_each_others_rows(
    tmp_path: Path, database: str
) -> None:
    """They are refused before anything is written."""
    url = f"{database}:///{tmp_path / 'x.db'}"
    sinks = {name: JdbcSink(url, table="words", mode=REPLACE) for name in ("first", "second")}
    with pytest.raises(TargetUnsuitable, match="sink second of pipeline one fills it by"):
        run("one", sinks, WindowLog.in_memory())
    assert ask(tmp_path / "x.db", database, "SELECT * FROM words") == []


@both
def test_other_columns_tables_and_modes_are_no_rivals(tmp_path: Path, database: str) -> None:
    """Nor is the sink itself, in a later run."""
    url = f"{database}:///{tmp_path / 'x.db'}"
    ask(tmp_path / "x.db", database, "CREATE TABLE words (word VARCHAR, one BIGINT, two BIGINT)")
    log = WindowLog.in_memory()
    mine = JdbcSink(url, table="words", mode=replace_window(column="one"))
    run("one", {"out": mine}, log, "a")
    run("one", {"out": mine}, log, "ab")
    others = {
        "column": JdbcSink(url, table="words", mode=replace_window(column="two")),
        "append": JdbcSink(url, table="words"),
        "table": JdbcSink(url, table="others", mode=replace_window(column="one")),
    }
    run("two", others, WindowLog.in_memory(), "c")
    found = ask(tmp_path / "x.db", database, "SELECT * FROM words ORDER BY word, one, two")
    assert sorted(found, key=str) == sorted(
        [("one a", 1, None), ("one b", 2, None), ("two c", None, 1), ("two c", None, None)],
        key=str,
    )
