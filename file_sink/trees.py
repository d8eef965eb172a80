"""Which file system a sink's path is on."""

from __future__ import annotations

from os import PathLike
from typing import cast

from file_sink.hdfs_tree import HdfsTree
from file_sink.local_tree import LocalTree
from file_sink.settings import local_path
from file_sink.tree import Tree
from windowlog.access.hdfs_path import hdfs_path, is_hdfs, refuse_here, webhdfs_of
from windowlog.access.places import named, shown
from windowlog.errors import BadArgument


def tree_of(path: str | PathLike[str], storage: Tree | str | None) -> tuple[str, Tree]:
    """FileSink's path, checked, and who renames there. BadArgument where they do not go together.
    Touches nothing."""
    refuse_here(path, storage)
    if isinstance(storage, str):
        with named(url="storage"):
            return hdfs_path(path), HdfsTree(storage)
    if isinstance(storage, HdfsTree):
        return hdfs_path(path), storage
    if storage is None and is_hdfs(path):
        found = hdfs_path(path)
        return found, HdfsTree(webhdfs_of(found))
    if storage is None:
        return local_path(path), LocalTree()
    if not isinstance(cast(object, storage), Tree):
        allowed = '"webhdfs://NAMENODE:9870" for a path hdfs://…, or a file_sink.tree.Tree'
        raise BadArgument(argument="storage", value=shown(storage), allowed=allowed)
    return str(path).rstrip("/"), storage
