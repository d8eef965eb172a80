"""WatchedOs with what a tree of files needs beyond records: renames across folders, files written
through streams, folders removed.

A rename is one step in a power cut too: it has happened or not, until one of its folders is synced.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from file_sink import local_tree
from file_sink.renaming import exchange, rename_exclusively
from tests.windowlog.storage.watched_os import Choose, WatchedOs
from windowlog.storage import disk, local


class PoweredOs(WatchedOs):
    """Real calls under `base`, and what a power cut would leave."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        # The folders of both names, and the states of each with the place of the one that the move
        # brought: a folder may be gone later, and a name may change again.
        self._moves: list[tuple[tuple[str, str], list[tuple[list[Any], int]]]] = []

    def fdopen(self, descriptor: int, mode: str) -> Any:
        """As os.fdopen: what is written shows in the file, and is read from there at a sync."""
        self._open.pop(descriptor, None)
        return os.fdopen(descriptor, mode)

    def fsync(self, descriptor: int) -> None:
        """Bytes come from the file itself; a move is durable with either of its folders."""
        path, node = self._open[descriptor]
        if hasattr(node, "live"):
            node.live = Path(path).read_bytes()  # type: ignore[union-attr]
        super().fsync(descriptor)
        for move in [*self._moves]:
            folders, both = move
            if path in folders:
                for states, _ in both:
                    del states[:-1]
                self._moves.remove(move)

    def _moved(self, source: str, target: str) -> None:
        folders = os.path.dirname(source), os.path.dirname(target)
        both = [(states, len(states) - 1) for states in map(self._states, (source, target))]
        self._moves.append((folders, both))

    def rename(self, source: str, target: str) -> None:
        """Both names change in one step."""
        self._tell("rename", source)
        rename_exclusively(source, target)
        self._enter(target, self._node(source))
        self._enter(source, None)
        self._moved(source, target)

    def exchange(self, folder: str, other: str) -> None:
        """Both folders change places in one step."""
        self._tell("exchange", folder)
        exchange(folder, other)
        one, two = self._node(folder), self._node(other)
        self._enter(folder, two)
        self._enter(other, one)
        self._moved(folder, other)

    def rmtree(self, path: str, ignore_errors: bool = False) -> None:
        """Gone, and perhaps back after a power cut: the folder, or what was in it."""
        self._tell("rmtree", path)
        node = self._node(path)
        shutil.rmtree(path, ignore_errors=ignore_errors)
        _empty(node)
        self._enter(path, None)

    def survivors(self, target: Path, choose: Choose) -> None:
        """A move has happened or not; then as before."""
        for _, both in reversed(self._moves):
            has_happened = choose([False, True])
            for states, at in both:
                states[:] = states[at:] if has_happened else [states[at - 1]]
        super().survivors(target, choose)

    def _states(self, path: str) -> list[Any]:
        folder: Any = self._node(os.path.dirname(path))
        states: list[Any] = folder.entries[os.path.basename(path)]
        return states


def _empty(node: Any) -> None:
    for states in getattr(node, "entries", {}).values():
        _empty(states[-1])
        states.append(None)


@contextmanager
def powered(base: Path) -> Iterator[PoweredOs]:
    """Storage and tree over a disk that is watched; `base` is new."""
    base.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        fake = PoweredOs(base)
        for module in (local, disk, local_tree):
            patch.setattr(module, "os", fake)
        patch.setattr(local_tree, "rename_exclusively", fake.rename)
        patch.setattr(local_tree, "exchange", fake.exchange)
        patch.setattr(local_tree, "shutil", SimpleNamespace(rmtree=fake.rmtree))
        yield fake
