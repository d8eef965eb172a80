"""Which file system an input's path is on."""

from __future__ import annotations

from typing import Any

from connectors.files.folder import Folder
from connectors.files.hdfs_folder import HdfsFolder
from connectors.files.local_folder import LocalFolder
from connectors.files.settings import READERS, check_choice, check_folder
from windowlog.access.hdfs_path import hdfs_path, is_hdfs, name_nodes, webhdfs_of
from windowlog.access.places import named
from windowlog.access.webhdfs_url import HdfsPlace
from windowlog.errors import BadArgument


def folder_at(path: Any, storage: HdfsPlace | str | None) -> Folder:
    """FileInput's path, checked, and who reads there. BadArgument where they do not go together.
    Touches nothing."""
    if storage is None and not is_hdfs(path):
        return LocalFolder(check_folder(path))
    place = hdfs_path(path)
    with named(url="storage"):
        found = name_nodes(webhdfs_of(place) if storage is None else storage, {})
    return HdfsFolder(place, found)


def reader_for(folder: Folder, reader: Any) -> str:
    """FileInput's reader, checked. BadArgument also for one that cannot read there."""
    checked = check_choice("reader", reader, READERS)
    if checked == "executors" and not folder.in_tasks:
        allowed = (
            "'driver' or 'auto' with Kerberos, whose ticket tasks do not have; or log in with a"
            " delegation token"
        )
        raise BadArgument(argument="reader", value=reader, allowed=allowed)
    return checked
