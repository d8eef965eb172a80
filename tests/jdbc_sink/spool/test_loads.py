"""A window through a spool: once, whatever fails; nothing stays; large ones go this way."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pytest

from jdbc_sink import JdbcSink, accumulate, append, call, replace_window, sql, upsert
from jdbc_sink.effects import Mode
from jdbc_sink.errors import BadValue, SpoolFailed
from jdbc_sink.loads import EXECUTORS_FROM_BYTES, EXECUTORS_FROM_RECORDS, is_large
from tests.jdbc_sink.spool.faults import Faults, failing
from tests.jdbc_sink.spool.tasks import SCHEMA, Frame, without_spark
from windowed.testing.sink_story import Story
from windowlog.errors import Fenced, NotHeld
from windowlog.values import Part, Plan
from windowlog.window import Window

ROWS = Frame([[("a", 1), ("b", 2)], [], [("c", 3)]])
FAULTS_MAX = 200


class Spooled:
    """A sink that loads through executors, and what its database says itself."""

    def __init__(self, folder: Path, kind: str, mode: Mode, **arguments: Any) -> None:
        self.path = folder / f"x.{kind}"
        self.url = f"{kind}:///{self.path}"
        self.mode = mode
        self.arguments = {"load": "executors", **arguments}
        self.sink = self.make()
        self.story = Story(self.sink)
        self.story.open(self.sink)
        self.sink.adopt(None, self.story.beginning)

    def make(self) -> JdbcSink:
        """Another one, as a new run has it."""
        return JdbcSink(self.url, table="words", mode=self.mode, **self.arguments)

    def stage(self, frame: Any, window: Window | None = None) -> Window:
        """Prepare and stage."""
        window = window or self.story.window()
        self.sink.prepare(SCHEMA)
        self.sink.stage(window, frame)
        return window

    def rows(self) -> list[tuple[Any, ...]]:
        """What is visible, in order. Nothing if there is no table."""
        try:
            return self.ask("SELECT word, n FROM words ORDER BY word, n")
        except (duckdb.CatalogException, sqlite3.OperationalError):
            return []

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """The database's own answer, once the sink has let go."""
        self.sink.close()
        connect: Any = duckdb.connect if self.url.startswith("duckdb") else sqlite3.connect
        with closing(connect(str(self.path))) as connection:
            found: list[tuple[Any, ...]] = connection.execute(statement).fetchall()
            return found

    def left(self) -> list[str]:
        """What is beside the database."""
        return sorted(set(os.listdir(self.path.parent)) - {self.path.name})


@pytest.fixture(params=["duckdb", "sqlite"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each database, without Spark."""
    without_spark(monkeypatch)
    return str(request.param)


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (append(), [("a", 1), ("a", 5), ("b", 2), ("c", 3), ("d", 6)]),
        (upsert(["word"]), [("a", 5), ("b", 2), ("c", 3), ("d", 6)]),
        (accumulate(["word"], add=["n"]), [("a", 6), ("b", 2), ("c", 3), ("d", 6)]),
        (replace_window(), [("a", 1), ("a", 5), ("b", 2), ("c", 3), ("d", 6)]),
    ],
    ids=["append", "upsert", "accumulate", "replace_window"],
)
def test_each_mode_takes_rows_from_a_spool(
    tmp_path: Path, kind: str, mode: Mode, expected: list[tuple[str, int]], size: int
) -> None:
    """Two windows, in statements of one, two and all rows; nothing stays."""
    spooled = Spooled(tmp_path, kind, mode, rows_per_statement=size)
    for frame in (ROWS, Frame([[("a", 5)], [("d", 6)]])):
        spooled.sink.hold(spooled.stage(frame))
    assert spooled.rows() == expected
    assert spooled.left() == []


def test_own_statements_and_functions_take_rows_from_a_spool(tmp_path: Path, kind: str) -> None:
    """A relation, and a table in memory."""
    seen: list[pyarrow.Table] = []
    insert = "INSERT INTO words SELECT new.word, {window_id} FROM {rows} AS new"
    spooled = Spooled(tmp_path, kind, sql(insert))
    spooled.ask("CREATE TABLE words (word TEXT, n BIGINT)")
    spooled.sink.hold(spooled.stage(ROWS))
    assert spooled.rows() == [("a", 1), ("b", 1), ("c", 1)]
    (tmp_path / "again").mkdir()
    spooled = Spooled(tmp_path / "again", kind, call(lambda _, rows, __: seen.append(rows)))
    spooled.ask("CREATE TABLE words (word TEXT, n BIGINT)")
    spooled.sink.hold(spooled.stage(ROWS))
    assert seen == [ROWS.table()]


def test_a_window_without_rows_is_held(tmp_path: Path, kind: str) -> None:
    """No file at all."""
    spooled = Spooled(tmp_path, kind, append())
    window = spooled.stage(Frame([[], []]))
    spooled.sink.hold(window)
    held = spooled.sink.held()
    assert held is not None
    assert held.window_id == window.id
    assert spooled.rows() == []


def test_null_in_a_key_is_found_in_a_spool(tmp_path: Path, kind: str) -> None:
    """The tasks count it."""
    spooled = Spooled(tmp_path, kind, upsert(["word"]))
    with pytest.raises(BadValue, match="column word holds NULL"):
        spooled.stage(Frame([[("a", 1)], [(None, 2)]]))


def test_a_path_may_look_like_anything(tmp_path: Path, kind: str) -> None:
    """A pattern, a partition, a quote."""
    for name in ("a[b]*", "key=value", "it's", "ü n"):
        folder = tmp_path / name
        folder.mkdir()
        spooled = Spooled(folder, kind, append())
        spooled.sink.hold(spooled.stage(ROWS))
        assert spooled.rows() == [("a", 1), ("b", 2), ("c", 3)]


def test_what_a_kill_left_of_a_window_goes_in_the_run_that_holds_it(
    tmp_path: Path, kind: str
) -> None:
    """Not only in the next one: a run may go on for ever."""
    killed = Spooled(tmp_path, kind, append())
    window = killed.stage(ROWS)
    (left,) = (tmp_path / f"x.{kind}.spool").glob("*/*")
    sink = killed.make()
    killed.story.open(sink)
    sink.prepare(SCHEMA)
    sink.stage(window, ROWS)
    assert left.exists(), "until it is held, a living rival may need it"
    sink.hold(window)
    sink.committed(window.id)
    assert not left.exists()
    sink.close()
    assert killed.rows() == [("a", 1), ("b", 2), ("c", 3)]


def test_each_step_of_a_spool_may_fail_and_each_row_takes_effect_once(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is visible then; the replay gives the same rows; nothing stays."""
    hits = set()
    for at in range(1, FAULTS_MAX):
        folder = tmp_path / str(at)
        folder.mkdir()
        spooled = Spooled(folder, kind, append(), rows_per_statement=1)
        spooled.sink.prepare(SCHEMA)
        faults = Faults(at)
        window = spooled.story.window()
        with failing(faults, monkeypatch):
            try:
                spooled.sink.stage(window, ROWS)
            except SpoolFailed:
                assert spooled.rows() == [], faults.hit
        if faults.hit:
            spooled.sink.abandon(window)
            spooled.story.open(spooled.sink)
            spooled.stage(ROWS, window)
        spooled.sink.hold(window)
        assert spooled.rows() == [("a", 1), ("b", 2), ("c", 3)], faults.hit
        assert spooled.left() == [], faults.hit
        hits.add(faults.hit)
        if not faults.hit:
            break
    assert hits == {"open", "write", "close", "replace", "mkdir", "read", ""}


def test_a_spool_that_is_gone_at_the_hold_is_staged_again(tmp_path: Path, kind: str) -> None:
    """Surely not held, and nothing is visible."""
    spooled = Spooled(tmp_path, kind, append())
    window = spooled.stage(ROWS)
    for path in tmp_path.rglob("*.parquet"):
        path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(NotHeld):
        spooled.sink.hold(window)
    assert spooled.rows() == []
    spooled.story.open(spooled.sink)
    spooled.sink.hold(spooled.stage(ROWS, window))
    assert spooled.rows() == [("a", 1), ("b", 2), ("c", 3)]


def test_an_abandoned_window_leaves_nothing(tmp_path: Path, kind: str) -> None:
    """Its folder goes at once."""
    spooled = Spooled(tmp_path, kind, append())
    window = spooled.stage(ROWS)
    assert list(tmp_path.rglob("*.parquet"))
    spooled.sink.abandon(window)
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_rivals_spool_stays_until_its_window_is_held(tmp_path: Path, kind: str) -> None:
    """Then the rival is fenced, with and without its files, and a new run sweeps them."""
    spooled = Spooled(tmp_path, kind, append())
    rival = spooled.make()
    window = spooled.stage(ROWS)
    spooled.sink.close()
    spooled.story.open(rival, run_id="22222222-2222-2222-2222-222222222222")
    rival.prepare(SCHEMA)
    rival.stage(window, ROWS)
    theirs = list(tmp_path.rglob("*.parquet"))
    rival._connections.release()
    spooled.story.open(spooled.sink)
    spooled.sink.hold(spooled.stage(ROWS, window))
    assert set(theirs) <= set(tmp_path.rglob("*.parquet"))
    spooled.sink.close()
    again = spooled.make()
    spooled.story.open(again)
    again.prepare(SCHEMA)
    assert not list(tmp_path.rglob("*.parquet"))
    again.close()
    with pytest.raises(Fenced):
        rival.hold(window)
    rival.close()
    assert spooled.rows() == [("a", 1), ("b", 2), ("c", 3)]


@pytest.mark.parametrize(
    ("size_bytes", "records", "large"),
    [
        (None, None, False),
        (EXECUTORS_FROM_BYTES - 1, EXECUTORS_FROM_RECORDS - 1, False),
        (EXECUTORS_FROM_BYTES, None, True),
        (None, EXECUTORS_FROM_RECORDS, True),
    ],
)
def test_large_plans_go_through_executors(
    tmp_path: Path, size_bytes: int | None, records: int | None, large: bool
) -> None:
    """By what is known of their size."""
    window = Spooled(tmp_path, "duckdb", append()).story.window()
    plan = Plan((Part("p", {}),), 1, size_bytes, records)
    assert is_large(replace(window, plans={"rows": plan})) is large
