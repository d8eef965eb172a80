"""Database files: made whole or not at all, and refused with what helps."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy

from jdbc_sink.databases.duckdb.place import DuckDbPlace
from jdbc_sink.errors import DatabaseUnusable
from tests.jdbc_sink.processes import in_child
from tests.jdbc_sink.windows import DATABASES, Bench, ask
from windowed.testing.sink_story import frame
from windowlog.errors import NotHeld

ENGINE = sqlalchemy.create_engine("duckdb:///:memory:")

NOBODY = 65534


def test_duckdb_itself_does_not_open_a_file_that_it_was_still_making(tmp_path: Path) -> None:
    """Why files are made whole: no bytes yet, or some of the first ones."""
    whole = tmp_path / "whole.duckdb"
    duckdb.connect(str(whole)).close()
    for size in (0, 100, 4096, 8192):
        cut = tmp_path / f"{size}.duckdb"
        cut.write_bytes(whole.read_bytes()[:size])
        with pytest.raises(duckdb.IOException):
            duckdb.connect(str(cut))


@pytest.mark.parametrize("moment", ["link", "fsync"])
def test_a_driver_killed_while_it_makes_the_file_leaves_none_or_a_whole_one(
    tmp_path: Path, moment: str
) -> None:
    """The next run goes on by itself."""
    path = tmp_path / "x.duckdb"

    def die(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def start() -> None:
        setattr(os, moment, die)
        Bench(path)

    assert in_child(start) == -signal.SIGKILL
    bench = Bench(path)
    bench.hold(("a", 1))
    assert bench.ask("SELECT word, n FROM words") == [("a", 1)]


def test_a_damaged_wal_is_an_error_that_names_it(tmp_path: Path) -> None:
    """A killed driver leaves FILE.wal. Damaged, it takes committed windows along: only a backup
    has both."""
    path = tmp_path / "x.duckdb"

    def start() -> None:
        bench = Bench(path)
        bench.hold(("a", 1))
        os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(start) == -signal.SIGKILL
    wal = path.with_name("x.duckdb.wal")
    data = bytearray(wal.read_bytes())
    data[len(data) // 2] ^= 1
    wal.write_bytes(bytes(data))
    with pytest.raises(DatabaseUnusable, match=r"\.wal is damaged: restore both"):
        Bench(path)
    assert wal.read_bytes() == bytes(data)


def test_making_a_file_leaves_nothing_beside_it(tmp_path: Path) -> None:
    """And a file that is there already stays as it is: one of two drivers was first."""
    path = tmp_path / "x.duckdb"
    DuckDbPlace().create(path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE mine AS SELECT 7 AS x")
    DuckDbPlace().create(path)
    assert [each.name for each in tmp_path.iterdir()] == ["x.duckdb"]
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT x FROM mine").fetchall() == [(7,)]


def test_a_file_system_without_hard_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By rename then, and again not over a file that is there."""

    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    test_making_a_file_leaves_nothing_beside_it(tmp_path)


def _text(path: Path) -> None:
    path.write_text("this is a diary")


def _cut(path: Path) -> None:
    duckdb.connect(str(path)).close()
    path.write_bytes(path.read_bytes()[:5000])


def _sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE words (word TEXT, n INTEGER)")


@pytest.mark.parametrize(
    ("make", "remedy"),
    [
        (_sqlite, "Write sqlite:///FILE for it"),
        (_text, "move this one away: it is no DuckDB database"),
        (_cut, "It is cut off"),
        (Path.mkdir, "Name a file in that folder"),
        (lambda path: path.symlink_to("nowhere/at/all"), "Make the folder, or correct the path"),
    ],
    ids=["a file of SQLite", "a text file", "a cut file", "a folder", "no such folder"],
)
def test_what_is_no_database_is_refused_with_what_helps(
    tmp_path: Path, make: Callable[[Path], None], remedy: str
) -> None:
    """The path, and the remedy."""
    path = tmp_path / "x.duckdb"
    make(path)
    with pytest.raises(DatabaseUnusable, match=remedy) as refused:
        Bench(path)
    assert str(path) in str(refused.value)


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    """It may be a slip of the pen."""
    path = tmp_path / "no" / "x.duckdb"
    with pytest.raises(DatabaseUnusable, match="Make the folder"):
        Bench(path)
    assert not path.parent.exists()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_file_without_the_right_to_write_is_refused(tmp_path: Path, what: str) -> None:
    """As a user who may not; the next run, as one who may, goes on."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    path = tmp_path / "x.duckdb"
    if what == "file":
        DuckDbPlace().create(path)
        path.chmod(0o444)
    else:
        tmp_path.chmod(0o555)
    said = tmp_path.parent / f"{tmp_path.name}.said"
    said.touch()
    said.chmod(0o666)

    def start() -> None:
        if os.geteuid() == 0:
            os.seteuid(NOBODY)
        try:
            Bench(path)
        except DatabaseUnusable as error:
            said.write_text(str(error))

    assert in_child(start) == 0
    assert str(path) in said.read_text()
    assert "Give this user the right" in said.read_text()
    tmp_path.chmod(0o755)
    if what == "file":
        path.chmod(0o644)
    Bench(path).hold(("a", 1))


def test_a_window_that_meets_a_full_disk_is_rolled_back_whole(tmp_path: Path) -> None:
    """The log of the database cannot grow any more; with room again, the same window is held."""
    path = tmp_path / "x.duckdb"
    said = tmp_path / "said"
    bench = Bench(path)
    bench.hold(("a", 1))
    bench.sink.close()
    many = [(f"word {number}", number) for number in range(20_000)]

    def fill() -> None:
        try:
            bench.hold(*many)
        except NotHeld as error:
            said.write_text(str(error))

    # Of files that grow: the database itself has more already.
    assert in_child(fill, file_bytes_max=50_000) == 0
    assert "File too large" in said.read_text()
    assert bench.ask("SELECT window_id FROM window_ledger") == [(1,)]
    assert bench.ask("SELECT word, n FROM words") == [("a", 1)]
    bench.hold(*many)
    assert bench.ask("SELECT count(*), max(n) FROM words") == [(20_001, 19_999)]


def test_a_full_disk_at_the_start_names_the_remedy(tmp_path: Path) -> None:
    """Before there is a database at all; nothing half made is left."""
    path = tmp_path / "x.duckdb"
    said = tmp_path / "said"

    def start() -> None:
        try:
            Bench(path)
        except DatabaseUnusable as error:
            said.write_text(str(error))

    assert in_child(start, file_bytes_max=5000) == 0
    assert "ulimit -f" in said.read_text()
    assert [each.name for each in tmp_path.iterdir()] == ["said"]
    Bench(path).hold(("a", 1))


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("IO Error: Could not write file: No space left on device", "Free some space"),
        ("Serialization Error: … with version number 99", "Another version of duckdb"),
        ("IO Error: Read-only file system", "that can be written"),
        ("something nobody has seen", "Check the URL"),
    ],
)
def test_every_reason_has_a_remedy(reason: str, advice: str) -> None:
    """Those that a test cannot bring about, as DuckDB words them."""
    assert advice in DuckDbPlace().remedy(reason)


def test_a_holder_that_is_gone_is_still_named() -> None:
    """As DuckDB named it: its command can no longer be asked for."""
    reason = (
        'IO Error: Could not set lock on file "/x": Conflicting lock is held in /usr/bin/python3.11'
        " (PID 4194999). See also https://duckdb.org/docs/stable/connect/concurrency"
    )
    assert DuckDbPlace().holder(ENGINE, reason) == "process 4194999 (/usr/bin/python3.11)"
    assert DuckDbPlace().holder(ENGINE, "IO Error: Permission denied") is None


def test_a_file_that_was_replaced_while_the_sink_was_idle_is_named(tmp_path: Path) -> None:
    """No retry helps against it; with the file back, the window is held."""
    bench = Bench(tmp_path / "x.duckdb")
    window = bench.stage(frame(("a", 1)))
    bench.sink.idle()
    aside = bench.path.rename(tmp_path / "aside")
    _text(bench.path)
    with pytest.raises(DatabaseUnusable, match="no DuckDB database"):
        bench.sink.hold(window)
    aside.rename(bench.path)
    bench.sink.hold(window)
    assert bench.ask("SELECT word, n FROM words") == [("a", 1)]


@pytest.mark.parametrize("database", DATABASES)
def test_a_relative_path_stays_where_it_was(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transform that goes elsewhere took DuckDB to an empty file there."""
    monkeypatch.chdir(tmp_path)
    bench = Bench(Path("x.db"), database)
    bench.hold(("a", 1))
    bench.sink.idle()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert bench.sink.held() is not None
    bench.hold(("b", 2))
    bench.sink.close()
    assert ask(tmp_path / "x.db", database, "SELECT sum(n) FROM words") == [(3,)]
    assert not list(elsewhere.iterdir())
