"""LocalStorage on this machine's disk: paths, permissions, races, debris, full disks."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.windowlog.storage import create_as_nobody, race
from windowlog.errors import BadArgument, RecordExists, StorageFailed, StorageUnsuitable
from windowlog.storage import LocalStorage
from windowlog.storage.local import STALE_S

RACERS = "abcd"


def test_construction_and_looking_create_nothing(tmp_path: Path) -> None:
    """A refusal must leave nothing behind."""
    storage = LocalStorage(tmp_path / "state").within("windows")
    storage.sync()
    storage.delete("record")
    assert (storage.list(), list(tmp_path.iterdir())) == ([], [])


def test_a_record_is_a_file_with_its_bytes(tmp_path: Path) -> None:
    """A person can read it, and nothing else is left beside it."""
    LocalStorage(tmp_path / "state").within("windows").create("1.json", b"data")
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == [
        "state",
        "state/windows",
        "state/windows/1.json",
    ]
    assert (tmp_path / "state/windows/1.json").read_bytes() == b"data"


def test_a_path_is_kept_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative to the folder of construction, whatever the process does later; ~ is expanded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    relative, home = LocalStorage("state/../log"), LocalStorage(Path("~/log"))
    monkeypatch.chdir("/")
    assert relative.describe() == f"{tmp_path}/log"
    assert home.describe() == f"{tmp_path}/home/log"


@pytest.mark.parametrize("path", ["", "a\0b", b"bytes", 7, None, "~no_such_user_here/log"])
def test_a_path_that_cannot_be_is_refused_on_construction(path: object) -> None:
    """The message names argument and value."""
    with pytest.raises(BadArgument) as refusal:
        LocalStorage(path)  # type: ignore[arg-type]
    assert f"path={path!r}" in str(refusal.value)


def test_a_folder_reached_by_a_link_takes_records(tmp_path: Path) -> None:
    """A symbolic link to another place is a folder like any other."""
    (tmp_path / "big").mkdir()
    (tmp_path / "state").symlink_to(tmp_path / "big")
    LocalStorage(tmp_path / "state").within("windows").create("1", b"data")
    assert (tmp_path / "big/windows/1").read_bytes() == b"data"


def test_a_link_in_a_circle_is_refused(tmp_path: Path) -> None:
    """The message says so."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(StorageUnsuitable, match="circle"):
        LocalStorage(tmp_path / "a" / "log").create("1", b"")


@pytest.mark.parametrize("path", ["dangling", "dangling/log"])
def test_a_link_to_nowhere_is_an_error(tmp_path: Path, path: str) -> None:
    """Where it points to may come back: a disk that is not mounted."""
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(StorageFailed, match=f"{tmp_path}/{path}: creating 1 failed"):
        LocalStorage(tmp_path / path).create("1", b"")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("path", ["file", "file/log", "file/state/log"])
def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path, path: str) -> None:
    """By every verb that would need the folder; the file is left alone."""
    (tmp_path / "file").write_bytes(b"not a folder")
    storage = LocalStorage(tmp_path / path)
    for act in (
        lambda: storage.create("1", b""),
        lambda: storage.read("1"),
        lambda: storage.list(),
        lambda: storage.delete("1"),
        lambda: storage.sync(),
    ):
        with pytest.raises(StorageUnsuitable, match="name a folder"):
            act()
    assert (tmp_path / "file").read_bytes() == b"not a folder"


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    """The file system's own limit, in words."""
    with pytest.raises(StorageUnsuitable, match="shorter path"):
        LocalStorage(tmp_path / "state").create("n" * 300, b"")
    assert list(tmp_path.iterdir()) == []


def test_permissions_that_are_missing_are_named_and_nothing_is_left(quick_folder: Path) -> None:
    """Closed, read-only, and folders whose listing cannot be synced because it cannot be read."""
    modes = {"closed": 0o000, "read_only": 0o555, "unreadable": 0o333, "only_entered": 0o111}
    for name in modes:
        (quick_folder / name / "log").mkdir(parents=True)
    folders = {
        quick_folder / "closed" / "new": False,
        quick_folder / "read_only" / "new": False,
        # A new folder's entry could not be made durable.
        quick_folder / "unreadable" / "new": False,
        quick_folder / "unreadable": False,
        # Whoever may not write there has not made `log` there either: that is durable already.
        quick_folder / "only_entered" / "log": True,
    }
    with given_to_nobody(quick_folder, modes):
        lines = run("create_as_nobody", *map(str, folders)).splitlines()
    for (folder, created), line in zip(folders.items(), lines, strict=True):
        kind = "created" if created else f"StorageUnsuitable: {folder} "
        assert line.startswith(kind), line
        assert created or "(Permission denied)" in line
    assert sorted(path.name for path in quick_folder.rglob("*")) == sorted(
        [*modes, *["log"] * 4, "record"]
    )


@contextmanager
def given_to_nobody(folder: Path, modes: dict[str, int]) -> Iterator[None]:
    """The tree belongs to the user that the child becomes; sub-folders have these modes."""
    owner = create_as_nobody.NOBODY if os.geteuid() == 0 else os.geteuid()
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        os.chown(path, owner, -1)
    for name, mode in modes.items():
        (folder / name).chmod(mode)
    yield
    for name in modes:
        (folder / name).chmod(0o755)


def test_a_write_that_the_system_cuts_short_leaves_nothing(tmp_path: Path) -> None:
    """A real refusal in the middle of a file: it is taken back, and the next call works."""
    storage = LocalStorage(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(
            StorageFailed, match=f"{tmp_path}: creating record failed .File too large"
        ):
            storage.create("record", b"x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []
    storage.create("record", b"data")


def test_old_leftovers_of_killed_processes_are_swept_by_the_next_creation(tmp_path: Path) -> None:
    """Only what is ours by its name and an hour old; a live driver's file is younger."""
    now_s = time.time()
    for name, age_s in {
        ".1.json.0123456789abcdef.tmp": STALE_S + 60,
        ".2.json.0123456789abcdef.tmp": STALE_S - 60,
        ".of.somebody.else.tmp": STALE_S + 60,
        ".hidden": STALE_S + 60,
    }.items():
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (now_s - age_s,) * 2)
    storage = LocalStorage(tmp_path)
    assert storage.list() == []
    assert len(list(tmp_path.iterdir())) == 4, "a listing changes nothing"
    storage.create("1.json", b"data")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".2.json.0123456789abcdef.tmp",
        ".hidden",
        ".of.somebody.else.tmp",
        "1.json",
    ]


def test_a_leftover_that_is_gone_does_not_disturb(tmp_path: Path) -> None:
    """Another driver has swept it since it was seen."""
    storage, leftover = LocalStorage(tmp_path), tmp_path / ".1.json.0123456789abcdef.tmp"
    leftover.touch()
    storage.list()
    leftover.unlink()
    storage.create("1.json", b"data")
    assert storage.read("1.json") == b"data"


def test_a_creation_whose_temporary_file_was_swept_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver paused for hours between writing and linking. ‡"""
    link, swept = os.link, list[Path]()

    def paused(path: str, new_path: str) -> None:
        if not swept:
            swept.append(Path(path))
            Path(path).unlink()
        link(path, new_path)

    monkeypatch.setattr(os, "link", paused)
    LocalStorage(tmp_path).create("1.json", b"data")
    assert [path.name for path in tmp_path.iterdir()] == ["1.json"]


def test_a_folder_that_was_removed_comes_back_with_the_next_record(tmp_path: Path) -> None:
    """Somebody tidied up; the storage does not rely on what it knew."""
    storage = LocalStorage(tmp_path / "state" / "log")
    storage.create("1", b"")
    (tmp_path / "state/log/1").unlink()
    (tmp_path / "state/log").rmdir()
    (tmp_path / "state").rmdir()
    storage.create("1", b"again")
    assert storage.read("1") == b"again"


def test_an_interrupted_rename_is_finished_by_its_repetition(tmp_path: Path) -> None:
    """A kill between link and unlink leaves both names of one file."""
    storage = LocalStorage(tmp_path)
    storage.create("source", b"data")
    os.link(tmp_path / "source", tmp_path / "target")
    storage.rename("source", "target")
    assert (storage.list(), storage.read("target")) == (["target"], b"data")
    with pytest.raises(RecordExists):
        storage.create("target", b"")


def test_of_many_processes_exactly_one_creates_a_record_and_nobody_sees_a_part(
    quick_folder: Path,
) -> None:
    """Four processes race for a hundred names while this one reads all that shows."""
    racers = [start("race", str(quick_folder), mark) for mark in RACERS]
    while len(list(quick_folder.glob("ready-*"))) < len(RACERS):
        time.sleep(0.001)
    (quick_folder / "go").touch()
    storage = LocalStorage(quick_folder / "state" / "windows")
    while any(racer.poll() is None for racer in racers):
        for name in storage.list():
            assert whole(storage.read(name)) in RACERS
    won = {mark: racer.communicate()[0].split() for mark, racer in zip(RACERS, racers, strict=True)}
    assert sorted(name for names in won.values() for name in names) == race.NAMES
    assert storage.list() == race.NAMES
    for mark, names in won.items():
        assert {whole(storage.read(name)) for name in names} <= {mark}


def whole(data: bytes) -> str:
    """The mark that fills a record; an assertion that it does."""
    mark = data[:1]
    assert data == mark * race.RECORD_BYTES
    return mark.decode()


def start(module: str, *arguments: str) -> subprocess.Popen[str]:
    """A program of this folder."""
    command = [sys.executable, "-m", f"tests.windowlog.storage.{module}", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def run(module: str, *arguments: str) -> str:
    """What a program of this folder prints."""
    output, _ = start(module, *arguments).communicate()
    return output
