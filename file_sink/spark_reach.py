"""What Spark says when it does not come through to the HDFS that a folder's path names, as an error
that a person can act on: the driver reaches it by another way, and has noticed nothing."""

from __future__ import annotations

from urllib.parse import urlsplit

from file_sink.errors import FolderUnsuitable
from windowlog.errors import KitError, StorageFailed

_PORT = "It is the port of fs.defaultFS (8020), not the web port that storage= names (9870)."
# A web server's answer, taken for a length. (Hadoop 3.4)
_NO_RPC = "RPC response has a length of"


def unreached(error: Exception, folder: str, sink: str) -> KitError | None:
    """For what a write into `folder` has raised; None if that is something else."""
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
