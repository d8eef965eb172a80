"""Which file is which: device, inode and birth time, because a path changes its file and ext4
reuses inodes at once. On HDFS a number alone: a name node gives none away twice.

Python has no birth time on Linux, so `statx` is called through the C library. Where the file system
has none either, a digest of the file's first bytes takes its place (`Head`).
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import struct
import sys
import threading
from collections.abc import Callable
from typing import NamedTuple

# A page: enough to tell two files apart, and one read.
HEAD_BYTES = 4096
# Stands for a birth time where a number means one file for ever.
NEVER_AGAIN = 1

_AT_FDCWD = -100
_AT_EMPTY_PATH = 0x1000
_BASIC_STATS_AND_BIRTH = 0x0FFF
_HAS_BIRTH = 0x0800
# An old kernel lacks the call; a container's filter that is older than the call forbids it.
_NO_STATX = (errno.ENOSYS, errno.EPERM)

# struct statx: mask, mode, inode, size, birth (s, ns), mtime (s, ns), device (major, minor).
_STATX = struct.Struct("=I24xHxxQQ8x8x16xqI4x16xqI4x8xII")
_STATX_BYTES = 256


class FileId(NamedTuple):
    """A file, whatever its path. `born_ns` is 0 where the file system keeps no birth time, and
    NEVER_AGAIN where it needs none."""

    device: int
    inode: int
    born_ns: int

    def __str__(self) -> str:
        return f"{self.device}-{self.inode}-{self.born_ns}"

    @classmethod
    def parse(cls, text: str) -> FileId:
        """The id that `str` wrote."""
        device, inode, born_ns = text.split("-")
        return cls(int(device), int(inode), int(born_ns))

    def could_be(self, other: FileId) -> bool:
        """The same file but for its device's number, which a reboot or a new mount may change."""
        return (self.inode, self.born_ns) == (other.inode, other.born_ns)


class Status(NamedTuple):
    """What the file system says of a file now."""

    id: FileId
    mode: int
    size: int
    mtime_ns: int


class Head(NamedTuple):
    """A digest of the first bytes, for a file without birth time. A growing file keeps it."""

    length: int
    digest: str


def status(path: bytes) -> Status:
    """The status of a path, links followed. Raises OSError."""
    return _statx_status(_AT_FDCWD, path, 0) or _plain_status(os.stat(path))


def status_of(descriptor: int) -> Status:
    """The status of an open file. Raises OSError."""
    return _statx_status(descriptor, b"", _AT_EMPTY_PATH) or _plain_status(os.fstat(descriptor))


def head_of(read: Callable[[int, int], bytes], size: int, length: int = HEAD_BYTES) -> Head:
    """The head of a file that has `size` bytes, over at most `length` bytes; `read(length, offset)`
    reads in it."""
    data = read(min(size, length), 0)
    return Head(len(data), hashlib.sha256(data).hexdigest()[:32])


def _plain_status(found: os.stat_result) -> Status:
    born_s = getattr(found, "st_birthtime", 0)  # macOS has it, and no statx
    file_id = FileId(found.st_dev, found.st_ino, int(born_s * 1_000_000_000))
    return Status(file_id, found.st_mode, found.st_size, found.st_mtime_ns)


def _statx_status(descriptor: int, path: bytes, flags: int) -> Status | None:
    if _statx is None:
        return None
    buffer, address = _mine.buffer, _mine.address
    if _statx(descriptor, path, flags, _BASIC_STATS_AND_BIRTH, address) != 0:
        code = ctypes.get_errno()
        if code in _NO_STATX:
            return None
        raise OSError(code, os.strerror(code), os.fsdecode(path))
    mask, mode, inode, size, born_s, born_ns, mtime_s, mtime_ns, major, minor = _unpack(buffer)
    born = born_s * 1_000_000_000 + born_ns if mask & _HAS_BIRTH else 0
    file_id = FileId(os.makedev(major, minor), inode, born)
    return Status(file_id, mode, size, mtime_s * 1_000_000_000 + mtime_ns)


def _load_statx() -> Callable[..., int] | None:
    if not sys.platform.startswith("linux"):
        return None
    function = getattr(ctypes.CDLL(None, use_errno=True), "statx", None)
    if function is not None:
        number, text, pointer = ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p
        function.argtypes = [number, text, number, ctypes.c_uint, pointer]
    return function


class _Buffer(threading.local):
    """Where statx writes: one for each thread, because the call lets other threads run."""

    def __init__(self) -> None:
        self.buffer = ctypes.create_string_buffer(_STATX_BYTES)
        self.address = ctypes.addressof(self.buffer)


_statx = _load_statx()
_mine = _Buffer()
_unpack = _STATX.unpack_from
