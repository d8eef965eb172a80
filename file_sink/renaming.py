"""Renames of this machine: one that never overwrites, and one of two folders at once."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable

_HERE = -100  # AT_FDCWD: paths are as for any other call
_NO_REPLACE = 1  # RENAME_NOREPLACE
_EXCHANGE = 2  # RENAME_EXCHANGE
# The kernel, the C library or the file system does not know the call, or the flag.
_UNKNOWN = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP}


def rename_exclusively(source: str, target: str) -> None:
    """Move a file or folder. FileExistsError if the target is there, FileNotFoundError if the
    source is not. OSError."""
    if _RENAMEAT2 is not None:
        number = _call(_RENAMEAT2, source, target, _NO_REPLACE)
        if number == 0:
            return
        if number not in _UNKNOWN:
            raise OSError(number, os.strerror(number), source, None, target)
    _rename_portably(source, target)


def exchange(folder: str, other: str) -> None:
    """Let two folders of one file system take each other's place, in one step. FileNotFoundError if
    one is not there; OSError, also where system or file system cannot."""
    number = errno.ENOSYS
    if _RENAMEAT2 is not None:
        number = _call(_RENAMEAT2, folder, other, _EXCHANGE)
    if number:
        raise OSError(number, os.strerror(number), folder, None, other)


def _call(function: Callable[..., int], source: str, target: str, flags: int) -> int:
    """The error's number, 0 for none. The audit of Python's own os.rename knows nothing of it: no
    harm."""
    failed = function(_HERE, os.fsencode(source), _HERE, os.fsencode(target), flags)
    return ctypes.get_errno() if failed else 0


def _rename_portably(source: str, target: str) -> None:
    """Where the system has no such call. A file by link and unlink: a kill in between leaves both
    names. A folder by rename, which replaces an empty folder, and nothing else."""
    if not os.path.isdir(source):
        os.link(source, target)
        os.unlink(source)
        return
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.ENOTDIR):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from error
        raise


def _find() -> Callable[..., int] | None:
    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None
    function.argtypes = [
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_uint,
    ]
    return function


_RENAMEAT2 = _find()
