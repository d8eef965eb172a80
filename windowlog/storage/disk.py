"""Disk: what is known to be durable in one tree of folders, and the failure that ended it.

What this takes from the world: fsync of a file and of a folder survives a power cut (on macOS it
does not empty the drive's own cache).
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress

_FILE = os.O_RDONLY | os.O_CLOEXEC
_FOLDER = _FILE | os.O_DIRECTORY


class Disk:
    """The folders of one storage. Raises OSError; after a failed fsync `failure` says so (I7)."""

    def __init__(self) -> None:
        self.failure: str | None = None
        self._settled: set[str] = set()

    def forget(self) -> None:
        """Know nothing: as in a new process."""
        self.failure = None
        self._settled.clear()

    def write(self, descriptor: int, data: bytes) -> None:
        """Write all of `data`, make it durable, and close the descriptor whatever happens."""
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            self._fsync(descriptor)
        finally:
            os.close(descriptor)

    def sync_file(self, path: str) -> None:
        """Make a file's bytes durable. FileNotFoundError if there is none."""
        self._sync(path, _FILE)

    def sync_folder(self, path: str) -> None:
        """Make durable which names the folder has. FileNotFoundError if there is no folder."""
        self._sync(path, _FOLDER)

    def settle(self, folder: str) -> None:
        """Make durable that `folder` exists: its entry, and those of the folders above it.

        Where they were there before, too: the process that made them may have been killed before it
        synced them, and a folder that vanishes takes its records along. Once for each folder.
        """
        if folder not in self._settled:
            # Where the folder itself cannot be synced, better to know before a record shows in it.
            self.sync_folder(folder)
            self._settle_real(os.path.realpath(folder))
            self._settled.add(folder)

    def make_folders(self, folder: str) -> list[str]:
        """Make `folder` and what is missing above it; those that were made, outer ones first."""
        # One that was known has been removed by somebody: what is known no longer holds.
        self._settled.clear()
        made: list[str] = []
        _make_folders(folder, made)
        return made

    def _settle_real(self, folder: str) -> None:
        above = os.path.dirname(folder)
        if folder in self._settled or above == folder:
            return
        # Above a mount point lies another disk, which knows nothing of what is created here.
        if os.stat(above).st_dev == os.stat(folder).st_dev:
            try:
                self.sync_folder(above)
            except PermissionError:
                # Where this user may not write, no process of ours made a folder to be lost.
                if os.access(above, os.W_OK):
                    raise
            self._settle_real(above)
        self._settled.add(folder)

    def _sync(self, path: str, flags: int) -> None:
        descriptor = os.open(path, flags)
        try:
            self._fsync(descriptor, folder=flags == _FOLDER)
        finally:
            os.close(descriptor)

    def _fsync(self, descriptor: int, *, folder: bool = False) -> None:
        try:
            os.fsync(descriptor)
        except OSError as error:
            # Some network and FUSE mounts know no fsync of a *folder* and answer EINVAL: there the
            # server decides when an entry is durable. EIO is a lost write, and is never let pass;
            # nor is fsync asked again, for it would say yes over what was lost.
            if folder and error.errno == errno.EINVAL:
                return
            self.failure = f"an fsync failed: {error.strerror or error}"
            raise


def remove(path: str) -> None:
    """Remove a temporary file if that can be. What stays is debris that no listing shows."""
    with suppress(OSError):
        os.unlink(path)


def remove_folders(made: list[str]) -> None:
    """Remove folders just made, if that can be. One that another process uses by now stays."""
    with suppress(OSError):
        for folder in reversed(made):
            os.rmdir(folder)


def _make_folders(folder: str, made: list[str]) -> None:
    # It exists where another process was faster, before or after we made what is above it; or it is
    # a file, and then creating a record in it says so.
    with suppress(FileExistsError):
        try:
            os.mkdir(folder)
        except FileNotFoundError:
            _make_folders(os.path.dirname(folder), made)
            os.mkdir(folder)
        made.append(folder)
