"""Who may read and write what stands in the place of something else: the same as before."""

from __future__ import annotations

import os
from contextlib import suppress

# Access control lists, where a file system has them.
_LISTS = ("system.posix_acl_access", "system.posix_acl_default")


def copy_rights(source: str, target: str) -> None:
    """Give `target` the owner, mode and access lists of `source`. OSError, where this user may not:
    better no twin than one that others can no longer read."""
    wanted, found = os.stat(source), os.stat(target)
    if (wanted.st_uid, wanted.st_gid) != (found.st_uid, found.st_gid):
        os.chown(target, wanted.st_uid, wanted.st_gid)
    if wanted.st_mode != found.st_mode:
        os.chmod(target, wanted.st_mode & 0o7777)
    if hasattr(os, "getxattr"):
        for name in _LISTS:
            with suppress(OSError):  # most have none
                value = os.getxattr(source, name)
                os.setxattr(target, name, value)
