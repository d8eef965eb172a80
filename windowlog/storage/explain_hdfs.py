"""What an outcome of WebHDFS means for a storage, and what a person can do about it. Pure."""

from __future__ import annotations

from windowlog.access.webhdfs_answers import Refusal, Unanswered, Unavailable
from windowlog.errors import KitError, StorageFailed, StorageUnsuitable

_FOLDER = "A file stands where a folder is wanted: name a folder."
_RIGHTS = (
    "Let this user read, write and enter the folder (hdfs dfs -chown, -chmod), or name another "
    "user or folder."
)
_LOGIN = (
    "Log in: ?user.name=… where the cluster trusts names, a fresh ?delegation=…, or "
    "?kerberos=true after kinit."
)
_NAME = "HDFS takes no such name, of a user, a folder or a record: name another one."
_TRUST = "Name the file of the authority that signed it: ?ca_file=…."
# Trying again cannot help before a person has changed something.
_UNSUITABLE = {
    "AccessControlException": _RIGHTS,
    "AuthenticationException": _LOGIN,
    "AuthorizationException": _LOGIN,
    "HTTP 401": _LOGIN,
    "HTTP 403": _LOGIN,
    "IllegalArgumentException": _NAME,
    "InvalidPathException": _NAME,
    "InvalidToken": _LOGIN,
    "ParentNotDirectoryException": _FOLDER,
    "PathComponentTooLongException": _NAME,
    "SSL": _TRUST,
    "SecurityException": _LOGIN,
}
_QUOTA = (
    "Free some of it, or let an administrator raise it (hdfs dfsadmin -setQuota, -setSpaceQuota); "
    "the next run goes on from where this one was."
)
_SAFE_MODE = (
    "It leaves safe mode when its data nodes have reported (hdfs dfsadmin -safemode get); the next "
    "run goes on from what is durable."
)
_CLUSTER = (
    "See whether HDFS is well (hdfs dfsadmin -report); the next run goes on from what is durable."
)


def explained(outcome: Exception, where: str, doing: str) -> KitError:
    """StorageUnsuitable or StorageFailed for what happened while `doing` ("creating 42.json")."""
    assert isinstance(outcome, Refusal | Unanswered | Unavailable)
    reason = f"{doing} failed ({outcome.reason})"
    if not isinstance(outcome, Refusal):
        safe_mode = "safe mode" in outcome.reason.lower()
        remedy = _SAFE_MODE if safe_mode else _CLUSTER
        return StorageFailed(where=where, reason=reason, remedy=remedy)
    if "is not a directory" in outcome.reason:
        # Asked for what lies below a file, HDFS speaks of rights.
        return StorageUnsuitable(where=where, reason=reason, remedy=_FOLDER)
    if "maximum path component name limit" in outcome.reason:
        return StorageUnsuitable(where=where, reason=reason, remedy=_NAME)
    if outcome.kind in _UNSUITABLE:
        return StorageUnsuitable(where=where, reason=reason, remedy=_UNSUITABLE[outcome.kind])
    remedy = _QUOTA if "Quota" in outcome.kind else _CLUSTER
    return StorageFailed(where=where, reason=reason, remedy=remedy)
