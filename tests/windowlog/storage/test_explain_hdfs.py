"""What an outcome of WebHDFS is called, and what a person is told to do."""

from __future__ import annotations

import pytest

from windowlog.access.webhdfs_answers import Refusal, Unanswered, Unavailable
from windowlog.errors import KitError, StorageFailed, StorageUnsuitable
from windowlog.storage.explain_hdfs import explained


@pytest.mark.parametrize(
    ("outcome", "kind", "remedy"),
    [
        (Refusal("AccessControlException", "x"), StorageUnsuitable, "-chown"),
        (Refusal("AccessControlException", "/p (is not a directory)"), StorageUnsuitable, "A file"),
        (Refusal("ParentNotDirectoryException", "x"), StorageUnsuitable, "A file stands where"),
        (Refusal("InvalidToken", "token is expired"), StorageUnsuitable, "fresh ?delegation="),
        (Refusal("HTTP 401", "x"), StorageUnsuitable, "kinit"),
        (Refusal("InvalidPathException", "x"), StorageUnsuitable, "takes no such name"),
        (
            Refusal("RemoteException", "The maximum path component name limit of x is exceeded"),
            StorageUnsuitable,
            "takes no such name",
        ),
        (Refusal("SSL", "x"), StorageUnsuitable, "?ca_file="),
        (
            # As Python says it where https meets the port for Spark, which hangs up.
            Unanswered("the connection to nn broke ([SSL: UNEXPECTED_EOF_WHILE_READING] EOF)"),
            StorageFailed,
            "is the web port of a name node",
        ),
        (Refusal("IPC port", "x"), StorageUnsuitable, "dfs.namenode.http-address"),
        (Unavailable("nn cannot be reached (its name is not known)"), StorageFailed, "host name"),
        (
            Unanswered("nn answers HTTP 404 without a word of WebHDFS"),
            StorageFailed,
            "is the web port of a name node",
        ),
        (Refusal("SSL file", "x"), StorageUnsuitable, "(PEM)"),
        (Refusal("SSL name", "x"), StorageUnsuitable, "as its certificate does"),
        (Refusal("SSL scheme", "x"), StorageUnsuitable, "swebhdfs:// is https"),
        (Refusal("SSL time", "x"), StorageUnsuitable, "be renewed"),
        (Refusal("NSQuotaExceededException", "x"), StorageFailed, "-setQuota"),
        (Refusal("QuotaByStorageTypeExceededException", "x"), StorageFailed, "-setQuota"),
        (Refusal("SomethingNewException", "x"), StorageFailed, "-report"),
        (Unavailable("nn: Name node is in safe mode."), StorageFailed, "-safemode get"),
        (Unavailable("x"), StorageFailed, "-report"),
        (Unanswered("x"), StorageFailed, "-report"),
    ],
)
def test_an_outcome_is_explained(outcome: Exception, kind: type[KitError], remedy: str) -> None:
    """Whether waiting helps, and what does; with where and what was being done."""
    error = explained(outcome, "webhdfs://nn/x", "creating 1.json")
    assert type(error) is kind
    assert remedy in str(error)
    assert "webhdfs://nn/x" in str(error)
    assert f"creating 1.json failed ({outcome})" in str(error)
