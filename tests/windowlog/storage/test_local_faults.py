"""LocalStorage when a system call is the last one, or fails: each in turn, until none is left."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.windowlog.storage.story import STORY, Promises, go_on, tell
from tests.windowlog.storage.watched_os import Choose, PowerCut, WatchedOs
from windowlog.errors import KitError, PreviousFailure, StorageFailed, StorageUnsuitable
from windowlog.storage import LocalStorage, disk, local

CHOICES: dict[str, Callable[[], Choose]] = {
    "nothing unsynced stays": lambda: lambda states: states[0],
    "everything reached the disk": lambda: lambda states: states[-1],
    "chance, seed 1": lambda: random.Random(1).choice,
    "chance, seed 2": lambda: random.Random(2).choice,
    "chance, seed 3": lambda: random.Random(3).choice,
}
"""What the disk had of each thing that was not durable."""


@pytest.fixture(autouse=True)
def _no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """The power that is cut here is not the machine's; fsync would cost most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@contextmanager
def watched(base: Path) -> Iterator[WatchedOs]:
    """The storage over a disk that is watched; `base` is new."""
    base.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        fake = WatchedOs(base)
        patch.setattr(local, "os", fake)
        patch.setattr(disk, "os", fake)
        yield fake


def cut_at(last: int) -> Callable[[int, str, str], None]:
    """The machine stops before call `last`: it and all that follow do nothing."""

    def before(number: int, call: str, path: str) -> None:
        if number >= last:
            raise PowerCut(f"{call} {path}")

    return before


def root(base: Path) -> LocalStorage:
    """A storage two folders below what exists."""
    return LocalStorage(base / "state" / "log")


def interrupted(fake: WatchedOs, base: Path, last: int) -> tuple[Promises, int] | None:
    """Tell the story up to call `last`: its promises and how many steps returned. None: its end."""
    promises, returned = Promises(), list[int]()
    fake.before = cut_at(last)
    try:
        tell(root(base), promises, partial(returned.append, 1))
    except PowerCut:
        fake.before = lambda number, call, path: None
        return promises, len(returned)
    return None


@pytest.mark.parametrize("choice", CHOICES)
def test_a_power_cut_before_any_system_call_breaks_no_promise(
    quick_folder: Path, choice: str
) -> None:
    """What returned is there, whole; nothing is half; a new start goes on to the end."""
    cuts = 0
    for last in range(1, 1000):
        base, left = quick_folder / f"{last}", quick_folder / f"{last}-left"
        with watched(base) as fake:
            stopped = interrupted(fake, base, last)
            if stopped is None:
                break
            fake.survivors(left, CHOICES[choice]())
        promises, returned = stopped
        promises.check(root(left))
        go_on(root(left), promises, returned)
        promises.check(root(left))
        cuts += 1
    # The story makes some hundred calls: with fewer, the storage goes by another door than `os`.
    assert cuts > 80


@pytest.mark.parametrize("choice", CHOICES)
def test_a_kill_and_later_a_power_cut_break_no_promise(quick_folder: Path, choice: str) -> None:
    """What a killed driver did shows, and is not durable: the next one must not build on it. ‡"""
    kills = 0
    for last in range(1, 1000):
        base, left = quick_folder / f"{last}", quick_folder / f"{last}-left"
        with watched(base) as fake:
            stopped = interrupted(fake, base, last)
            if stopped is None:
                break
            promises, returned = stopped
            promises.check(root(base))
            go_on(root(base), promises, returned)
            fake.survivors(left, CHOICES[choice]())
        promises.check(root(left))
        kills += 1
    assert kills > 80


def test_a_record_in_a_folder_of_a_killed_driver_survives_a_power_cut(quick_folder: Path) -> None:
    """The folders were there, but nobody had synced them: the first record does. ‡"""
    base, left = quick_folder / "base", quick_folder / "left"
    with watched(base) as fake:
        fake.mkdir(f"{base}/state")
        fake.mkdir(f"{base}/state/log")
        root(base).create("record", b"data")
        fake.survivors(left, lambda states: states[0])
    assert root(left).read("record") == b"data"


def test_a_deletion_is_durable_even_if_the_record_was_gone_already(quick_folder: Path) -> None:
    """Another driver's removal that was not synced may come back; ours may not. ‡"""
    base, left = quick_folder / "base", quick_folder / "left"
    with watched(base) as fake:
        root(base).create("record", b"data")
        root(base).delete("record", durable=False)
        root(base).delete("record")
        fake.survivors(left, lambda states: states[0])
    assert root(left).list() == []


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_an_error_of_any_system_call_breaks_no_promise(quick_folder: Path, number: int) -> None:
    """It names the place, leaves nothing half and no debris; a new start goes on."""
    errors = 0
    for last in range(1, 1000):
        base = quick_folder / f"{last}"
        with watched(base) as fake:
            struck = fail_at(fake, last, number)
            promises, returned, storage = Promises(), list[int](), root(base)
            try:
                tell(storage, promises, partial(returned.append, 1))
            except KitError as error:
                errors += 1
                assert_explained(error, base, number)
                assert_dead_after_fsync(storage, struck[0])
            fake.before = lambda number, call, path: None
            promises.check(root(base))
            if struck != ["unlink"]:
                assert temporaries(base) == []
            if len(returned) < len(STORY):
                storage.close()
                go_on(storage, promises, len(returned))
                promises.check(root(base))
            elif not struck:
                break
    assert errors > 60


def fail_at(fake: WatchedOs, last: int, number: int) -> list[str]:
    """Let call `last` fail, once; the list gets the call's name."""
    struck: list[str] = []

    def before(count: int, call: str, path: str) -> None:
        if count == last:
            struck.append(call)
            raise OSError(number, os.strerror(number), path)

    fake.before = before
    return struck


def assert_explained(error: KitError, base: Path, number: int) -> None:
    """What, where, and what to do."""
    kind = StorageFailed if number in (errno.EIO, errno.ENOSPC) else StorageUnsuitable
    assert type(error) is kind
    assert str(base) in str(error)
    assert os.strerror(number) in str(error)


def assert_dead_after_fsync(storage: LocalStorage, call: str) -> None:
    """I7: after a failed fsync nothing more is done, in no folder; after other errors it is."""
    if call == "fsync":
        for act in (storage.list, storage.sync, storage.within("marks").list):
            with pytest.raises(PreviousFailure):
                act()
    else:
        storage.list()


def temporaries(base: Path) -> list[Path]:
    """Unfinished creations that were left behind."""
    return list(base.rglob("*.tmp"))


def test_the_first_creation_that_fails_leaves_no_folder(quick_folder: Path) -> None:
    """A file system without hard links shows at the first record, and nothing is left behind."""
    for number in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
        base = quick_folder / f"{number}"
        with watched(base) as fake:
            fake.before = fail_all("link", number)
            with pytest.raises(StorageUnsuitable, match="makes no hard links"):
                root(base).create("record", b"data")
        assert list(base.iterdir()) == []


def fail_all(call: str, number: int) -> Callable[[int, str, str], None]:
    """Every call of that name fails."""

    def before(count: int, called: str, path: str) -> None:
        if called == call:
            raise OSError(number, os.strerror(number), path)

    return before


def test_a_folder_that_cannot_be_fsynced_is_left_to_its_server(quick_folder: Path) -> None:
    """EINVAL from fsync of a folder is no loss; from fsync of a file it is an error."""
    base = quick_folder / "folders"
    with watched(base) as fake:
        fake.before = fail_fsync(folders=True)
        root(base).create("record", b"data")
        assert root(base).read("record") == b"data"
        fake.before = fail_fsync(folders=False)
        with pytest.raises(StorageFailed):
            root(base).create("other", b"data")


def fail_fsync(*, folders: bool) -> Callable[[int, str, str], None]:
    """EINVAL from each fsync of a folder, or of a file."""

    def before(count: int, call: str, path: str) -> None:
        if call == "fsync" and Path(path).is_dir() == folders:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)

    return before


def test_closing_is_a_new_start_after_a_failed_fsync(quick_folder: Path) -> None:
    """Within one process too: `forever()` opens its log again."""
    base = quick_folder / "base"
    with watched(base) as fake:
        storage = root(base)
        fake.before = fail_all("fsync", errno.EIO)
        with pytest.raises(StorageFailed):
            storage.create("record", b"data")
        fake.before = lambda number, call, path: None
        with pytest.raises(PreviousFailure):
            storage.create("record", b"data")
        storage.close()
        storage.create("record", b"data")
        assert storage.read("record") == b"data"


def test_a_kill_before_any_system_call_breaks_no_promise(quick_folder: Path) -> None:
    """Real processes and SIGKILL; so each creation and rename is killed in its middle, too."""
    module = "tests.windowlog.storage.kill_each_call"
    command = [sys.executable, "-m", module, str(quick_folder)]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) > 80


def test_the_watched_disk_forgets_what_is_not_synced(quick_folder: Path) -> None:
    """The test of the tests: a file written and linked without any fsync is lost or half."""
    base = quick_folder / "base"
    with watched(base) as fake:
        descriptor = fake.open(f"{base}/file", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        fake.write(descriptor, memoryview(b"1234"))
        fake.close(descriptor)
        outcomes = {leave(fake, quick_folder / f"{n}", choose) for n, choose in enumerate(nth(3))}
    assert outcomes == {None, b"", b"12", b"1234"}


def nth(number: int) -> Sequence[Choose]:
    """First of all, then entries that stay with contents in each state."""

    def choose(at: int, states: Sequence[Any]) -> Any:
        return states[-1] if len(states) == 2 else states[at]

    return [
        lambda states: states[0],
        *[lambda states, at=at: choose(at, states) for at in range(number)],
    ]


def leave(fake: WatchedOs, target: Path, choose: Choose) -> bytes | None:
    """The bytes of `file` after a power cut."""
    fake.survivors(target, choose)
    path = target / "file"
    return path.read_bytes() if path.exists() else None
