"""LocalStorage when a system call fails: what it says, what it leaves, and what it refuses then."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.windowlog.storage.story import STORY, Promises, go_on, tell
from tests.windowlog.storage.watched_os import WatchedOs, root, watched
from windowlog.errors import KitError, PreviousFailure, StorageFailed, StorageUnsuitable
from windowlog.storage import LocalStorage

pytestmark = pytest.mark.usefixtures("no_fsync")


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


@pytest.mark.parametrize("folders", [True, False])
def test_a_lost_write_is_never_let_pass(quick_folder: Path, folders: bool) -> None:
    """EIO from fsync, of a folder as of a file: the call fails, and so does all after it (I7)."""
    base = quick_folder / "base"
    with watched(base) as fake:
        storage = root(base)
        fake.before = fail_fsync(folders=folders, number=errno.EIO)
        with pytest.raises(StorageFailed, match="Input/output error"):
            storage.create("record", b"data")
        with pytest.raises(PreviousFailure):
            storage.list()


def fail_fsync(*, folders: bool, number: int = errno.EINVAL) -> Callable[[int, str, str], None]:
    """An error from each fsync of a folder, or of a file."""

    def before(count: int, call: str, path: str) -> None:
        if call == "fsync" and Path(path).is_dir() == folders:
            raise OSError(number, os.strerror(number), path)

    return before


@pytest.mark.parametrize("writable", [False, True])
def test_a_folder_above_that_cannot_be_read_matters_only_if_we_may_write_there(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch, writable: bool
) -> None:
    """Where we may not write we have made no folder: nothing of ours is to be made durable."""
    base = quick_folder / "base"
    with watched(base) as fake:
        fake.before = partial(fail_open, f"{base}")
        monkeypatch.setattr(fake, "access", lambda path, mode: writable, raising=False)
        if writable:
            with pytest.raises(StorageUnsuitable, match="Permission denied"):
                root(base).create("record", b"data")
        else:
            root(base).create("record", b"data")
    assert root(base).list() == ([] if writable else ["record"])


def fail_open(closed: str, count: int, call: str, path: str) -> None:
    """Permission denied, for one path."""
    if (call, path) == ("open", closed):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


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
