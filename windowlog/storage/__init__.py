"""The disk under every durable record: `open_storage` finds the one that a place means."""

from __future__ import annotations

import os
import re
from typing import TypeAlias

from windowlog.access.places import named, refuse_bare_address, shown
from windowlog.access.webhdfs_url import SCHEMES
from windowlog.contracts import Storage
from windowlog.errors import BadArgument
from windowlog.storage.hdfs import HdfsStorage
from windowlog.storage.local import LocalStorage
from windowlog.storage.memory import MemoryStorage
from windowlog.storage.mirrored import MirroredStorage

__all__ = [
    "HdfsStorage",
    "LocalStorage",
    "MemoryStorage",
    "MirroredStorage",
    "Place",
    "open_sides",
    "open_storage",
]

Place: TypeAlias = "str | os.PathLike[str] | Storage"

# Also with too few slashes: nobody means a folder `webhdfs:` beside his program.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?:[A-Za-z0-9+.-]+:)?/")
_ALLOWED = (
    "the path of a folder on this machine, webhdfs://NAMENODE:9870/FOLDER, or a Storage object "
    "such as MemoryStorage(), is wanted"
)


def open_storage(where: Place) -> Storage:
    """The storage at `where`: a folder's path, the `webhdfs:` or `swebhdfs:` URL of one on HDFS, or
    a Storage, which is returned as it is.

    Touches nothing. Raises BadArgument for anything else, other URLs included.
    """
    if isinstance(where, str):
        url = _SCHEME.match(where)
        if url is not None and url[1] in SCHEMES and where.startswith(f"{url[1]}://"):
            with named(url="where"):
                return HdfsStorage(where)
        if url is not None:
            raise BadArgument(argument="where", value=shown(where), allowed=_ALLOWED)
        refuse_bare_address("where", where, "webhdfs")
    elif isinstance(where, Storage):
        return where
    elif not isinstance(where, os.PathLike):
        raise BadArgument(argument="where", value=where, allowed=_ALLOWED)
    return LocalStorage(where)


def open_sides(where: Place, mirror: Place | None, *, required: bool) -> Storage:
    """The storage of a log at `where`, with a mirror if one is named. Touches nothing."""
    if not isinstance(required, bool):
        raise BadArgument(argument="mirror_required", value=required, allowed="True or False")
    if mirror is not None:
        first = open_storage(where)
        with named(where="mirror"):
            second = open_storage(mirror)
        return MirroredStorage(first, second, required=required)
    if not required:
        allowed = "there is no mirror to do without: name one, mirror="
        raise BadArgument(argument="mirror_required", value=required, allowed=allowed)
    return open_storage(where)
