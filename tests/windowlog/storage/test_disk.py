"""What is made durable, how often, and what a disk forgets: read off the calls to the system."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.windowlog.storage.test_local_errors import fail_all
from tests.windowlog.storage.watched_os import WatchedOs, root, watched
from windowlog.storage import LocalStorage


def _fsynced(fake: WatchedOs, work: Callable[[], object]) -> list[str]:
    """What `work` makes durable, below the watched folder; a temporary file is called `file`."""
    seen: list[str] = []

    def before(number: int, call: str, path: str) -> None:
        if call == "fsync" and Path(path).is_relative_to(fake.base):
            inside = str(Path(path).relative_to(fake.base))
            seen.append("file" if inside.endswith(".tmp") else inside)

    fake.before = before
    work()
    return seen


# The file, the folder (before a record shows in it), those above it, and the folder's new entry.
FIRST = ["file", "state/log", "state", ".", "state/log"]


def test_the_folders_above_are_made_durable_once(quick_folder: Path) -> None:
    """The first record pays for them; each later one is two fsyncs, the file's and its entry's."""
    with watched(quick_folder / "base") as fake:
        storage = root(fake.base)
        assert _fsynced(fake, lambda: storage.create("1", b""))[-5:] == FIRST
        assert _fsynced(fake, lambda: storage.create("2", b"")) == ["file", "state/log"]


def test_folders_side_by_side_share_what_is_above_them(quick_folder: Path) -> None:
    """Plans and marks of a log that is there: the second folder does not pay for those above."""
    with watched(quick_folder / "base") as fake:
        for folder in ("plans", "marks"):
            root(fake.base).within(folder).create("1", b"")
        again = root(fake.base)
        again.within("plans").create("2", b"")
        seen = _fsynced(fake, lambda: again.within("marks").create("2", b""))
        assert seen == ["file", "state/log/marks", "state/log", "state/log/marks"]


def test_a_folder_behind_a_link_is_made_durable_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the name by which it is known."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    storage = LocalStorage(tmp_path / "link")
    storage.create("1", b"")
    count: list[int] = []
    monkeypatch.setattr(os, "fsync", count.append)
    storage.create("2", b"")
    assert len(count) == 2


def test_a_closed_storage_knows_no_folder_to_be_durable(quick_folder: Path) -> None:
    """As a new process would: what comes next is a new start."""
    with watched(quick_folder / "base") as fake:
        storage = root(fake.base)
        storage.create("1", b"")
        storage.close()
        assert _fsynced(fake, lambda: storage.create("2", b"")) == FIRST


def test_folders_that_were_made_anew_are_made_durable_anew(quick_folder: Path) -> None:
    """Somebody removed them all: that they were durable once says nothing."""
    with watched(quick_folder / "base") as fake:
        storage = root(fake.base)
        storage.create("1", b"")
        fake.unlink(f"{fake.base}/state/log/1")
        fake.rmdir(f"{fake.base}/state/log")
        fake.rmdir(f"{fake.base}/state")
        assert _fsynced(fake, lambda: storage.create("2", b""))[-5:] == FIRST


def test_nothing_stays_open(quick_folder: Path) -> None:
    """After each verb, and after one that failed: a driver that runs for a year has few files."""
    with watched(quick_folder / "base") as fake:
        storage = root(fake.base)
        storage.create("1", b"data")
        storage.sync("1")
        storage.rename("1", "2")
        storage.delete("2")
        fake.before = fail_all("write", errno.ENOSPC)
        _fails(lambda: storage.create("3", b"data"))
        fake.before = fail_all("fsync", errno.EIO)
        _fails(lambda: storage.sync())
        assert fake._open == {}


def _fails(work: Callable[[], object]) -> None:
    failed = False
    try:
        work()
    except OSError:
        failed = True
    assert failed


def test_a_temporary_name_that_cannot_be_removed_is_no_failure(quick_folder: Path) -> None:
    """The record is there and durable: what is left beside it is debris."""
    with watched(quick_folder / "base") as fake:
        fake.before = fail_all("unlink", errno.EIO)
        root(fake.base).create("1", b"data")
    assert LocalStorage(fake.base / "state" / "log").list() == ["1"]
