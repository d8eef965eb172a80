"""HdfsFolder: a folder of an HDFS, listed and read through WebHDFS.

A file is its number (`fileId`), which a name node gives away once and keeps through every rename.
It is read by that number, too: what comes to stand at its path meanwhile is never read instead.
Of a file that is open for writing there is as much as the name node knows of: it refuses to lead to
bytes behind that, though data nodes may have them.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from connectors.files.doors import Blocks
from connectors.files.errors import FolderMissing, Unreadable
from connectors.files.folder import Gone, OpenFile, TaskRange
from connectors.files.identity import NEVER_AGAIN, FileId, Status
from connectors.files.walk import Seen, Tree, is_hidden
from windowlog.access.hdfs_in_tasks import login_of
from windowlog.access.hdfs_path import hdfs_path, inside, is_hdfs
from windowlog.access.webhdfs import WebHdfs
from windowlog.access.webhdfs_answers import Refusal, Unanswered, Unavailable
from windowlog.access.webhdfs_url import HdfsPlace, parse_place
from windowlog.errors import BadArgument, StorageUnsuitable
from windowlog.storage.explain_hdfs import explained

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MISSING = "FileNotFoundException"
_FORBIDDEN = "AccessControlException"
_BELOW_A_FILE = "is not a directory"
_BY_NUMBER = "/.reserved/.inodes"
_DEVICE = 0
_NS_IN_MS = 1_000_000
# HDFS numbers its files from 16386 on (INodeId.ROOT_INODE_ID is 16385).
_FIRST_NUMBER = 16_386


class HdfsFolder:
    """Obeys `Folder`. `place` is `hdfs://…/in`, as for Spark; the name nodes are reached by
    `name_nodes`. StorageUnsuitable where the package hdfs is not installed; what is asked raises
    StorageFailed and StorageUnsuitable as HdfsStorage does."""

    def __init__(self, place: str, name_nodes: HdfsPlace) -> None:
        self.place = place
        self.in_tasks = not name_nodes.kerberos
        self._root = inside(place)
        self._name_nodes = name_nodes
        self._web = WebHdfs(name_nodes)

    def walk(self, pattern: re.Pattern[str], name: str) -> Tree:
        """A listing for each folder. A link is left alone."""
        files: dict[FileId, Seen] = {}
        folders = [""]
        while folders:
            folder = folders.pop()
            for each in self._list(folder, name):
                if is_hidden(each["pathSuffix"]):
                    continue
                path = f"{folder}{each['pathSuffix']}"
                if each["type"] == "DIRECTORY":
                    folders.append(f"{path}/")
                elif each["type"] == "FILE" and pattern.fullmatch(path) is not None:
                    found = _status(each)
                    other = files.get(found.id)
                    # It may be moved during the walk, and be seen twice.
                    if other is None or path < other.path:
                        files[found.id] = Seen(path, found.size, found.mtime_ns)
        return Tree(files, frozenset({_DEVICE}))

    def _list(self, folder: str, name: str) -> list[Any]:
        where = f"{self.place}/{folder}".rstrip("/")
        try:
            with self._asking(where, "listing it", name):
                answer = self._web.ask("LISTSTATUS", f"{self._root}/{folder}".rstrip("/"))
            found: list[Any] = answer["FileStatuses"]["FileStatus"]
        except Gone:
            if folder:
                return []  # it was there a moment ago
            raise FolderMissing(input=name, path=where, found="does not exist") from None
        if any(not each["pathSuffix"] for each in found):
            if folder:
                return []
            raise FolderMissing(input=name, path=where, found="is not a folder")
        return found

    def url(self) -> str:
        """As the name nodes have it, without options."""
        return f"{self._name_nodes.text.rstrip('/')}{self._root}"

    def reads(self, pattern: re.Pattern[str], path: str) -> bool:
        """Of a sink's path, `hdfs://…`, and of a log's, `webhdfs://…`, where they are said to be
        on the same name nodes as this folder."""
        below = self._inside(path)
        if below is None or not below.startswith(f"{self._root}/"):
            return False
        relative = below.removeprefix(f"{self._root}/")
        hidden = any(map(is_hidden, relative.split("/")))
        return not hidden and pattern.fullmatch(relative) is not None

    def _inside(self, path: str) -> str | None:
        """A URL's path on these name nodes; None if it is elsewhere, or no such URL."""
        try:
            if is_hdfs(path):
                found = hdfs_path(path)
                here = found.split("/")[2].lower() == self.place.split("/")[2].lower()
                return inside(found) if here else None
            place = parse_place(path, {})
        except BadArgument:
            return None
        here = not set(place.name_nodes).isdisjoint(self._name_nodes.name_nodes)
        return place.path if here else None

    def status(self, path: str, name: str) -> Status | None:
        """As the name node says."""
        try:
            with self._asking(f"{self.place}/{path}", "looking at it", name):
                found = self._web.status(f"{self._root}/{path}")
        except Gone:
            return None
        return None if found is None else _status(found)

    def open(self, path: str, name: str) -> OpenFile | None:
        """Asks for its status; bytes come when they are read."""
        found = self.status(path, name)
        if found is None or not stat.S_ISREG(found.mode):
            return None
        address = f"{_BY_NUMBER}/{found.id.inode}"
        blocks = Blocks(partial(self._fetch, address, path, name), found.size)
        written = partial(self._is_written, address, path, name, found.size)
        return OpenFile(path, found, address, blocks.read, _nothing, written)

    def _fetch(self, address: str, path: str, name: str, offset: int, length: int) -> bytes:
        with self._asking(f"{self.place}/{path}", "reading it", name):
            return self._web.read(address, offset, length)

    def _is_written(self, address: str, path: str, name: str, size: int) -> bool:
        with self._asking(f"{self.place}/{path}", "looking at it", name):
            found = self._web.ask("GET_BLOCK_LOCATIONS", address)["LocatedBlocks"]
        # A writer may have ended since the size was asked for: then the last line is longer.
        return bool(found["isUnderConstruction"]) or found["fileLength"] != size

    def load(self, spark: SparkSession, tasks: Sequence[Sequence[TaskRange]]) -> DataFrame:
        """Tasks read by the package `hdfs`, as the same user."""
        from connectors.files.source import load, source_on_hdfs

        return load(spark, tasks, source_on_hdfs(login_of(self._name_nodes)))

    def close(self) -> None:
        """The next call makes new connections."""
        self._web.close()

    @contextmanager
    def _asking(self, where: str, doing: str, name: str) -> Iterator[None]:
        """Outcomes get their place and meaning. Gone where there is nothing."""
        try:
            yield
        except (Refusal, Unavailable, Unanswered) as outcome:
            if isinstance(outcome, Refusal):
                if outcome.kind == _MISSING or _BELOW_A_FILE in outcome.reason:
                    raise Gone(f"{where} is gone, while {doing}") from None
                if outcome.kind == _FORBIDDEN:
                    reason = outcome.reason
                    raise Unreadable(input=name, path=where, reason=reason) from None
            raise explained(outcome, where, doing) from None


def _status(found: Any) -> Status:
    """As of a disk, from a name node's words."""
    number = found.get("fileId", 0)
    if number < _FIRST_NUMBER:
        raise _without_numbers(number)
    file_id = FileId(_DEVICE, number, NEVER_AGAIN)
    kind = stat.S_IFREG if found["type"] == "FILE" else stat.S_IFDIR
    return Status(file_id, kind, found["length"], found["modificationTime"] * _NS_IN_MS)


def _without_numbers(number: object) -> StorageUnsuitable:
    return StorageUnsuitable(
        where="the name node",
        reason=f"it gives a file the number {number}: a proxy that does not know files by number",
        remedy="Name the name nodes themselves in storage=.",
    )


def _nothing() -> None:
    """A file that is read by its number is not held open."""
