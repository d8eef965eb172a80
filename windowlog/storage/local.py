"""LocalStorage: durable records as files in a folder of this machine.

How a record comes into being, so that a cut at any point leaves nothing half:

    1. a temporary file beside it is written and fsynced; its name begins with a dot, unlisted
    2. the folder's own entry, and those of the folders above, are made durable (once)
    3. link(temporary, record) shows the whole record at once, and fails if the name is taken
    4. the temporary name is removed; a leftover is debris
    5. the folder is fsynced, so that the record's name survives a power cut

A record that can be seen has durable bytes in a durable folder, therefore; only its name may still
be lost, and `sync` makes sure of that before a listing is believed (I1). From the file system this
takes that link is atomic and refuses a name that is taken.
"""

from __future__ import annotations

import copy
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from windowlog.errors import BadArgument, KitError, PreviousFailure, RecordExists, RecordNotFound
from windowlog.storage.disk import Disk, remove, remove_folders
from windowlog.storage.explain import explained, lacks_links
from windowlog.storage.names import check_name

# A creation takes milliseconds: what is an hour old belongs to a process that died. One that was
# only paused finds its temporary file gone and begins again: sweeping too early is safe as well.
STALE_S = 3600.0

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp")


class LocalStorage:
    """Records in the folder `path` (`~` is expanded; kept as an absolute path). Obeys `Storage`.

    Creating the object touches nothing; the folder comes into being with its first record. Use from
    one thread. Raises BadArgument for a path that cannot be; StorageUnsuitable for a place that
    cannot keep records (not a folder, not writable, no hard links); StorageFailed, an OSError, for
    a disk that is full or fails. After a failed fsync every later call is refused with
    PreviousFailure (I7) until `close`: what the disk has kept, only a new start can find out.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._folder = _absolute(path)
        self._disk = Disk()
        self._leftovers: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Its absolute path."""
        return self._folder

    def read(self, name: str) -> bytes:
        """All bytes of a record. RecordNotFound if there is none."""
        path = self._path(name)
        with self._explaining(f"reading {name}"):
            try:
                with open(path, "rb", buffering=0) as stream:
                    return stream.readall()
            except FileNotFoundError:
                raise RecordNotFound(name=name, where=self._folder) from None

    def create(self, name: str, data: bytes) -> None:
        """Create a record, whole or not at all; durable. RecordExists if the name is taken."""
        path = self._path(name)
        temporary = f"{self._folder}/.{name}.{secrets.token_hex(8)}.tmp"
        with self._explaining(f"creating {name}"):
            try:
                self._create(temporary, path, data)
            except FileNotFoundError:
                made = self._disk.make_folders(self._folder)
                try:
                    self._create(temporary, path, data)
                except BaseException:
                    remove_folders(made)
                    raise

    def list(self) -> list[str]:
        """Names of the records, sorted; without sub-folders and unfinished creations."""
        with self._explaining("listing it"):
            try:
                with os.scandir(self._folder) as entries:
                    names = [entry.name for entry in entries if not entry.is_dir()]
            except FileNotFoundError:
                return []
        # A listing changes nothing. What it saw, the next creation sweeps, without one of its own.
        self._leftovers = tuple(name for name in names if _TEMPORARY.fullmatch(name))
        return sorted(name for name in names if name[0] != ".")

    def rename(self, source: str, target: str) -> None:
        """Move a record to a free name; durable. RecordExists if taken, RecordNotFound if missing.

        Link and unlink: a kill between them leaves both names, and repeating the call finishes the
        move. So it is no arbiter: of two processes that move one record, both may succeed.
        """
        path, new_path = self._path(source), self._path(target)
        with self._explaining(f"renaming {source}"):
            try:
                self._link(path, new_path)
            except FileNotFoundError:
                raise RecordNotFound(name=source, where=self._folder) from None
            except RecordExists:
                if not _same_file(path, new_path):
                    raise
            # The new name first: in a power cut no order is sure, and both names could be lost.
            self._disk.sync_folder(self._folder)
            with suppress(FileNotFoundError):
                os.unlink(path)
            self._disk.sync_folder(self._folder)

    def delete(self, name: str, *, durable: bool = True) -> None:
        """Remove a record; nothing happens if it is not there.

        Not durable: it may come back after a power cut, until the folder is synced.
        """
        path = self._path(name)
        with self._explaining(f"deleting {name}"):
            with suppress(FileNotFoundError):
                os.unlink(path)
            if durable:
                # Even if it was gone: another's removal need not be durable yet, and ours must be.
                with suppress(FileNotFoundError):
                    self._disk.sync_folder(self._folder)

    def sync(self, name: str | None = None) -> None:
        """Make durable what another process may have left half way: a record, or the listing.

        RecordNotFound if there is no such record; a folder that is not there has nothing to sync.
        """
        path = self._folder if name is None else self._path(name)
        with self._explaining(f"syncing {name or 'it'}"):
            try:
                if name is not None:
                    self._disk.sync_file(path)
                self._disk.sync_folder(self._folder)
            except FileNotFoundError:
                if name is not None:
                    raise RecordNotFound(name=name, where=self._folder) from None

    def within(self, folder: str) -> LocalStorage:
        """The storage of a sub-folder. Creates nothing: it comes into being with a record."""
        check_name(folder, "folder")
        inner = copy.copy(self)
        inner._folder = f"{self._folder}/{folder}"
        inner._leftovers = ()
        return inner

    def describe(self) -> str:
        """The folder's absolute path."""
        return self._folder

    def close(self) -> None:
        """Nothing stays open between calls. What is called next is a new start, also after I7."""
        self._disk.forget()

    def _path(self, name: str) -> str:
        check_name(name)
        return f"{self._folder}/{name}"

    @contextmanager
    def _explaining(self, doing: str) -> Iterator[None]:
        """Refuse work after a failed fsync (I7); give an OSError its path, meaning and remedy."""
        if self._disk.failure is not None:
            raise PreviousFailure(what=f"Storage {self._folder}", reason=self._disk.failure)
        try:
            yield
        except KitError:
            raise
        except OSError as error:
            raise explained(error, self._folder, doing) from error

    def _create(self, temporary: str, path: str, data: bytes) -> None:
        """FileNotFoundError if the folder is not there."""
        descriptor = os.open(temporary, _NEW_FILE, 0o666)
        try:
            self._disk.write(descriptor, data)
            self._disk.settle(self._folder)
            self._link(temporary, path)
            self._sweep(temporary)
        finally:
            remove(temporary)
        self._disk.sync_folder(self._folder)

    def _link(self, path: str, new_path: str) -> None:
        try:
            os.link(path, new_path)
        except FileExistsError:
            name = os.path.basename(new_path)
            raise RecordExists(name=name, where=self._folder) from None
        except OSError as error:
            raise lacks_links(error, self._folder) or error from error

    def _sweep(self, temporary: str) -> None:
        """Remove what killed processes left long ago, by the disk's own clock: our file's time."""
        leftovers, self._leftovers = self._leftovers, ()
        # Debris harms nobody, so a failure here is no reason to fail a creation.
        with suppress(OSError):
            for name in leftovers:
                path = f"{self._folder}/{name}"
                if os.stat(path).st_mtime < os.stat(temporary).st_mtime - STALE_S:
                    os.unlink(path)


def _absolute(path: object) -> str:
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise BadArgument(argument="path", value=path, allowed="the path of a folder is wanted")
    expanded = os.path.expanduser(text)
    if expanded[0] == "~":
        allowed = "there is no such user; a folder of this name is written ./~name"
        raise BadArgument(argument="path", value=path, allowed=allowed)
    return os.path.abspath(expanded)


def _same_file(path: str, other: str) -> bool:
    return path != other and os.path.samestat(os.stat(path), os.stat(other))
