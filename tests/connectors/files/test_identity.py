"""Which file is which, compared with what the operating system says elsewhere."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import subprocess
from functools import partial
from pathlib import Path

import pytest

from connectors.files import identity
from connectors.files.identity import FileId, Head
from tests.machine import absent


def _statuses(path: Path) -> list[identity.Status]:
    """By path, and of the open file."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return [identity.status(os.fsencode(path)), identity.status_of(descriptor)]
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("with_statx", [True, False])
def test_a_status_is_what_stat_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_statx: bool
) -> None:
    """Device, inode, mode, size and time to the nanosecond; links are followed."""
    if not with_statx:
        monkeypatch.setattr(identity, "_statx", None)
    path = tmp_path / "a b"
    path.write_bytes(b"12345")
    os.utime(path, ns=(1, 1_234_567_890_123_456_789))
    (tmp_path / "link").symlink_to(path)
    found = os.stat(path)
    for status in [*_statuses(path), *_statuses(tmp_path / "link")]:
        assert status.id[:2] == (found.st_dev, found.st_ino)
        assert (status.mode, status.size) == (found.st_mode, 5)
        assert status.mtime_ns == 1_234_567_890_123_456_789
        assert with_statx or status.id.born_ns == 0


def test_a_birth_time_is_what_the_system_says(tmp_path: Path) -> None:
    """As the program `stat` prints it, in whole seconds."""
    path = tmp_path / "a"
    path.write_bytes(b"")
    said = subprocess.run(["stat", "-c", "%W", path], capture_output=True, text=True, check=False)
    if said.returncode != 0 or not said.stdout.strip().isdecimal() or int(said.stdout) == 0:
        absent("a file system with birth times, or the program stat")
    for status in _statuses(path):
        assert status.id.born_ns // 1_000_000_000 == int(said.stdout)


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    """With its name, with and without statx."""
    missing = os.fsencode(tmp_path / "missing")
    with pytest.raises(FileNotFoundError, match="missing"):
        identity.status(missing)


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EPERM])
def test_a_system_that_forbids_statx_has_no_birth_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """An old kernel, or a container's filter: the rest is known all the same."""

    def forbidden(*_: object) -> int:
        ctypes.set_errno(code)
        return -1

    monkeypatch.setattr(identity, "_statx", forbidden)
    (tmp_path / "a").write_bytes(b"123")
    for status in _statuses(tmp_path / "a"):
        assert (status.size, status.id.born_ns) == (3, 0)


def test_an_id_comes_back_from_its_text() -> None:
    """It is stored in plans and in the index."""
    file_id = FileId(2**40, 2**63, 1_700_000_000_123_456_789)
    assert str(file_id) == "1099511627776-9223372036854775808-1700000000123456789"
    assert FileId.parse(str(file_id)) == file_id


def test_only_a_device_may_have_another_number() -> None:
    """Inode and birth time say which file it is."""
    file_id = FileId(1, 2, 3)
    assert file_id.could_be(FileId(9, 2, 3))
    assert not file_id.could_be(FileId(1, 9, 3))
    assert not file_id.could_be(FileId(1, 2, 9))


def test_a_head_is_a_digest_of_the_first_bytes(tmp_path: Path) -> None:
    """Of 4 KiB at most, or of as many as it had before: so a file that grows keeps it."""
    path = tmp_path / "a"
    data = os.urandom(5000)
    path.write_bytes(data)

    def expected(length: int) -> Head:
        return Head(length, hashlib.sha256(data[:length]).hexdigest()[:32])

    descriptor = os.open(path, os.O_RDONLY)
    read = partial(os.pread, descriptor)
    try:
        assert identity.head_of(read, 5000) == expected(4096)
        assert identity.head_of(read, 100) == expected(100)
        assert identity.head_of(read, 5000, 100) == expected(100)
    finally:
        os.close(descriptor)
