"""A folder of an HDFS as Spark is told of it, `hdfs://namenode:8020/out`, and where a driver
reaches it, `webhdfs://namenode:9870`. Pure functions."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from windowlog.access.places import shown
from windowlog.access.webhdfs_url import NAME_NODES, HdfsPlace, parse_place
from windowlog.errors import BadArgument

_PATH = re.compile(r"hdfs://([A-Za-z0-9._-]+(?::[0-9]{1,5})?)/([^\0]*)", re.IGNORECASE)
_ALLOWED = "a folder of an HDFS as Spark sees it, hdfs://NAMENODE:8020/FOLDER"
WITH_STORAGE = f'{_ALLOWED}, with storage="webhdfs://NAMENODE:9870"'
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_WEB = ("webhdfs:", "swebhdfs:")
_RESERVED = frozenset({".snapshot", ".reserved"})
# Where Hadoop 3 listens: for Spark, and for WebHDFS.
_RPC_PORT, _HTTP_PORT = "8020", "9870"


def is_hdfs(path: object) -> bool:
    """Is it meant as one?"""
    return isinstance(path, str) and path.lower().startswith("hdfs:")


def hdfs_path(path: Any) -> str:
    """The path, without doubled slashes and with none at its end. BadArgument for what is none."""
    found = _PATH.fullmatch(path) if isinstance(path, str) else None
    if found is None:
        raise BadArgument(argument="path", value=shown(path), allowed=_ALLOWED)
    parts = [part for part in found[2].split("/") if part]
    if not parts or any(part in (".", "..") or ":" in part for part in parts):
        allowed = f"{_ALLOWED}; no name in it is . or .. or has a colon"
        raise BadArgument(argument="path", value=path, allowed=allowed)
    if not _RESERVED.isdisjoint(parts):
        # A snapshot keeps the old bytes of a file, and a file's number leads to its newest ones.
        allowed = f"{_ALLOWED}; not in a snapshot, nor below /.reserved: copy what is in it"
        raise BadArgument(argument="path", value=path, allowed=allowed)
    return f"hdfs://{found[1]}/{'/'.join(parts)}"


def refuse_here(path: object, storage: object) -> None:
    """BadArgument for a path of this machine with the URL of name nodes as its storage."""
    if isinstance(path, os.PathLike):
        path = os.fspath(path)
    here = isinstance(path, str) and bool(path.strip()) and not _SCHEME.match(path)
    if here and isinstance(storage, str) and storage.lower().startswith(_WEB):
        allowed = (
            f"None for the folder {path!r} of this machine; webhdfs:// goes with a path of HDFS,"
            " hdfs://NAMENODE:8020/FOLDER"
        )
        raise BadArgument(argument="storage", value=shown(storage), allowed=allowed)


def webhdfs_of(path: str) -> str:
    """Where the name node of a path speaks WebHDFS: known where it is on Hadoop's own port, and so
    is no name of a cluster. BadArgument elsewhere, which says what to give."""
    authority = path.split("/")[2]
    host, _, port = authority.partition(":")
    if port != _RPC_PORT:
        allowed = (
            f'"webhdfs://NAMENODE:{_HTTP_PORT}", where the driver reaches the name node of'
            f" {authority} (with a comma between several; dfs.namenode.http-address says where)"
        )
        raise BadArgument(argument="storage", value=None, allowed=allowed)
    return f"webhdfs://{host}:{_HTTP_PORT}"


def inside(path: str) -> str:
    """The path as the name node knows it: without scheme and authority."""
    return f"/{'/'.join(path.split('/')[3:])}"


def name_nodes(url: object, given: Mapping[str, object]) -> HdfsPlace:
    """How the name nodes of `url` are reached, with the options of `parse_place`; a place that was
    made so is taken as it is. BadArgument also where the URL names a folder."""
    place = url if isinstance(url, HdfsPlace) else _parsed(url, given)
    if place.path:
        allowed = f"{NAME_NODES}; the folder stands in path="
        raise BadArgument(argument="url", value=place.text, allowed=allowed)
    return place


def _parsed(url: object, given: Mapping[str, object]) -> HdfsPlace:
    try:
        return parse_place(url, given)
    except BadArgument as error:
        if error.values["argument"] != "url":
            raise
        value = error.values["value"]
    raise BadArgument(argument="url", value=value, allowed=NAME_NODES)
