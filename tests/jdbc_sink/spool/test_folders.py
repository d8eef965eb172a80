"""Whose folders go, and whose stay."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from jdbc_sink.spool.folders import Folders, beside

LOG = "5e1f0b7a-0000-4000-8000-000000000001"
OTHER_LOG = "5e1f0b7a-0000-4000-8000-000000000002"


def test_what_was_left_of_a_held_window_goes(tmp_path: Path) -> None:
    """A later one may be a living rival's, who could still hold it."""
    killed = Folders(tmp_path, ("p", "s"))
    left = [killed.make(LOG, window_id) for window_id in (7, 8, 9)]
    Folders(tmp_path, ("p", "s")).sweep(LOG, 8)
    assert [folder.exists() for folder in left] == [False, False, True]


def test_what_was_left_of_another_log_goes(tmp_path: Path) -> None:
    """The ledger is of this log, so nobody can hold it."""
    left = Folders(tmp_path, ("p", "s")).make(OTHER_LOG, 9)
    Folders(tmp_path, ("p", "s")).sweep(LOG, 1)
    assert not left.exists()


def test_other_sinks_keep_theirs(tmp_path: Path) -> None:
    """In the same place."""
    theirs = Folders(tmp_path, ("p", "another")).make(LOG, 1)
    Folders(tmp_path, ("p", "s")).sweep(LOG, 9)
    assert theirs.exists()


def test_a_closed_sink_leaves_nothing(tmp_path: Path) -> None:
    """The place goes too, unless somebody else is in it."""
    place = tmp_path / "spool"
    folders, others = Folders(place, ("p", "s")), Folders(place, ("p", "another"))
    folders.make(LOG, 1)
    theirs = others.make(LOG, 1)
    folders.close()
    assert os.listdir(place) == [theirs.parent.name]
    others.close()
    assert not place.exists()


def test_a_temporary_place_goes_as_well() -> None:
    """And a new one is made when it is needed again."""
    folders = Folders(None, ("p", "s"))
    first = folders.make(LOG, 1)
    folders.close()
    assert not first.parent.parent.exists()
    second = folders.make(LOG, 1)
    assert second.is_dir()
    folders.close()


def test_what_a_killed_driver_left_in_a_temporary_place_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of each driver was another one. A living one makes a new one, if its own is gone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed, rival = Folders(None, ("p", "s")), Folders(None, ("p", "s"))
    other = Folders(None, ("p", "another")).make(LOG, 7)
    left = [killed.make(LOG, 7), rival.make(LOG, 8), rival.make(LOG, 9)]
    folders = Folders(None, ("p", "s"))
    folders.sweep(LOG, 8)
    assert [folder.exists() for folder in left] == [False, False, True]
    assert sorted(tmp_path.iterdir()) == sorted([left[2].parent.parent, other.parent.parent])
    folders.sweep(LOG, 9)
    again = rival.make(LOG, 10)
    assert again.parent.parent != left[2].parent.parent
    assert stat.S_IMODE(again.parent.parent.stat().st_mode) == stat.S_IRWXU


def test_nothing_is_swept_where_nothing_was_made(tmp_path: Path) -> None:
    """And nothing is made."""
    folders = Folders(tmp_path / "spool", ("p", "s"))
    folders.sweep(LOG, 9)
    folders.close()
    assert os.listdir(tmp_path) == []


def test_the_place_is_beside_a_database_file(tmp_path: Path) -> None:
    """What is no file has none."""
    assert beside(str(tmp_path / "x.duckdb")) == tmp_path / "x.duckdb.spool"
    assert beside("x.db") == Path("x.db.spool").absolute()
    for database in (None, "", ":memory:", "md:cloud", "file:x?mode=memory"):
        assert beside(database) is None
