"""What an outcome of WebHDFS means for a storage, and what a person can do about it. Pure."""

from __future__ import annotations

from windowlog.access.webhdfs_answers import (
    NAME_UNKNOWN,
    NOT_WEBHDFS,
    Refusal,
    Unanswered,
    Unavailable,
)
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
_FILE = "Let ?ca_file=… name a file of certificates (PEM) that this process can read."
_MACHINE = "Name the machine as its certificate does, or let it have one for this name."
_DATES = "Let the certificate be renewed, if this machine's clock is right."
_SCHEME = (
    "webhdfs:// is http, on port 9870 unless said, and swebhdfs:// is https, on 9871: name the one "
    "that this port is for. Spark's hdfs:// has a port of its own, 8020, which is neither."
)
_WEB_PORT = (
    "Name the web port: it is 9870 unless it was changed (hdfs getconf -confKey "
    "dfs.namenode.http-address)."
)
_PROXY = (
    "Name the name nodes themselves (dfs.namenode.http-address): a proxy may rename over what is "
    "there, and not say so."
)
# Trying again cannot help before a person has changed something.
_UNSUITABLE = {
    "AccessControlException": _RIGHTS,
    "AuthenticationException": _LOGIN,
    "AuthorizationException": _LOGIN,
    "HTTP 401": _LOGIN,
    "HTTP 403": _LOGIN,
    "IPC port": _WEB_PORT,
    "IllegalArgumentException": _NAME,
    "InvalidPathException": _NAME,
    "InvalidToken": _LOGIN,
    "ParentNotDirectoryException": _FOLDER,
    "PathComponentTooLongException": _NAME,
    "SSL": _TRUST,
    "SSL file": _FILE,
    "SSL name": _MACHINE,
    "SSL scheme": _SCHEME,
    "SSL time": _DATES,
    "SecurityException": _LOGIN,
    "proxy": _PROXY,
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
_HOST = (
    "See whether the host name is right, and known on this machine (getent hosts NAME); if it is, "
    "the next run goes on from what is durable."
)
_NO_NAME_NODE = (
    "See whether that is the web port of a name node (dfs.namenode.http-address), and HDFS well "
    "(hdfs dfsadmin -report); if so, the next run goes on from what is durable."
)


def explained(outcome: Exception, where: str, doing: str) -> KitError:
    """StorageUnsuitable or StorageFailed for what happened while `doing` ("creating 42.json")."""
    assert isinstance(outcome, Refusal | Unanswered | Unavailable)
    reason = f"{doing} failed ({outcome.reason})"
    if not isinstance(outcome, Refusal):
        return StorageFailed(where=where, reason=reason, remedy=_awaited(outcome.reason))
    if "is not a directory" in outcome.reason:
        # Asked for what lies below a file, HDFS speaks of rights.
        return StorageUnsuitable(where=where, reason=reason, remedy=_FOLDER)
    if "maximum path component name limit" in outcome.reason:
        return StorageUnsuitable(where=where, reason=reason, remedy=_NAME)
    if outcome.kind in _UNSUITABLE:
        return StorageUnsuitable(where=where, reason=reason, remedy=_UNSUITABLE[outcome.kind])
    remedy = _QUOTA if "Quota" in outcome.kind else _CLUSTER
    return StorageFailed(where=where, reason=reason, remedy=remedy)


def _awaited(reason: str) -> str:
    """What to look at where it was waited for in vain."""
    if "safe mode" in reason.lower():
        return _SAFE_MODE
    if NAME_UNKNOWN in reason:
        return _HOST
    # A port that hangs up when encryption begins may be Spark's, or that of a server that starts.
    doubtful = NOT_WEBHDFS in reason or "SSL: " in reason
    return _NO_NAME_NODE if doubtful else _CLUSTER
