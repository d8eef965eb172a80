"""HdfsTree: folders of an HDFS, renamed by the driver through WebHDFS, written by Spark's executors
through HDFS itself. Paths are as Spark is told of them: `hdfs://namenode:8020/out`.

A rename is one step of the name node, which writes it to its log before it answers, and with
renameoptions=NONE it refuses a name that is taken. An answer may be lost: the number that a file or
folder keeps under every name then tells whether it was renamed.
"""

from __future__ import annotations

import io
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast
from urllib.parse import quote

from file_sink.hdfs_files import PIECE_BYTES, Reading, Writing
from file_sink.paths import parent
from file_sink.tree import Entry, Kind
from windowlog.access.hdfs_path import hdfs_path, inside, name_nodes
from windowlog.access.webhdfs import WebHdfs
from windowlog.access.webhdfs_answers import Refusal, Unanswered, Unavailable
from windowlog.access.webhdfs_moving import TAKEN, move_surely
from windowlog.errors import RecordExists, RecordNotFound
from windowlog.storage import HdfsStorage
from windowlog.storage.explain_hdfs import explained

_MISSING = "FileNotFoundException"
_TAKEN = (TAKEN, "ParentNotDirectoryException")
# A file that is being written, or whose writing was in doubt.
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp")


class HdfsTree:
    """Obeys `Tree`: `HdfsTree("webhdfs://nn1:9870,nn2:9870", token=…)`. The URL names the name
    nodes, without a folder; its options, also as arguments, are those of `HdfsStorage`.

    Creating the object touches nothing. Use from one thread; `open`, `sync` and `fingerprint` from
    several. Raises BadArgument for a URL that cannot be, StorageUnsuitable where the package hdfs
    is not installed; its verbs StorageUnsuitable and StorageFailed as HdfsStorage's do."""

    def __init__(self, url: str, **options: str | float | bool | os.PathLike[str] | None) -> None:
        self._place = name_nodes(url, options)
        # A client serves one thread at a time.
        self._idle = [WebHdfs(self._place)]

    def place(self, path: str) -> str:
        """As it is written, without doubled slashes."""
        return hdfs_path(path)

    def url(self, path: str) -> str:
        """Where name nodes have it: a URL as a log's, without options."""
        return f"{self._place.text.rstrip('/')}{inside(path)}"

    def spark_path(self, path: str) -> str:
        """The path itself."""
        return path

    def kind(self, path: str) -> Kind | None:
        """As the name node says."""
        with self._asking(path, "looking at it") as web:
            status = web.status(inside(path))
        return None if status is None else _kind(status)

    def list(self, folder: str) -> list[Entry]:
        """Without files that are being written."""
        with self._asking(folder, "listing it") as web:
            try:
                found = web.ask("LISTSTATUS", inside(folder))["FileStatuses"]["FileStatus"]
            except Refusal as refusal:
                if refusal.kind == _MISSING:
                    return []
                raise
            if any(not each["pathSuffix"] for each in found):
                raise Refusal("ParentNotDirectoryException", "it is a file")
        entries = [Entry(each["pathSuffix"], _kind(each), each["length"]) for each in found]
        shown = [entry for entry in entries if not _TEMPORARY.fullmatch(entry.name)]
        return sorted(shown, key=lambda entry: entry.name)

    def make(self, folder: str, *, durable: bool = True) -> None:
        """By MKDIRS."""
        with self._asking(folder, "making it") as web:
            try:
                web.ask("MKDIRS", inside(folder))
            except Refusal as refusal:
                if refusal.kind in _TAKEN:
                    raise _exists(folder) from None
                raise
        if durable:
            # Also where it was there: it may have been seen before it was in the name node's log.
            self.sync(folder)

    def create(self, path: str) -> BinaryIO:
        """Its bytes are kept in memory until it is closed. Then they are written beside it, each
        block synced, and renamed."""
        if self.kind(parent(path)) != "folder":
            raise _missing(parent(path))
        if self.kind(path) is not None:
            raise _exists(path)
        return cast(BinaryIO, Writing(lambda data: self._write(path, data)))

    def open(self, path: str) -> BinaryIO:
        """Each piece is asked for when it is read."""
        with self._asking(path, "reading it") as web:
            status = web.status(inside(path))
        if status is None:
            raise _missing(path)

        def read(offset: int, length: int) -> bytes:
            with self._asking(path, "reading it") as web:
                return web.read(inside(path), offset, length)

        return io.BufferedReader(Reading(status["length"], read), PIECE_BYTES)

    def rename(self, source: str, target: str) -> None:
        """By RENAME, which never overwrites. Answers that are lost are looked for."""
        with self._asking(source, f"renaming it to {target}") as web:
            status = web.status(inside(source))
            if status is None:
                raise _missing(source)
            _rename(web, source, target, status["fileId"])

    def sync(self, path: str) -> None:
        """By a change of its time. Name nodes write their log in order: when this is answered, all
        that was seen before is in it. A failure loses nothing. What Spark has written and closed is
        as durable as the cluster makes it (dfs.datanode.synconclose)."""
        with self._asking(path, "syncing it") as web:
            moment = str(int(time.time() * 1000))
            web.ask("SETTIMES", inside(path), modificationtime=moment)

    def remove(self, path: str) -> None:
        """What cannot be removed now stays, and is swept later."""
        with suppress(Refusal, Unavailable, Unanswered), self._client() as web:
            web.ask("DELETE", inside(path), recursive="true")

    def fingerprint(self, path: str) -> str:
        """HDFS's own checksum, of the checksums that the data nodes keep: no byte is read."""
        with self._asking(path, "asking for its checksum") as web:
            found = web.checksum(inside(path))
        return f"{found['algorithm']}:{found['bytes']}"

    def one_system(self, path: str, other: str) -> bool:
        """Yes: one name node's rename is one step anywhere."""
        return True

    def records(self, folder: str) -> HdfsStorage:
        """As the log's."""
        place = self._place
        return HdfsStorage(
            f"{place.text.rstrip('/')}{quote(inside(folder))}",
            user=place.user,
            token=place.token,
            kerberos=place.kerberos,
            ca_file=place.ca_file,
            timeout_s=place.timeout_s,
            patience_s=place.patience_s,
        )

    def close(self) -> None:
        """The next call makes new connections."""
        for client in self._idle:
            client.close()

    def _write(self, path: str, data: bytes) -> None:
        with self._asking(path, "writing it") as web:
            last: Exception | None = None
            for _ in web.attempts():
                name = f".{path.rpartition('/')[2]}.{secrets.token_hex(8)}.tmp"
                temporary = f"{parent(path)}/{name}"
                try:
                    web.write(inside(temporary), data)
                except Unanswered as failure:
                    # It may be there, in part, or come later: that name is never used again.
                    last = failure
                    with suppress(Refusal, Unavailable, Unanswered):
                        web.ask("DELETE", inside(temporary))
                    continue
                status = web.status(inside(temporary))
                if status is None:
                    raise _missing(parent(path))
                _rename(web, temporary, path, status["fileId"])
                return
            assert last is not None, "there is at least one attempt"
            raise last

    @contextmanager
    def _client(self) -> Iterator[WebHdfs]:
        """A client for this thread, for now."""
        try:
            web = self._idle.pop()
        except IndexError:
            web = WebHdfs(self._place)
        try:
            yield web
        finally:
            self._idle.append(web)

    @contextmanager
    def _asking(self, path: str, doing: str) -> Iterator[WebHdfs]:
        """A client; its outcomes get their place, meaning and remedy."""
        try:
            with self._client() as web:
                yield web
        except (Refusal, Unavailable, Unanswered) as outcome:
            if isinstance(outcome, Refusal) and outcome.kind == _MISSING:
                raise _missing(path) from None
            raise explained(outcome, path, doing) from None


def _rename(web: WebHdfs, source: str, target: str, ours: Any) -> None:
    """`ours` is the number of what is to be renamed."""
    refused = move_surely(web, inside(source), inside(target), ours)
    if refused is None:
        return
    if refused.kind == TAKEN:
        raise _exists(target)
    if refused.kind == _MISSING and web.status(inside(source)) is not None:
        raise _missing(parent(target))
    raise refused


def _kind(status: Any) -> Kind:
    return "folder" if status["type"] == "DIRECTORY" else "file"


def _missing(path: str) -> RecordNotFound:
    return RecordNotFound(name=path.rpartition("/")[2], where=parent(path))


def _exists(path: str) -> RecordExists:
    return RecordExists(name=path.rpartition("/")[2], where=parent(path))
