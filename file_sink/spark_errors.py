"""What Spark says of a write that failed, as errors that a person can act on. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from file_sink.errors import FolderUnsuitable, FrameUnsuitable
from windowlog.errors import KitError, StorageFailed

_PORT = "It is the port of fs.defaultFS (8020), not the web port that storage= names (9870)."
# A web server's answer, taken for a length. (Hadoop 3.4)
_NO_RPC = "RPC response has a length of"

# What file systems of Linux, and HDFS unless it is told otherwise, take for a name.
_NAME_BYTES_MAX = 255
# What the messages of Hadoop have behind the name that could not be made.
_BEHIND = re.compile(r" \(exists=| in directory ")
_SHOWN = 40


def unreached(error: Exception, folder: str, sink: str) -> KitError | None:
    """An HDFS to which Spark does not come through: the driver reaches it by another way, and has
    noticed nothing. None if the error is of something else."""
    place = urlsplit(folder)
    if place.scheme != "hdfs":
        return None
    where, text = f"hdfs://{place.netloc}", str(error)
    refused = f":{place.port} failed on connection exception: java.net.ConnectException"
    if refused in text:
        remedy = f"Is the name node up? {_PORT} The window is then replayed."
        return StorageFailed(
            where=where, reason="Spark finds nobody who listens there", remedy=remedy
        )
    if _NO_RPC in text:
        reason = f"Spark does not find a name node's RPC port at {where}"
        return FolderUnsuitable(path=folder, sink=sink, reason=reason, remedy=_PORT)
    if f"UnknownHostException: {place.hostname}" in text:
        remedy = "Take the name of fs.defaultFS; for a name service, give Spark Hadoop's settings."
        reason = f"Spark does not know the name {place.hostname}"
        return FolderUnsuitable(path=folder, sink=sink, reason=reason, remedy=remedy)
    return None


def too_long(
    error: Exception, folder: str, partition_by: Sequence[str], sink: str
) -> FrameUnsuitable | None:
    """A value that a folder is named by, and that is too long for a name. None if there is none in
    what the error says."""
    text = str(error).replace(" of ", "/")  # HDFS tells no path, but the "limit of NAME=VALUE"
    for column in partition_by:
        for found in re.findall(rf"/{re.escape(column)}=([^/\n]*)", text):
            value = _BEHIND.split(found)[0]
            size = len(f"{column}={value}".encode())
            if size > _NAME_BYTES_MAX:
                told = (
                    f"a value of the partition column {column} makes a folder's name of"
                    f" {size} bytes, of {_NAME_BYTES_MAX} at most: {value[:_SHOWN]}…"
                )
                return FrameUnsuitable(sink=sink, path=folder, findings=told)
    return None
