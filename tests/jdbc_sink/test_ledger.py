"""The ledger: what it keeps, whose row it moves, and tables that only have its name."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jdbc_sink import JdbcSink
from jdbc_sink.errors import LedgerUnsuitable
from tests.jdbc_sink.windows import Bench
from windowed.testing.sink_story import SCHEMA, Story, frame, hold
from windowlog.contracts import SinkContext
from windowlog.errors import Fenced, NotHeld
from windowlog.values import Plan
from windowlog.wiring import Held

# What a name or a path may contain, and a statement must not be moved by.
HOSTILE = ("it's", 'say "no"', "back\\slash", "100 %s", ":name $1 ?", "'; DROP TABLE x; --", "é\n")


@pytest.mark.parametrize("text", HOSTILE)
def test_names_and_positions_come_back_as_they_were(tmp_path: Path, text: str) -> None:
    """Values are written into the statement: none may end it, or lose a backslash."""
    bench = Bench(tmp_path / "x.duckdb")
    sink, story = bench.make(), bench.story
    bench.sink.close()
    sink.open(SinkContext(f"p{text}", f"s{text}", story.log.header.log_id, "run"))
    sink.adopt(None, story.beginning)
    plans = {text: Plan((), {text: [text]})}
    hold(sink, replace(story.window(), plans=plans), ("a", 1))
    held = sink.held()
    sink.close()
    assert held is not None
    assert (held.window_id, held.positions) == (1, {text: {text: [text]}})
    rows = bench.ask("SELECT pipeline, sink FROM window_ledger ORDER BY pipeline")
    assert rows == sorted([("contract", "out"), (f"p{text}", f"s{text}")])


def test_a_path_that_is_not_unicode_comes_back(tmp_path: Path) -> None:
    """As Python reads it from the disk, and as the log keeps it."""
    bench = Bench(tmp_path / "x.duckdb")
    path = "caf\udce9"
    held = replace(bench.story.beginning, window_id=7, positions={"lines": {path: 1}})
    bench.sink.adopt(bench.story.beginning, held)
    assert bench.sink.held() == held


def test_only_the_row_of_this_pipeline_and_sink_moves(tmp_path: Path) -> None:
    """Names that differ in case, or by a blank at the end, are different names."""
    bench = Bench(tmp_path / "x.duckdb")
    story = bench.story
    for name in ("Out", "out ", "OUT"):
        other = story.open(bench.make(), name=name)
        other.adopt(None, story.beginning)
        other.close()
    bench.hold(("a", 1))
    rows = bench.ask("SELECT sink, window_id FROM window_ledger ORDER BY sink")
    assert rows == [("OUT", 0), ("Out", 0), ("out", 1), ("out ", 0)]


@pytest.mark.parametrize("what", ["target", "mode"])
def test_who_writes_to_another_table_or_in_another_way_is_fenced(tmp_path: Path, what: str) -> None:
    """The row was adopted for it since: right number, log and digest, and yet not ours."""
    bench = Bench(tmp_path / "x.duckdb")
    before = bench.story.beginning
    after = replace(before, identity=replace(before.identity, **{what: "another"}))
    bench.sink.adopt(before, after)
    with pytest.raises(Fenced, match="another"):
        bench.hold(("a", 1))
    bench.sink.close()
    assert bench.ask("FROM words") == []
    assert bench.ask(f"SELECT window_id, {what} FROM window_ledger") == [(0, "another")]


def test_it_says_when_it_moved(tmp_path: Path) -> None:
    """In UTC, for people."""
    bench = Bench(tmp_path / "x.duckdb")
    before = datetime.now(UTC).replace(tzinfo=None)
    bench.hold(("a", 1))
    after = datetime.now(UTC).replace(tzinfo=None)
    (moved,) = bench.ask("SELECT updated_at FROM window_ledger")[0]
    assert before - timedelta(milliseconds=1) <= moved <= after


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("CREATE TABLE window_ledger (pipeline VARCHAR, mine INTEGER)", "has no column sink, log_"),
        ("CREATE VIEW window_ledger AS SELECT 1 AS pipeline", "it is a view"),
    ],
)
def test_a_table_that_only_has_its_name_is_refused_and_left_alone(
    tmp_path: Path, statement: str, finding: str
) -> None:
    """By every question, and nothing is made."""
    bench = Bench(tmp_path / "x.duckdb", ledger_table="other_ledger")
    bench.ask(statement)
    sink = JdbcSink(f"duckdb:///{bench.path}", table="words")
    story = Story(sink)
    story.open(sink)
    for question in (sink.held, sink.target, lambda: sink.adopt(None, story.beginning)):
        with pytest.raises(LedgerUnsuitable, match=finding):
            question()
    sink.close()
    assert len(bench.ask("SHOW TABLES")) == 2


def test_a_ledger_in_a_schema_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """When it would be made; to look for it is no error."""
    sink = JdbcSink(f"duckdb:///{tmp_path / 'x.duckdb'}", table="w", ledger_table="nope.ledger")
    story = Story(sink)
    story.open(sink)
    with pytest.raises(LedgerUnsuitable, match="there is no schema nope"):
        sink.adopt(None, story.beginning)
    assert sink.held() is None


def test_two_drivers_at_one_row_at_one_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slower compare-and-set meets the faster one's open transaction: not held, nothing is
    known to be wrong; once the faster one has committed it is fenced."""
    bench = Bench(tmp_path / "x.duckdb")
    window = bench.stage(frame(("slow", 1)))
    rival = bench.make()
    bench.story.open(rival, run_id="22222222-2222-2222-2222-222222222222")
    rival.prepare(SCHEMA)
    rival.stage(window, frame(("fast", 1)))
    load = rival._database.load.append

    def meanwhile(*arguments: Any) -> None:
        load(*arguments)
        with pytest.raises(NotHeld):
            bench.sink.hold(window)

    monkeypatch.setattr(rival._database.load, "append", meanwhile)
    rival.hold(window)
    rival.close()
    bench.sink.stage(window, frame(("slow", 1)))
    with pytest.raises(Fenced):
        bench.sink.hold(window)
    assert bench.ask("SELECT word FROM words") == [("fast",)]


def test_the_row_is_never_deleted_and_never_doubled(tmp_path: Path) -> None:
    """A second beginning is fenced; the row stays at its window."""
    bench = Bench(tmp_path / "x.duckdb")
    bench.hold(("a", 1))
    held = bench.sink.held()
    with pytest.raises(Fenced):
        bench.sink.adopt(None, bench.story.beginning)
    assert isinstance(held, Held)
    assert bench.sink.held() == held
    assert bench.ask("SELECT count(*) FROM window_ledger") == [(1,)]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE window_ledger SET positions = 'nonsense'",
        "ALTER TABLE window_ledger ALTER window_id TYPE VARCHAR",
    ],
)
def test_a_row_that_a_hand_has_spoilt_is_named(tmp_path: Path, damage: str) -> None:
    """Not the error of whoever stumbles over it, and nothing is changed."""
    bench = Bench(tmp_path / "x.duckdb")
    bench.hold(("a", 1))
    bench.sink.close()
    bench.ask(damage)
    with pytest.raises(LedgerUnsuitable, match=r"row of this sink.* not what a ledger writes"):
        bench.sink.held()


def test_a_ledger_that_was_copied_without_its_key_and_filled_twice_is_named(tmp_path: Path) -> None:
    """Two rows for one sink: which of them counts, a person says."""
    bench = Bench(tmp_path / "x.duckdb")
    bench.hold(("a", 1))
    bench.sink.close()
    bench.ask("CREATE TABLE copied AS SELECT * FROM window_ledger")
    bench.ask("DROP TABLE window_ledger")
    bench.ask("ALTER TABLE copied RENAME TO window_ledger")
    bench.ask("INSERT INTO window_ledger SELECT * FROM window_ledger")
    with pytest.raises(LedgerUnsuitable, match="has 2 rows of this sink"):
        bench.sink.held()


def test_a_time_that_is_none_stops_nobody(tmp_path: Path) -> None:
    """`updated_at` is for people, and SQLite takes anything there."""
    bench = Bench(tmp_path / "x.db", "sqlite")
    bench.hold(("a", 1))
    bench.ask("UPDATE window_ledger SET updated_at = 'yesterday'")
    bench.hold(("b", 1))
    assert bench.ask("SELECT window_id FROM window_ledger") == [(2,)]
