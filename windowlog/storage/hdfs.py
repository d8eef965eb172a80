"""HdfsStorage: durable records as files in a folder of an HDFS, through WebHDFS.

How a record comes into being, so that a cut at any point leaves nothing half:

    1. a temporary file beside it is written and closed, each block on its disk; its name begins
       with a dot, is like no other, and is never used again
    2. it is renamed to the record's name with renameoptions=NONE, which refuses a name that is
       taken, by a file or a folder

An answer may be lost after either step. A temporary file in doubt is left behind, and another one
written. A rename in doubt is looked up: nobody else knows the temporary name, so while it is there
the rename has not happened, and once it is gone it has. Name nodes write each change to their log
before they answer, so a rename that was answered is durable; one that somebody else has seen may
not be, and `sync` makes sure of it by a change of its own (I1).
"""

from __future__ import annotations

import copy
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from windowlog.access.webhdfs import WebHdfs
from windowlog.access.webhdfs_answers import Refusal, Unanswered, Unavailable
from windowlog.access.webhdfs_moving import TAKEN, move_surely
from windowlog.access.webhdfs_url import parse_folder
from windowlog.errors import KitError, RecordExists, RecordNotFound, StorageFailed
from windowlog.storage.explain_hdfs import explained
from windowlog.storage.names import check_name

# A creation takes some 100 ms, and with all its waiting some minutes: what is an hour older than
# another record here belongs to a process that died.
STALE_S = 3600.0

_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp")
_MISSING = "FileNotFoundException"
_UNSURE = "whether it is there cannot be told: the name nodes do not answer any more"


class HdfsStorage:
    """Records in a folder of an HDFS: `webhdfs://namenode:9870/state/wordcount`. Obeys `Storage`.

    Several name nodes stand side by side (`webhdfs://nn1:9870,nn2:9870/…`); `swebhdfs` is https.
    Options, also after a `?` in the URL: `user` (`user.name`; none: $HADOOP_USER_NAME, else the
    system's), `token` (`delegation`), `kerberos`, `ca_file`, `timeout_s` for one answer and
    `patience_s` for one verb with all that is tried again. Creating the object touches nothing;
    use from one thread. Raises BadArgument for a URL that cannot be; StorageUnsuitable where
    records cannot be kept (rights, log-in, a file where a folder is wanted); StorageFailed, an
    OSError, when HDFS does not answer, is in safe mode, or a quota is used up.
    """

    def __init__(
        self,
        url: str,
        *,
        user: str | None = None,
        token: str | None = None,
        kerberos: bool | None = None,
        ca_file: str | os.PathLike[str] | None = None,
        timeout_s: float | None = None,
        patience_s: float | None = None,
    ) -> None:
        given = {
            "user": user,
            "token": token,
            "kerberos": kerberos,
            "ca_file": ca_file,
            "timeout_s": timeout_s,
            "patience_s": patience_s,
        }
        place = parse_folder(url, given)
        self._web = WebHdfs(place)
        self._folder = place.path
        self._root = place.text.removesuffix(place.path or "/")
        self._leftovers: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Its URL, without options: no input may read it."""
        return f"{self._root}{self._folder}"

    def read(self, name: str) -> bytes:
        """All bytes of a record. RecordNotFound if there is none."""
        path = self._path(name)
        with self._explaining(f"reading {name}", missing=name):
            return self._web.read(path)

    def create(self, name: str, data: bytes) -> None:
        """Create a record, whole or not at all; durable. RecordExists if the name is taken."""
        path = self._path(name)
        with self._explaining(f"creating {name}"):
            for _ in self._web.attempts():
                temporary = f".{name}.{secrets.token_hex(8)}.tmp"
                try:
                    self._web.write(f"{self._folder}/{temporary}", data)
                except Unanswered as failure:
                    last = failure
                    self._leftovers += (temporary,)
                    continue
                if self._show(f"{self._folder}/{temporary}", name, path):
                    self._sweep()
                    return
                last = Unanswered("its temporary file was removed by somebody")
            raise last

    def list(self) -> list[str]:
        """Names of the records, sorted; without sub-folders and unfinished creations."""
        with self._explaining("listing it"):
            entries = self._entries()
        names = [entry["pathSuffix"] for entry in entries]
        newest = max((entry["modificationTime"] for entry in entries), default=0)
        # A listing changes nothing. What it saw, the next creation sweeps. By the servers' clock.
        self._leftovers = tuple(
            entry["pathSuffix"]
            for entry in entries
            if _TEMPORARY.fullmatch(entry["pathSuffix"])
            and entry["modificationTime"] < newest - STALE_S * 1000
        )
        return sorted(name for name in names if name[0] != ".")

    def rename(self, source: str, target: str) -> None:
        """Move a record to a free name; durable. RecordExists if taken, RecordNotFound if
        missing."""
        path, new_path = self._path(source), self._path(target)
        with self._explaining(f"renaming {source}", missing=source):
            ours = self._file_id(path)
            if ours is None:
                raise RecordNotFound(name=source, where=self.describe())
            refused = move_surely(self._web, path, new_path, ours)
            if refused is not None:
                raise self._taken(refused, target)

    def delete(self, name: str, *, durable: bool = True) -> None:
        """Remove a record; nothing happens if it is not there. Always durable.

        After StorageFailed it may still come to pass: do not use the name again."""
        path = self._path(name)
        with self._explaining(f"deleting {name}"):
            self._web.ask("DELETE", path, recursive="false")

    def sync(self, name: str | None = None) -> None:
        """Make durable what another process may have left half way: a record, or the listing.

        RecordNotFound if there is no such record; a folder that is not there has nothing to sync.
        """
        path = None if name is None else self._path(name)
        with self._explaining(f"syncing {name or 'it'}", missing=name):
            if path is not None and self._file_id(path) is None:
                raise RecordNotFound(name=name, where=self.describe())
            # What is seen may not be in the name node's log yet. The log is written in order, and a
            # change is answered when it is in it: this one, and so all that was seen before.
            moment = str(int(time.time() * 1000))
            self._web.ask("SETTIMES", self._folder or "/", modificationtime=moment)

    def within(self, folder: str) -> HdfsStorage:
        """The storage of a sub-folder. Creates nothing: it comes into being with a record."""
        check_name(folder, "folder")
        inner = copy.copy(self)
        inner._folder = f"{self._folder}/{folder}"
        inner._leftovers = ()
        return inner

    def describe(self) -> str:
        """The folder's URL, without options."""
        return f"{self._root}{self._folder or '/'}"

    def close(self) -> None:
        """Let go of the connections, those of sub-folders too; the next call makes new ones."""
        self._web.close()

    def _path(self, name: str) -> str:
        check_name(name)
        return f"{self._folder}/{name}"

    @contextmanager
    def _explaining(self, doing: str, missing: str | None = "") -> Iterator[None]:
        """Give an outcome its place, meaning and remedy. What is not there is record `missing`;
        None: nothing to be said."""
        try:
            yield
        except (Refusal, Unavailable, Unanswered) as outcome:
            gone = isinstance(outcome, Refusal) and outcome.kind == _MISSING
            if gone and missing is None:
                return
            if gone and missing:
                raise RecordNotFound(name=missing, where=self.describe()) from None
            raise explained(outcome, self.describe(), doing) from None

    def _show(self, temporary: str, name: str, path: str) -> bool:
        """Rename the temporary file to the record. False if it is gone though nothing was in doubt:
        somebody took it away. RecordExists."""
        began, doubt = time.time(), False
        for _ in self._web.attempts():
            try:
                self._web.move(temporary, path)
                return True
            except Unanswered as failure:
                # Look first: asking again blindly could only tell that it is gone.
                doubt, last = True, failure
                if self._web.status(temporary) is None:
                    return self._surely(name, began)
                if self._web.status(path) is None:
                    continue
                refused: KitError | Refusal = RecordExists(name=name, where=self.describe())
            except Refusal as refusal:
                if refusal.kind == _MISSING:
                    return self._surely(name, began) if doubt else False
                refused = self._taken(refusal, name)
            if self._withdrawn(temporary, doubt):
                raise refused
            return self._surely(name, began)
        raise last

    def _withdrawn(self, temporary: str, doubt: bool) -> bool:
        """Remove the temporary file of a creation that was refused. False if a rename whose answer
        was lost has moved it: only an answer to this very removal can tell."""
        try:
            found = self._web.ask("DELETE", temporary, repeat=False, recursive="false")
        except (Refusal, Unavailable, Unanswered):
            if doubt:
                raise
            return True
        return not doubt or bool(found["boolean"])

    def _surely(self, name: str, began: float) -> bool:
        """True: a temporary file that is gone was renamed, by us. Unless so much time has passed
        that another process may have swept it."""
        if abs(time.time() - began) > STALE_S / 2:
            remedy = "The next run looks for it."
            reason = f"creating {name} failed ({_UNSURE})"
            raise StorageFailed(where=self.describe(), reason=reason, remedy=remedy)
        return True

    def _taken(self, refusal: Refusal, name: str) -> KitError | Refusal:
        if refusal.kind == TAKEN:
            return RecordExists(name=name, where=self.describe())
        return refusal

    def _file_id(self, path: str) -> Any:
        """The number that a file keeps under every name; None if there is no file."""
        status = self._web.status(path)
        return status["fileId"] if status is not None and status["type"] == "FILE" else None

    def _entries(self) -> tuple[dict[str, Any], ...]:
        try:
            found = self._web.ask("LISTSTATUS", self._folder or "/")
        except Refusal as refusal:
            if refusal.kind == _MISSING:
                return ()
            raise
        statuses = found["FileStatuses"]["FileStatus"]
        entries = tuple(each for each in statuses if each["type"] == "FILE")
        if any(not entry["pathSuffix"] for entry in entries):
            raise Refusal("ParentNotDirectoryException", "it is not a directory, but a file")
        return entries

    def _sweep(self) -> None:
        """Remove what killed processes left long ago."""
        leftovers, self._leftovers = self._leftovers, ()
        # Debris harms nobody, so a failure here is no reason to fail a creation.
        with suppress(Refusal, Unavailable, Unanswered):
            for name in leftovers:
                self._web.ask("DELETE", f"{self._folder}/{name}", recursive="false")
