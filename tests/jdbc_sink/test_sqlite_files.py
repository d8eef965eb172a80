"""SQLite files: who may use one when, and what is no database or cannot be written."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from jdbc_sink import upsert
from jdbc_sink.databases.sqlite.place import SqlitePlace
from jdbc_sink.errors import DatabaseFailed, DatabaseLocked, DatabaseUnusable
from tests.jdbc_sink.processes import another_process, in_child
from tests.jdbc_sink.test_files import NOBODY
from tests.jdbc_sink.windows import Bench, ask
from tests.sleeps import instead_of_sleep
from windowed.testing.sink_story import frame
from windowlog.errors import Fenced, NotHeld

OTHER_RUN = "44444444-4444-4444-4444-444444444444"
# A driver of SQLite that waits by itself; a busy machine is never as slow.
PATIENCE_S = 100.0


def opened(path: Path, *statements: str) -> str:
    """A program that opens the database and runs these in a transaction."""
    return (
        "import sqlite3\n"
        f"c = sqlite3.connect({str(path)!r}, isolation_level=None)\n"
        f"for each in {statements!r}: c.execute(each).fetchall()"
    )


@pytest.mark.parametrize("journal", ["delete", "truncate", "persist", "wal"])
@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_lock_error_says_who_holds_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: str, lock: str
) -> None:
    """Soon, whatever the driver's own patience; and it passes when that process ends."""
    patient = partial(sqlite3.connect, timeout=PATIENCE_S)
    monkeypatch.setattr("sqlite3.dbapi2.connect", patient)
    bench = Bench(tmp_path / "x.db", "sqlite", lock_wait_s=0.1)
    bench.ask(f"PRAGMA journal_mode = {journal}")
    bench.hold(("a", 1))
    window = bench.stage(frame(("b", 2)))
    bench.sink.idle()
    start_s = time.monotonic()
    begin = (f"BEGIN {lock}", "INSERT INTO words VALUES ('theirs', 0)")
    with another_process(opened(bench.path, *begin)) as pid:
        with pytest.raises(DatabaseLocked) as locked:
            bench.sink.held()
        with pytest.raises(NotHeld, match=f"process {pid}"):
            bench.sink.hold(window)
    assert time.monotonic() - start_s < PATIENCE_S
    for said in (f"process {pid}", "import sqlite3", "within 0.1 s", str(bench.path)):
        assert said in str(locked.value)
    bench.sink.hold(window)
    assert bench.ask("SELECT word, n FROM words ORDER BY n") == [("a", 1), ("b", 2)]


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_lock_is_waited_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: str
) -> None:
    """Until the other one has ended."""
    bench = Bench(tmp_path / "x.db", "sqlite", lock_wait_s=60)
    bench.ask(f"PRAGMA journal_mode = {journal}")
    process = another_process(opened(bench.path, "BEGIN EXCLUSIVE"))
    process.__enter__()
    looked: list[float] = []
    sleep = time.sleep

    def wait(seconds: float) -> None:
        looked.append(seconds)
        # The wait for the process's end sleeps, too.
        if len(looked) == 1:
            process.__exit__(None, None, None)
        sleep(seconds)

    instead_of_sleep(monkeypatch, wait)
    bench.hold(("a", 1))
    assert looked


def test_a_reader_keeps_a_commit_waiting_no_longer_than_it_may(tmp_path: Path) -> None:
    """With a rollback journal. Nothing is in doubt: the ledger says that it is not held."""
    bench = Bench(tmp_path / "x.db", "sqlite", lock_wait_s=0.2)
    bench.hold(("a", 1))
    window = bench.stage(frame(("b", 2)))
    with closing(sqlite3.connect(bench.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        before = reader.execute("SELECT * FROM words").fetchall()
        with pytest.raises(NotHeld, match="locked"):
            bench.sink.hold(window)
        assert reader.execute("SELECT * FROM words").fetchall() == before
    bench.sink.hold(window)
    assert bench.ask("SELECT word, n FROM words ORDER BY n") == [("a", 1), ("b", 2)]


def test_readers_see_whole_windows_while_they_last_with_wal(tmp_path: Path) -> None:
    """One that began before a window goes on seeing what was."""
    bench = Bench(tmp_path / "x.db", "sqlite", lock_wait_s=0.1)
    bench.ask("PRAGMA journal_mode = wal")
    bench.hold(("a", 1))
    with closing(sqlite3.connect(bench.path, isolation_level=None)) as reader:
        query = "SELECT count(*), (SELECT window_id FROM window_ledger) FROM words"
        reader.execute("BEGIN")
        assert reader.execute(query).fetchall() == [(1, 1)]
        bench.hold(("b", 2), ("c", 3))
        assert reader.execute(query).fetchall() == [(1, 1)]
        reader.execute("ROLLBACK")
        assert reader.execute(query).fetchall() == [(3, 2)]


def test_of_two_drivers_at_one_window_one_is_fenced(tmp_path: Path) -> None:
    """The slower one's rows are gone, in each journal mode."""
    for journal in ("delete", "wal"):
        bench = Bench(tmp_path / f"{journal}.db", "sqlite")
        bench.ask(f"PRAGMA journal_mode = {journal}")
        window = bench.stage(frame(("ours", 1)))
        rival = bench.story.open(bench.make(), run_id=OTHER_RUN)
        rival.prepare(frame().schema)
        rival.stage(window, frame(("theirs", 2)))
        rival.hold(window)
        with pytest.raises(Fenced, match="window 1 of run 44444444"):
            bench.sink.hold(window)
        rival.close()
        assert bench.ask("SELECT word FROM words") == [("theirs",)]


def test_what_is_no_database_is_refused_with_what_helps(tmp_path: Path) -> None:
    """Text, a cut file, a folder; and a folder that is not there is not made."""
    text = tmp_path / "text.db"
    text.write_text("no database, but long enough to be taken for one" * 100)
    folder = tmp_path / "folder.db"
    folder.mkdir()
    for path, remedy in (
        (text, "it is no database"),
        (folder, "correct the path"),
        (tmp_path / "no" / "x.db", "Make the folder"),
    ):
        with pytest.raises(DatabaseUnusable, match=remedy) as refused:
            Bench(path, "sqlite")
        assert str(path) in str(refused.value)
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_file_without_the_right_to_write_is_refused(tmp_path: Path, what: str) -> None:
    """As a user who may not; the next run, as one who may, goes on."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    path = tmp_path / "x.db"
    ask(path, "sqlite", "CREATE TABLE words (word TEXT, n INTEGER)")
    (path if what == "file" else tmp_path).chmod(0o555)
    said = tmp_path.parent / f"{tmp_path.name}.said"
    said.touch()
    said.chmod(0o666)

    def start() -> None:
        if os.geteuid() == 0:
            os.seteuid(NOBODY)
        try:
            Bench(path, "sqlite")
        except (DatabaseUnusable, DatabaseFailed) as error:
            said.write_text(f"{type(error).__name__} {error}")

    assert in_child(start) == 0
    assert said.read_text().startswith("DatabaseUnusable")
    assert "Give this user the right" in said.read_text()
    tmp_path.chmod(0o755)
    path.chmod(0o644)
    Bench(path, "sqlite").hold(("a", 1))


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_window_that_meets_a_full_disk_is_rolled_back_whole(tmp_path: Path, journal: str) -> None:
    """With room again, the same window is held."""
    said = tmp_path / "said"
    bench = Bench(tmp_path / "x.db", "sqlite")
    bench.ask(f"PRAGMA journal_mode = {journal}")
    bench.hold(("a", 1))
    bench.sink.close()
    many = [(f"word {number}", number) for number in range(20_000)]

    def fill() -> None:
        try:
            bench.hold(*many)
        except NotHeld as error:
            said.write_text(str(error))

    assert in_child(fill, file_bytes_max=50_000) == 0
    assert "disk" in said.read_text()
    assert bench.ask("SELECT window_id FROM window_ledger") == [(1,)]
    assert bench.ask("SELECT word, n FROM words") == [("a", 1)]
    bench.hold(*many)
    assert bench.ask("SELECT count(*), max(n) FROM words") == [(20_001, 19_999)]


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_driver_that_dies_before_its_commit_leaves_nothing(tmp_path: Path, journal: str) -> None:
    """Its rows are in the journal, and are rolled back by whoever comes next."""
    bench = Bench(tmp_path / "x.db", "sqlite", mode=upsert(["word"]), rows_per_statement=1)
    bench.ask(f"PRAGMA journal_mode = {journal}")
    bench.hold(("a", 1))
    rows = frame(*[(f"b{number}", number) for number in range(50)])
    window = bench.stage(rows)
    bench.sink.idle()

    def die() -> None:
        load, calls = bench.sink._database.load, []
        append = load.append

        def appended(*words: object) -> None:
            append(*words)  # type: ignore[arg-type]
            calls.append(1)
            if len(calls) == 40:
                os.kill(os.getpid(), signal.SIGKILL)

        load.append = appended  # type: ignore[method-assign, assignment]
        bench.sink.hold(window)

    assert in_child(die) == -signal.SIGKILL
    found = bench.ask("SELECT word, (SELECT window_id FROM window_ledger) FROM words")
    assert found == [("a", 1)]
    bench.sink.stage(window, rows)
    bench.sink.hold(window)
    assert bench.ask("SELECT count(*) FROM words") == [(51,)]


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("database disk image is malformed", "restore it"),
        ("database or disk is full", "Free some space"),
        ("disk I/O error", "Look at the disk"),
        ("something nobody has seen", "Check the URL"),
    ],
)
def test_every_reason_has_a_remedy(reason: str, advice: str) -> None:
    """Those that a test cannot bring about, as SQLite words them."""
    assert advice in SqlitePlace().remedy(reason)
