"""Rows that a check or the database refuses: set aside in the window's own transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pytest

from jdbc_sink import JdbcSink, accumulate, append, call, sql, upsert
from jdbc_sink.errors import BadValue, DeadLettersUnsuitable, TooManyRejects
from jdbc_sink.rejects import sift
from tests.jdbc_sink.typed import INT64, STRING
from windowed.testing.sink_story import Story, frame
from windowlog.errors import BadArgument, Fenced, NotHeld

DATABASES = ("duckdb", "sqlite")
CHECKED = "CREATE TABLE words (word VARCHAR, n BIGINT CHECK (n < 100))"
UNIQUE = "CREATE TABLE words (word VARCHAR UNIQUE, n BIGINT)"


class Place:
    """A database of one kind, and a sink on it with a table for dead letters."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.path = folder / "x.db"
        self.url = f"{kind}:///{self.path}"
        self._connect: Callable[..., Any] = duckdb.connect if kind == "duckdb" else sqlite3.connect

    def ask(self, *queries: str) -> list[Any]:
        """What the database's own driver says to the last query."""
        connection = self._connect(str(self.path))
        try:
            for query in queries:
                answer = connection.execute(query)
            rows = list(answer.fetchall())
            connection.commit()
            return rows
        finally:
            connection.close()

    def sink(self, **options: Any) -> Story:
        """A story whose sink is open and enrolled."""
        sink = JdbcSink(self.url, **{"table": "words", "dead_letters": "rejected", **options})
        story = Story(sink)
        story.open(sink)
        sink.adopt(None, story.beginning)
        return story

    def letters(self) -> list[tuple[int, str, str, Any]]:
        """(window id, table, reason, row) of each dead letter."""
        rows = self.ask("SELECT window_id, target, reason, row FROM rejected ORDER BY 1, 4")
        return [(*row[:3], json.loads(row[3])) for row in rows]


@pytest.fixture(params=DATABASES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Each database."""
    return Place(request.param, tmp_path)


def hold(story: Story, rows: pyarrow.Table) -> None:
    """The next window."""
    window = story.window()
    story.sink.prepare(rows.schema)
    story.sink.stage(window, rows)
    story.sink.hold(window)
    story.sink.close()


def test_a_row_that_a_constraint_refuses_is_set_aside_and_the_others_keep_their_order(
    place: Place,
) -> None:
    """In the same window, with reason and row; the ledger moves on."""
    place.ask(CHECKED)
    story = place.sink()
    hold(story, frame(("c", 1), ("bad", 100), ("a", 2), ("worse", 200), ("b", 3)))
    assert place.ask("SELECT word, n FROM words ORDER BY rowid") == [("c", 1), ("a", 2), ("b", 3)]
    letters = place.letters()
    assert [(each[0], each[1], each[3]) for each in letters] == [
        (1, "words", {"word": "bad", "n": 100}),
        (1, "words", {"word": "worse", "n": 200}),
    ]
    assert all("CHECK constraint failed" in each[2] for each in letters)
    assert place.ask("SELECT pipeline, sink, window_id FROM window_ledger") == [
        ("contract", "out", 1)
    ]
    assert place.ask("SELECT DISTINCT pipeline, sink FROM rejected") == [("contract", "out")]


def test_the_later_of_two_rows_that_exclude_each_other_is_set_aside(place: Place) -> None:
    """Beside a row of its own window, and beside one of an earlier window."""
    place.ask(UNIQUE)
    story = place.sink()
    hold(story, frame(("a", 1), ("b", 2), ("a", 3)))
    hold(story, frame(("b", 4), ("c", 5)))
    assert place.ask("SELECT word, n FROM words ORDER BY n") == [("a", 1), ("b", 2), ("c", 5)]
    assert [each[3]["n"] for each in place.letters()] == [3, 4]


def test_null_in_a_key_is_set_aside(place: Place) -> None:
    """A check of ours; the database is not asked."""
    story = place.sink(mode=accumulate(["word"], add=["n"]))
    rows = pyarrow.table({"word": ["a", None, "a"], "n": [1, 2, 4]})
    hold(story, rows)
    assert place.ask("SELECT word, n FROM words") == [("a", 5)]
    [(window_id, _, reason, row)] = place.letters()
    assert (window_id, row) == (1, {"word": None, "n": 2})
    assert "key may not be NULL" in reason


def test_a_sum_that_overflows_is_set_aside(place: Place) -> None:
    """The row with which it would."""
    story = place.sink(mode=accumulate(["word"], add=["n"]))
    hold(story, frame(("a", 2**63 - 2), ("b", 1)))
    hold(story, frame(("a", 1), ("a", 1), ("b", 1)))
    assert place.ask("SELECT word, n FROM words ORDER BY word") == [("a", 2**63 - 1), ("b", 2)]
    assert [each[3] for each in place.letters()] == [{"word": "a", "n": 1}]


def test_without_a_table_for_them_a_refused_row_stops_the_run(place: Place) -> None:
    """As ever."""
    place.ask(CHECKED)
    story = place.sink(dead_letters=None)
    with pytest.raises(NotHeld, match="CHECK"):
        hold(story, frame(("bad", 100)))
    story.sink.close()
    assert place.ask("SELECT count(*) FROM words") == [(0,)]


def test_without_a_table_for_them_null_in_a_key_stops_the_run(place: Place) -> None:
    """With the column's name."""
    story = place.sink(dead_letters=None, mode=upsert(["word"]))
    rows = pyarrow.table({"word": pyarrow.array([None], pyarrow.string()), "n": [1]})
    with pytest.raises(BadValue, match="column word holds NULL"):
        hold(story, rows)


def test_too_many_are_an_error_and_nothing_is_written(place: Place) -> None:
    """With the first row and its reason; as many as allowed are no error."""
    place.ask(CHECKED)
    story = place.sink(max_rejects=2)
    with pytest.raises(TooManyRejects, match=r"more than 2 rows of window 1.*CHECK.*bad"):
        hold(story, frame(("bad", 100), ("good", 1), ("worse", 101), ("worst", 102)))
    story.sink.close()
    assert place.ask("SELECT count(*) FROM words") == [(0,)]
    assert place.ask("SELECT count(*) FROM rejected") == [(0,)]
    assert place.ask("SELECT window_id FROM window_ledger") == [(0,)]


def test_rows_of_a_window_that_is_fenced_leave_no_dead_letters(place: Place) -> None:
    """Letters and ledger are one transaction."""
    place.ask(CHECKED)
    story = place.sink()
    window = story.window()
    rows = frame(("bad", 100), ("good", 1))
    story.sink.prepare(rows.schema)
    story.sink.stage(window, rows)
    rival = JdbcSink(place.url, table="words", dead_letters="rejected")
    story.open(rival, run_id="22222222-2222-2222-2222-222222222222")
    rival.prepare(rows.schema)
    rival.stage(window, frame(("other", 1)))
    assert isinstance(story.sink, JdbcSink)
    story.sink.idle()
    rival.hold(window)
    rival.close()
    with pytest.raises(Fenced):
        story.sink.hold(window)
    story.sink.close()
    assert place.ask("SELECT word FROM words") == [("other",)]
    assert place.letters() == []


def test_several_tables_share_one_limit_and_each_letter_names_its_table(place: Place) -> None:
    """The other table's rows are all written."""
    place.ask(CHECKED)
    story = place.sink(table=None, tables={"words": append(), "others": append()})
    rows = {"words": frame(("bad", 100), ("good", 1)), "others": frame(("bad", 100))}
    window = story.window()
    story.sink.prepare({key: each.schema for key, each in rows.items()})
    story.sink.stage(window, rows)
    story.sink.hold(window)
    story.sink.close()
    assert place.ask("SELECT word FROM others") == [("bad",)]
    assert place.ask("SELECT word FROM words") == [("good",)]
    assert [(each[1], each[3]["word"]) for each in place.letters()] == [("words", "bad")]


def test_a_map_with_a_key_twice_is_written_down_with_both(place: Place) -> None:
    """As pairs: a JSON object would lose the value for which it is refused."""
    story = place.sink()
    maps = pyarrow.array([[("x", 1), ("x", 2)], [("x", 1)]], pyarrow.map_(STRING, INT64))
    hold(story, pyarrow.table({"m": maps}))
    assert [letter[3] for letter in place.letters()] == [{"m": [["x", 1], ["x", 2]]}]


def test_a_value_that_a_dictionary_has_and_a_row_does_not_use_is_none_of_it(place: Place) -> None:
    """Each row is judged by itself."""
    story = place.sink()
    words = pyarrow.array([b"good", b"\xff"]).cast(STRING, safe=False)
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, 0]), words)
    hold(story, pyarrow.table({"word": column}))
    assert place.ask("SELECT word FROM words") == [("good",), ("good",)]
    assert len(place.letters()) == 1


@pytest.mark.parametrize(
    ("made", "finding"),
    [
        ("CREATE TABLE rejected (word VARCHAR)", "has no column pipeline"),
        ("CREATE VIEW rejected AS SELECT 1 AS word WHERE 1 = 0", "it is a view"),
    ],
)
def test_a_table_that_cannot_take_them_is_refused(place: Place, made: str, finding: str) -> None:
    """Before anything is written."""
    place.ask(made)
    story = place.sink()
    with pytest.raises(DeadLettersUnsuitable, match=finding):
        story.sink.prepare(frame().schema)
    story.sink.close()
    assert place.ask("SELECT count(*) FROM rejected") == [(0,)]


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"dead_letters": "words"}, "dead_letters"),
        ({"dead_letters": "Window_Ledger"}, "dead_letters"),
        ({"dead_letters": ""}, "dead_letters"),
        ({"dead_letters": "x", "mode": sql("INSERT INTO words SELECT * FROM {rows}")}, "dead_"),
        ({"dead_letters": "x", "mode": call(print)}, "dead_letters"),
        ({"max_rejects": 0}, "max_rejects"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], argument: str) -> None:
    """On construction."""
    with pytest.raises(BadArgument, match=f"^{argument}"):
        JdbcSink("duckdb:///:memory:", **{"table": "words", **options})


@pytest.mark.parametrize("bad", [(), (0,), (4,), (9,), (0, 9), (3, 4, 5), tuple(range(10))])
def test_bad_rows_are_found_wherever_they_are(bad: tuple[int, ...]) -> None:
    """First, last, side by side, all, none; with a logarithm of questions for each."""
    asked = 0

    def refusal(rows: pyarrow.Table) -> str | None:
        nonlocal asked
        asked += 1
        found = [n for n in rows["n"].to_pylist() if n in bad]
        return f"has {found[0]}" if found else None

    good, rejects = sift(pyarrow.table({"n": list(range(10))}), refusal, 10)
    assert good["n"].to_pylist() == [n for n in range(10) if n not in bad]
    assert rejects == [(f"has {n}", f'{{"n":{n}}}') for n in bad]
    assert asked <= 1 + 5 * len(bad)
