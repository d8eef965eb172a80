"""WatchedOs: the module `os` over a real folder, which knows what a power cut would leave of it.

A file that was not fsynced since it was written may come back empty, half or whole. A folder's
entry may come back in any state it had since the folder was last fsynced, each entry for itself: no
order between them is promised.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from windowlog.storage import LocalStorage, disk, local

# Short writes: a kernel may write less than it was asked to.
WRITE_BYTES_MAX = 7

Hook: TypeAlias = Callable[[int, str, str], None]
Choose: TypeAlias = Callable[[Sequence[Any]], Any]


class PowerCut(BaseException):
    """The machine stops here."""


@dataclass(eq=False)
class _File:
    live: bytes = b""
    synced: bytes = b""


@dataclass(eq=False)
class _Folder:
    entries: dict[str, list[_File | _Folder | None]] = field(default_factory=dict)


class WatchedOs:
    """Real calls under `base`; `before(number, call, path)` is told of each, and may raise.

    `base` itself is durable. Nothing is really fsynced, so that thousands of cuts take seconds.
    """

    def __init__(self, base: Path, before: Hook = lambda number, call, path: None) -> None:
        self.base = base
        self._root = _Folder()
        self._open: dict[int, tuple[str, _File | _Folder | None]] = {}
        self.before = before
        self.count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def open(self, path: str, flags: int, mode: int = 0o777) -> int:
        """os.open; a new file is an entry not yet durable."""
        self._tell("open", path)
        descriptor = os.open(path, flags, mode)
        if flags & os.O_CREAT:
            self._enter(path, _File())
        self._open[descriptor] = path, self._node(path)
        return descriptor

    def write(self, descriptor: int, data: memoryview) -> int:
        """os.write of a few bytes."""
        path, node = self._open[descriptor]
        self._tell("write", path)
        written = os.write(descriptor, data[:WRITE_BYTES_MAX])
        assert isinstance(node, _File)
        node.live += bytes(data[:written])
        return written

    def fsync(self, descriptor: int) -> None:
        """What is open there becomes durable."""
        path, node = self._open[descriptor]
        self._tell("fsync", path)
        if isinstance(node, _File):
            node.synced = node.live
        elif isinstance(node, _Folder):
            for states in node.entries.values():
                del states[:-1]

    def close(self, descriptor: int) -> None:
        """os.close, always: also where an error is told."""
        path, _ = self._open.pop(descriptor)
        os.close(descriptor)
        self._tell("close", path)

    def link(self, path: str, new_path: str) -> None:
        """os.link: a second entry of the same file."""
        self._tell("link", path)
        os.link(path, new_path)
        self._enter(new_path, self._node(path))

    def unlink(self, path: str) -> None:
        """os.unlink."""
        self._tell("unlink", path)
        os.unlink(path)
        self._enter(path, None)

    def mkdir(self, path: str) -> None:
        """os.mkdir."""
        self._tell("mkdir", path)
        os.mkdir(path)
        self._enter(path, _Folder())

    def rmdir(self, path: str) -> None:
        """os.rmdir."""
        self._tell("rmdir", path)
        os.rmdir(path)
        self._enter(path, None)

    def stat(self, path: str) -> os.stat_result:
        """os.stat."""
        self._tell("stat", path)
        return os.stat(path)

    def scandir(self, path: str) -> Any:
        """os.scandir."""
        self._tell("scandir", path)
        return os.scandir(path)

    def survivors(self, target: Path, choose: Choose) -> None:
        """What a power cut leaves, as the folder `target`; `choose` takes one of the states."""
        _write(self._root, target, choose, {})

    def _tell(self, call: str, path: str) -> None:
        self.count += 1
        self.before(self.count, call, path)

    def _node(self, path: str) -> _File | _Folder | None:
        """None outside `base`: there nothing is lost."""
        if not Path(path).is_relative_to(self.base):
            return None
        node: _File | _Folder = self._root
        for part in Path(path).relative_to(self.base).parts:
            assert isinstance(node, _Folder)
            inner = node.entries[part][-1]
            assert inner is not None
            node = inner
        return node

    def _enter(self, path: str, node: _File | _Folder | None) -> None:
        folder = self._node(str(Path(path).parent))
        assert isinstance(folder, _Folder)
        folder.entries.setdefault(Path(path).name, [None]).append(node)


@contextmanager
def watched(base: Path) -> Iterator[WatchedOs]:
    """The storage over a disk that is watched; `base` is new."""
    base.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        fake = WatchedOs(base)
        patch.setattr(local, "os", fake)
        patch.setattr(disk, "os", fake)
        yield fake


def root(base: Path) -> LocalStorage:
    """A storage two folders below what exists."""
    return LocalStorage(base / "state" / "log")


def _write(node: _File | _Folder, path: Path, choose: Choose, written: dict[_File, Path]) -> None:
    if isinstance(node, _Folder):
        path.mkdir()
        for name, states in node.entries.items():
            inner = choose(states)
            if inner is not None:
                _write(inner, path / name, choose, written)
    elif node in written:
        os.link(written[node], path)
    else:
        half = node.live[: len(node.live) // 2]
        path.write_bytes(
            node.live if node.synced == node.live else choose([node.synced, half, node.live])
        )
        written[node] = path
