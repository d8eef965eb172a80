"""Tree: folders and files, as a driver makes, renames and syncs them. One class for each file
system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Literal, Protocol, TypeAlias, runtime_checkable

from windowlog.contracts import Storage

Kind: TypeAlias = Literal["file", "folder"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What a folder has under one name; `bytes` is 0 for a folder."""

    name: str
    kind: Kind
    bytes: int


@runtime_checkable
class Tree(Protocol):
    """A file system whose rename is one step. Paths are absolute, with slashes, none at the end.

    Errors: RecordNotFound where a path is missing, RecordExists where one is taken; errors of the
    outside are KitErrors too, and never mean "not there". A verb that raises may have taken effect
    or not. After a failed sync an object refuses work until `close` (I7).
    """

    def place(self, path: str) -> str:
        """The absolute path of what a user wrote. Looks at links, and touches nothing."""

    def spark_path(self, path: str) -> str:
        """How Spark is told of this path, whatever its own default file system is."""

    def kind(self, path: str) -> Kind | None:
        """What stands there; None if nothing does."""

    def list(self, folder: str) -> list[Entry]:
        """What is in a folder, by name; empty if the folder is not there."""

    def make(self, folder: str, *, durable: bool = True) -> None:
        """Make a folder, and those above it. Nothing happens if it is there. RecordExists if a file
        is. Not durable: until the folders above it are synced."""

    def create(self, path: str) -> BinaryIO:
        """A new file to write to, in a folder that is there. RecordExists if the name is taken.
        Durable once it is closed and synced."""

    def open(self, path: str) -> BinaryIO:
        """A file to read from, at any place in it."""

    def rename(self, source: str, target: str) -> None:
        """Move a file or folder in one step, inside one file system. Never overwrites. Durable once
        both folders are synced."""

    def sync(self, path: str) -> None:
        """Make durable: a file's bytes, or which names a folder has."""

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all that is in it; nothing happens if it is not there.
        It may come back after a power cut."""

    def fingerprint(self, path: str) -> str:
        """What tells this file's bytes from any others."""

    def one_system(self, path: str, other: str) -> bool:
        """Are both, which are there, on one file system, so that a rename between them is one
        step?"""

    def records(self, folder: str) -> Storage:
        """Durable records in a folder of this tree."""

    def close(self) -> None:
        """Release connections. What is called next is a new start."""


@runtime_checkable
class ExchangingTree(Tree, Protocol):
    """A tree that can exchange two folders in one step, and give a file a second name."""

    def apart(self) -> ExchangingTree:
        """Another object on the same file system, for another thread: what fails there, a sync even
        (I7), ends no work here."""

    def cannot_exchange(self, folder: str, scratch: str) -> str | None:
        """Why `folder` cannot be exchanged with one in `scratch`, an empty folder of its file
        system, in which this is tried; None if it can. StorageFailed where that cannot be told
        now."""

    def exchange(self, folder: str, other: str) -> None:
        """Let two folders take each other's place, in one step. Durable once the folders that both
        are in are synced."""

    def age_s(self, folder: str) -> float | None:
        """How long ago something last came into a folder or left it, in seconds, by the clocks of
        this machine and of the file system; None if it is not there."""

    def link(self, source: str, target: str) -> None:
        """Give a file a second name. RecordExists if it is taken. Durable once its folder is
        synced."""

    def like(self, source: str, target: str) -> None:
        """Let the same users read and write `target` as `source`."""


def walk(tree: Tree, folder: str, below: str = "") -> list[tuple[str, int]]:
    """(relative path, bytes) of all files in a folder and its sub-folders, in order of their
    paths."""
    found: list[tuple[str, int]] = []
    for entry in tree.list(f"{folder}/{below}" if below else folder):
        path = f"{below}/{entry.name}" if below else entry.name
        if entry.kind == "folder":
            found += walk(tree, folder, path)
        else:
            found.append((path, entry.bytes))
    return found
