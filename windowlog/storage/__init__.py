"""The disk under every durable record: `open_storage` finds the one that a place means."""

from __future__ import annotations

import os
import re

from windowlog.access.webhdfs_url import SCHEMES
from windowlog.contracts import Storage
from windowlog.errors import BadArgument
from windowlog.storage.hdfs import HdfsStorage
from windowlog.storage.local import LocalStorage
from windowlog.storage.memory import MemoryStorage

__all__ = ["HdfsStorage", "LocalStorage", "MemoryStorage", "open_storage"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_ALLOWED = (
    "the path of a folder on this machine, webhdfs://NAMENODE:9870/FOLDER, or a Storage object "
    "such as MemoryStorage(), is wanted"
)


def open_storage(where: str | os.PathLike[str] | Storage) -> Storage:
    """The storage at `where`: a folder's path, the `webhdfs:` or `swebhdfs:` URL of one on HDFS, or
    a Storage, which is returned as it is.

    Touches nothing. Raises BadArgument for anything else, other URLs included.
    """
    if isinstance(where, str):
        url = _SCHEME.match(where)
        if url is not None and url[1] in SCHEMES:
            return HdfsStorage(where)
        if url is not None:
            # The rest of a URL may hold a password.
            raise BadArgument(argument="where", value=f"{url[1]}://…", allowed=_ALLOWED)
    elif isinstance(where, Storage):
        return where
    elif not isinstance(where, os.PathLike):
        raise BadArgument(argument="where", value=where, allowed=_ALLOWED)
    return LocalStorage(where)
