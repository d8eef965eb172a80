"""What an unknown commit means: the table of doubt.py, and the sink that uses it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from jdbc_sink.doubt import Verdict, judge
from tests.jdbc_sink.windows import DATABASES, Bench
from windowed.testing.sink_story import Story, frame
from windowlog.errors import CommitUnknown, Fenced, NotHeld, PreviousFailure
from windowlog.window import Window
from windowlog.wiring import Held

GONE = {"duckdb": duckdb.IOException, "sqlite": sqlite3.OperationalError}
OTHER = "33333333-3333-3333-3333-333333333333"


@pytest.fixture(params=DATABASES)
def bench(tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    """A sink that holds one window."""
    bench = Bench(tmp_path / "x.db", request.param)
    bench.hold(("a", 1))
    return bench


def test_the_ledger_decides_what_a_window_is(bench: Bench) -> None:
    """Every row of the table, and every field that may differ."""
    story: Story = bench.story
    window = story.window()
    beginning = story.beginning
    run_id, log_id = story.run_id, window.log_id
    ours = Held(log_id, window.id, window.digest, run_id, beginning.identity)
    before = replace(ours, window_id=window.id - 1, digest=window.previous, run_id=OTHER)
    assert judge(window, run_id, ours.identity, ours) is Verdict.HELD
    assert judge(window, run_id, ours.identity, before) is Verdict.NOT_HELD
    fenced = (
        None,
        replace(ours, run_id=OTHER),
        replace(ours, digest=OTHER),
        replace(ours, log_id=OTHER),
        replace(ours, window_id=window.id + 1),
        replace(before, digest=OTHER),
        replace(before, log_id=OTHER),
        replace(before, window_id=window.id - 2),
        replace(before, identity=replace(before.identity, target="another table")),
        replace(before, identity=replace(before.identity, mode="another mode")),
    )
    for found in fenced:
        assert judge(window, run_id, ours.identity, found) is Verdict.FENCED, found


def test_our_digest_under_another_run_is_not_ours(bench: Bench) -> None:
    """Another driver replayed the same plan: the same digest, and perhaps not the same rows."""
    window = bench.stage(frame(("ours", 1)))
    rival = bench.story.open(bench.make(), run_id=OTHER)
    bench.sink.idle()
    rival.prepare(frame().schema)
    rival.stage(window, frame(("theirs", 2)))
    rival.hold(window)
    rival.close()
    with pytest.raises(Fenced, match="window 2 of run 33333333"):
        bench.sink.hold(window)
    assert bench.ask("SELECT word FROM words ORDER BY n") == [("a",), ("theirs",)]


class Commit:
    """Breaks the commits of all engines, before or `after` they take effect; `then` comes last."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        bench: Bench,
        *,
        after: bool,
        then: Callable[[], None] = lambda: None,
        error: BaseException | None = None,
    ) -> None:
        self.count = 0
        dialect: Any = type(bench.sink._connections._engine.dialect)
        original = dialect.do_commit

        def commit(own: Any, connection: Any) -> None:
            self.count += 1
            if after:
                original(own, connection)
            then()
            raise error or GONE[bench.database]("the connection is gone")

        monkeypatch.setattr(dialect, "do_commit", commit)
        self.undo: Callable[[], None] = lambda: monkeypatch.setattr(dialect, "do_commit", original)


def test_a_commit_whose_answer_is_lost_is_found_in_the_ledger(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took effect: the window is held, and nothing is written twice."""
    window = bench.stage(frame(("b", 2)))
    commit = Commit(monkeypatch, bench, after=True)
    bench.sink.hold(window)
    commit.undo()
    assert commit.count == 1
    assert bench.ask("SELECT word FROM words ORDER BY word") == [("a",), ("b",)]


def test_a_commit_that_did_not_take_effect_is_run_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger is at n-1: not held, and the same window can be held afterwards."""
    window = bench.stage(frame(("b", 2)))
    commit = Commit(monkeypatch, bench, after=False)
    with pytest.raises(NotHeld, match="the connection is gone"):
        bench.sink.hold(window)
    commit.undo()
    bench.sink.stage(window, frame(("b", 2)))
    bench.sink.hold(window)
    assert bench.ask("SELECT count(*) FROM words") == [(2,)]


def test_an_answer_that_cannot_be_read_leaves_the_sink_refusing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CommitUnknown, then PreviousFailure until it is opened anew; the ledger tells then."""
    window = bench.stage(frame(("b", 2)))
    aside = bench.path.with_name("aside.duckdb")

    def vanish() -> None:
        bench.path.rename(aside)
        bench.path.write_text("not a database" * 100)

    commit = Commit(monkeypatch, bench, after=True, then=vanish)
    with pytest.raises(CommitUnknown, match=r"not a valid DuckDB database|file is not a database"):
        bench.sink.hold(window)
    commit.undo()
    aside.rename(bench.path)
    assert _refused(bench, window) == 4
    again = bench.story.open(bench.make())
    held = again.held()
    again.close()
    assert held is not None
    assert held.window_id == 2
    assert bench.ask("SELECT word FROM words ORDER BY word") == [("a",), ("b",)]
    bench.story.open(bench.sink)
    bench.hold(("c", 3))


def _refused(bench: Bench, window: Window) -> int:
    """How many kinds of work the sink refuses; all, or this fails."""
    beginning = bench.story.beginning
    work: tuple[Callable[[], None], ...] = (
        lambda: bench.sink.hold(window),
        lambda: bench.sink.prepare(frame().schema),
        lambda: bench.sink.stage(window, frame()),
        lambda: bench.sink.adopt(beginning, beginning),
    )
    for each in work:
        with pytest.raises(PreviousFailure):
            each()
    return len(work)


@pytest.mark.parametrize("after", [False, True])
def test_a_commit_that_was_interrupted_leaves_the_sink_refusing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    """By the keyboard, say: nobody knows how far it came, until a new start reads the ledger."""
    window = bench.stage(frame(("b", 2)))
    commit = Commit(monkeypatch, bench, after=after, error=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        bench.sink.hold(window)
    commit.undo()
    assert _refused(bench, window) == 4
    bench.story.open(bench.sink)
    held = bench.sink.held()
    assert held is not None
    assert held.window_id == (2 if after else 1)


def test_what_is_interrupted_before_the_commit_is_rolled_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No doubt, then: the sink goes on."""
    window = bench.stage(frame(("b", 2)))

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(bench.sink._database.load, "append", stopped)
        with pytest.raises(KeyboardInterrupt):
            bench.sink.hold(window)
    bench.sink.hold(window)
    assert bench.ask("SELECT word, n FROM words ORDER BY n") == [("a", 1), ("b", 2)]


def test_a_statement_that_fails_before_the_commit_is_no_doubt(bench: Bench) -> None:
    """A swallowed error followed by COMMIT reports success and stores nothing: never do that."""
    window = bench.stage(frame(("b", 2)))
    bench.ask("DROP TABLE words")
    bench.sink.stage(window, frame(("b", 2)))
    with pytest.raises(NotHeld, match="words"):
        bench.sink.hold(window)
    assert bench.ask("SELECT window_id FROM window_ledger") == [(1,)]
