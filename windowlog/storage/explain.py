"""What an error of the operating system means for a storage, and what a person can do about it."""

from __future__ import annotations

import errno

from windowlog.errors import KitError, StorageFailed, StorageUnsuitable

# The place is wrong: trying again cannot help before a person has changed something.
_UNSUITABLE = {
    errno.ENOTDIR: "A file stands where a folder is wanted: name a folder.",
    errno.EACCES: "Let this user read, write and enter the folder, or name another one.",
    errno.EPERM: "Let this user write in the folder, or name another one.",
    errno.EROFS: "Mount it writable, or name another folder.",
    errno.ENAMETOOLONG: "Use a shorter path.",
    errno.ELOOP: "Its symbolic links lead in a circle: name a folder.",
}
# The place is right, and the fault may pass.
_FULL = "Free some space there; the next run goes on from where this one was."
_FAILED = {errno.ENOSPC: _FULL, errno.EDQUOT: _FULL}
_CHECK = "Check the disk and its mount; the next run goes on from what is durable."

_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS}


def explained(error: OSError, where: str, doing: str) -> KitError:
    """StorageUnsuitable or StorageFailed for what happened while `doing` ("creating 42.json")."""
    reason = f"{doing} failed ({error.strerror or error})"
    if error.errno in _UNSUITABLE:
        return StorageUnsuitable(where=where, reason=reason, remedy=_UNSUITABLE[error.errno])
    remedy = _FAILED.get(error.errno or 0, _CHECK)
    return StorageFailed(where=where, reason=reason, remedy=remedy)


def lacks_links(error: OSError, where: str) -> StorageUnsuitable | None:
    """The refusal of a file system that answers `error` to a hard link; None for other errors."""
    if error.errno not in _NO_LINKS:
        return None
    return StorageUnsuitable(
        where=where,
        reason=f"its file system makes no hard links ({error.strerror})",
        remedy="Name a folder on ext4, XFS, Btrfs, APFS or NFS. Nothing was left behind.",
    )
