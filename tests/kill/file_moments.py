"""Named moments at which a driver dies that writes files. Wrapped from outside, as the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from file_sink import FileSink
from file_sink.local_tree import LocalTree
from file_sink.staging import Staging
from tests.kill.moments import OF_ALL, Trap, after, in_staging
from windowlog.storage.local import LocalStorage

OF_THE_SINK = (
    "staged",
    "a file synced",
    "files synced",
    "manifest written",
    "told",
    "published mark written",
    "manifest purged",
)
OF_A_FOLDER = ("moved",)
OF_SEVERAL_FILES = ("first of several renames", "a rename among others", "last rename")
OF_A_ROLL_UP = ("a file joined", "twin taken", "rolled up")
OF_PARTITIONS = ("partition folder made",)
FILE_MOMENTS = (*OF_ALL, *OF_THE_SINK[1:])
"""Of each sink of files, whatever its layout."""


def install(trap: Trap) -> None:
    """Wrap sink, staging and file system of this process, which is about to die."""
    renames = Renames(trap, _has_files)

    def created(storage: LocalStorage, *_: Any) -> None:
        names = {"manifests": "manifest written", "marks": "published mark written"}
        if in_staging(storage):
            trap.passed(names[Path(storage.describe()).name])

    def deleted(storage: LocalStorage, *_: Any) -> None:
        if in_staging(storage) and Path(storage.describe()).name == "manifests":
            trap.passed("manifest purged")

    def synced(_: LocalTree, path: str) -> None:
        if attempt_of(path) and Path(path).is_file():
            trap.passed("a file synced")

    def made(_: LocalTree, path: str) -> None:
        if "=" in Path(path).name and ".staging/" not in path:
            trap.passed("partition folder made")

    after(LocalStorage, "create", created)
    after(LocalStorage, "delete", deleted)
    after(LocalTree, "sync", synced)
    after(LocalTree, "make", made)
    after(LocalTree, "rename", renames.renamed)
    after(Staging, "settle", lambda *_: trap.passed("files synced"))
    after(FileSink, "stage", lambda *_: trap.passed("staged"))
    after(FileSink, "committed", lambda *_: trap.passed("told"))
    _install_roll_up(trap)


def _install_roll_up(trap: Trap) -> None:
    def joined(_: LocalTree, path: str) -> None:
        if "-to-" in Path(path).name:
            trap.passed("a file joined")

    def taken(_: LocalTree, source: str, target: str) -> None:
        if Path(source).name == "twin":
            trap.passed("twin taken")

    def exchanged(_: LocalTree, folder: str, other: str) -> None:
        if ".staging/rolled/" in folder:
            trap.passed("rolled up")

    after(LocalTree, "sync", joined)
    after(LocalTree, "rename", taken)
    after(LocalTree, "exchange", exchanged)


def _has_files(_: Any, folder: str) -> bool:
    return any(path.is_file() for path in Path(folder).rglob("*"))


class Renames:
    """Tells the first rename of a window from its last one, by what is left where it came from:
    `has_files(tree, folder)`."""

    def __init__(self, trap: Trap, has_files: Callable[[Any, str], bool]) -> None:
        self._trap = trap
        self._has_files = has_files
        self._attempt: str | None = None

    def renamed(self, tree: Any, source: str, target: str) -> None:
        """A folder or a file is where readers look."""
        attempt = attempt_of(source)
        if attempt is None or ".staging/" in target:
            return
        if attempt == source:
            self._trap.passed("moved")
        elif not self._has_files(tree, attempt):
            self._trap.passed("last rename")
        elif attempt == self._attempt:
            self._trap.passed("a rename among others")
        else:
            self._trap.passed("first of several renames")
        self._attempt = attempt


def attempt_of(path: str) -> str | None:
    """The folder of one attempt that a path is of; None for others."""
    before, staged, below = path.partition(".staging/staged/")
    return f"{before}{staged}{below.split('/')[0]}" if below else None
