"""Spools on HDFS: tasks write a window's files there, the driver copies those that they counted to
its own disk, one piece after the other, and takes them from there as from any spool.

Folders are named as on a disk, and go at the same times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from jdbc_sink.spool.files import Incomplete
from jdbc_sink.spool.folders import folder_name
from windowlog.access.hdfs_in_tasks import login_of
from windowlog.access.webhdfs import WebHdfs
from windowlog.access.webhdfs_answers import Refusal, Unanswered, Unavailable
from windowlog.access.webhdfs_url import HdfsPlace
from windowlog.storage.explain_hdfs import explained

# What the driver holds of a file at once.
_PIECE_BYTES = 4 * 2**20
_MISSING = "FileNotFoundException"


@dataclass(frozen=True, slots=True)
class HdfsSpool:
    """The folder of one attempt at a window. `login` is what tasks reach it with."""

    folder: str
    # It may hold a token.
    login: dict[str, Any] = field(repr=False)
    spools: HdfsSpools

    def fetch(self, target: Path, manifest: str) -> None:
        """Copy the list of files, and exactly the files in it, into a folder of this machine.
        Incomplete where one is not there; StorageFailed."""
        self.spools.copy(f"{self.folder}/{manifest}", target / manifest)
        for file in json.loads((target / manifest).read_text(encoding="utf-8")):
            self.spools.copy(f"{self.folder}/{file['name']}", target / file["name"])


class HdfsSpools:
    """The folders of one sink in `place`; `owner` as of `Folders`. StorageUnsuitable where the
    package hdfs is not installed; its verbs StorageFailed and StorageUnsuitable as HdfsStorage's
    do."""

    def __init__(self, place: HdfsPlace, owner: Sequence[str]) -> None:
        self._place = place
        self._web = WebHdfs(place)
        self._root = f"{place.path}/{folder_name(owner)}"
        self._own: list[str] = []

    @property
    def place(self) -> str:
        """Where they are, for messages."""
        return self._place.text

    @property
    def example(self) -> str:
        """The URL that a file of a spool has."""
        return f"{self._place.text.rstrip('/')}/sink/log.1.attempt/rows.parquet"

    def make(self, log_id: str, window_id: int) -> HdfsSpool:
        """A new folder."""
        folder = f"{self._root}/{log_id}.{window_id}.{uuid4().hex}"
        with self._asking("making a folder for a window"):
            self._web.ask("MKDIRS", folder)
        self._own.append(folder)
        return HdfsSpool(folder, login_of(self._place), self)

    def copy(self, path: str, target: Path) -> None:
        """One file, in pieces. Incomplete if it is not there."""
        name = path.rpartition("/")[2]
        with self._asking(f"reading {name}"):
            status = self._web.status(path)
            if status is None:
                raise Incomplete(f"{name} is not there")
            with target.open("xb") as stream:
                for offset in range(0, status["length"], _PIECE_BYTES):
                    stream.write(self._web.read(path, offset, _PIECE_BYTES))

    def drop(self) -> None:
        """Remove this sink's own folders. What cannot be removed now is swept later."""
        own, self._own = self._own, []
        for folder in own:
            self._remove(folder)

    def sweep(self, log_id: str, held: int) -> None:
        """As `Folders.sweep`."""
        with suppress(Refusal, Unavailable, Unanswered):
            found = self._web.ask("LISTSTATUS", self._root)["FileStatuses"]["FileStatus"]
            for each in found:
                log, _, rest = each["pathSuffix"].partition(".")
                window = rest.partition(".")[0]
                if log != log_id or (window.isdecimal() and int(window) <= held):
                    self._remove(f"{self._root}/{each['pathSuffix']}")

    def close(self) -> None:
        """Remove this sink's own folders; let go of connections."""
        if self._own:
            self.drop()
        self._web.close()

    def _remove(self, folder: str) -> None:
        with suppress(Refusal, Unavailable, Unanswered):
            self._web.ask("DELETE", folder, recursive="true")

    @contextmanager
    def _asking(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (Refusal, Unavailable, Unanswered) as outcome:
            raise explained(outcome, self.place, doing) from None
