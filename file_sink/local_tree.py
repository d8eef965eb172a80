"""LocalTree: folders of this machine, or of a file system that driver and executors have mounted.

A rename is one system call that refuses a name that is taken (renaming.py). What it takes from the
world is what the log's storage takes: fsync of files and folders survives a power cut.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from file_sink.renaming import exchange, rename_exclusively
from file_sink.rights import copy_rights
from file_sink.tree import Entry, Kind
from windowlog.errors import (
    KitError,
    PreviousFailure,
    RecordExists,
    RecordNotFound,
    StorageFailed,
    StorageUnsuitable,
)
from windowlog.storage.disk import Disk
from windowlog.storage.explain import explained
from windowlog.storage.local import LocalStorage

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
# What says nothing of what a file system can: there is no room now, or the disk is unwell.
_PASSING = {
    errno.EDQUOT,
    errno.EIO,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ENOSPC,
    errno.ESTALE,
}
# Read at once for a fingerprint: as fast as larger pieces, and little memory.
_PIECE_BYTES = 2**20


class LocalTree:
    """Obeys `ExchangingTree`. Use from one thread; `fingerprint` from several."""

    def __init__(self) -> None:
        self._disk = Disk()
        # A transform, or the user's own loop, may change it.
        self._working_folder = ""
        with suppress(OSError):  # it is gone: only absolute paths can be meant
            self._working_folder = os.getcwd()

    def apart(self) -> LocalTree:
        """Knows nothing yet."""
        return LocalTree()

    def place(self, path: str) -> str:
        """Absolute, from the working folder of when this object was made; `~` expanded, links
        followed: what is renamed must be on the links' side."""
        return os.path.realpath(os.path.join(self._working_folder, os.path.expanduser(path)))

    def spark_path(self, path: str) -> str:
        """With its scheme."""
        return f"file:{path}"

    def kind(self, path: str) -> Kind | None:
        """By stat, links followed."""
        with self._explaining(path, "looking at it"):
            try:
                mode_is_folder = os.path.isdir(path)
                if not mode_is_folder:
                    os.stat(path)
            except (FileNotFoundError, NotADirectoryError):
                return None
        return "folder" if mode_is_folder else "file"

    def list(self, folder: str) -> list[Entry]:
        """By scandir; a link is a file, wherever it leads."""
        with self._explaining(folder, "listing it"):
            try:
                with os.scandir(folder) as entries:
                    found = [entry for each in entries if (entry := _entry(each)) is not None]
            except FileNotFoundError:
                return []
        return sorted(found, key=lambda entry: entry.name)

    def make(self, folder: str, *, durable: bool = True) -> None:
        """By mkdir, and fsync of the folders above."""
        with self._explaining(folder, "making it"):
            try:
                os.mkdir(folder)
            except FileNotFoundError:
                self._disk.make_folders(folder)
            except FileExistsError:
                if not os.path.isdir(folder):
                    raise RecordExists(
                        name=os.path.basename(folder), where=_above(folder)
                    ) from None
            if durable:
                # Also where it was there: who made it may have died before it was durable.
                self._disk.sync_folder(_above(folder))
                self._disk.settle(_above(folder))

    def create(self, path: str) -> BinaryIO:
        """With O_EXCL."""
        with self._explaining(path, "creating it"):
            try:
                return os.fdopen(os.open(path, _NEW_FILE, 0o666), "wb")
            except FileExistsError:
                raise RecordExists(name=os.path.basename(path), where=_above(path)) from None
            except FileNotFoundError:
                raise self._missing(_above(path)) from None

    def open(self, path: str) -> BinaryIO:
        """For reading."""
        with self._explaining(path, "reading it"):
            try:
                return open(path, "rb")
            except FileNotFoundError:
                raise self._missing(path) from None

    def rename(self, source: str, target: str) -> None:
        """One step, and never over anything."""
        with self._explaining(source, f"renaming it to {target}"):
            try:
                rename_exclusively(source, target)
            except FileExistsError:
                raise RecordExists(name=os.path.basename(target), where=_above(target)) from None
            except FileNotFoundError:
                missing = source if os.path.isdir(_above(target)) else _above(target)
                raise self._missing(missing) from None

    def sync(self, path: str) -> None:
        """By fsync."""
        with self._explaining(path, "syncing it"):
            try:
                if os.path.isdir(path):
                    self._disk.sync_folder(path)
                else:
                    self._disk.sync_file(path)
            except FileNotFoundError:
                raise self._missing(path) from None

    def remove(self, path: str) -> None:
        """All of it that can be removed: an executor that outlives its driver may write into a
        folder just now, and what stays is swept later."""
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                os.unlink(path)

    def fingerprint(self, path: str) -> str:
        """SHA-256 of all bytes."""
        digest = hashlib.sha256()
        with self._explaining(path, "reading it"):
            try:
                with open(path, "rb", buffering=0) as stream:
                    while piece := stream.read(_PIECE_BYTES):
                        digest.update(piece)
            except FileNotFoundError:
                raise self._missing(path) from None
        return digest.hexdigest()

    def cannot_exchange(self, folder: str, scratch: str) -> str | None:
        """Tried with two folders and a file."""
        above, (one, other) = _above(folder), (f"{scratch}/one", f"{scratch}/other")
        if not os.access(above, os.R_OK | os.W_OK | os.X_OK):
            return f"this user may not write in {above}"
        try:
            for path in (one, other):
                self.make(path, durable=False)
            self.create(f"{one}/file").close()
            self.link(f"{one}/file", f"{other}/file")
            self.exchange(one, other)
        except (StorageUnsuitable, StorageFailed) as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno in _PASSING:
                raise
            return str(error.values["reason"])
        finally:
            for path in (one, other):
                self.remove(path)
        return None

    def exchange(self, folder: str, other: str) -> None:
        """By renameat2, of Linux."""
        with self._explaining(folder, f"exchanging it with {other}"):
            try:
                exchange(folder, other)
            except FileNotFoundError:
                raise self._missing(other if os.path.isdir(folder) else folder) from None

    def age_s(self, folder: str) -> float | None:
        """By stat."""
        with self._explaining(folder, "looking at it"):
            try:
                return time.time() - os.stat(folder).st_mtime
            except FileNotFoundError:
                return None

    def link(self, source: str, target: str) -> None:
        """A hard link."""
        with self._explaining(source, f"linking it to {target}"):
            try:
                os.link(source, target)
            except FileExistsError:
                raise RecordExists(name=os.path.basename(target), where=_above(target)) from None
            except FileNotFoundError:
                missing = source if os.path.isdir(_above(target)) else _above(target)
                raise self._missing(missing) from None

    def like(self, source: str, target: str) -> None:
        """Owner, mode and access lists."""
        with self._explaining(target, f"giving it the rights of {source}"):
            try:
                copy_rights(source, target)
            except FileNotFoundError:
                raise self._missing(source) from None

    def one_system(self, path: str, other: str) -> bool:
        """By device number."""
        with self._explaining(path, "looking at it"):
            return os.stat(path).st_dev == os.stat(other).st_dev

    def records(self, folder: str) -> LocalStorage:
        """As the log's."""
        return LocalStorage(folder)

    def close(self) -> None:
        """Know nothing: as in a new process."""
        self._disk.forget()

    def _missing(self, path: str) -> RecordNotFound:
        return RecordNotFound(name=os.path.basename(path), where=_above(path))

    @contextmanager
    def _explaining(self, path: str, doing: str) -> Iterator[None]:
        """Refuse work after a failed fsync (I7); give an OSError its path, meaning and remedy."""
        if self._disk.failure is not None:
            raise PreviousFailure(what=f"The folder {path}", reason=self._disk.failure)
        try:
            yield
        except KitError:
            raise
        except OSError as error:
            raise explained(error, path, doing) from error


def _entry(found: os.DirEntry[str]) -> Entry | None:
    """None for a file that went while its folder was listed: the others are there all the same."""
    if found.is_dir(follow_symlinks=False):
        return Entry(found.name, "folder", 0)
    with suppress(FileNotFoundError):
        return Entry(found.name, "file", found.stat(follow_symlinks=False).st_size)
    return None


def _above(path: str) -> str:
    return os.path.dirname(path)
