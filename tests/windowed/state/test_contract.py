"""StorageState keeps the contract of a state's store: in memory, over files, and over a disk that
forgets what is not durable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from windowed.testing import ForgetfulStorage, StateContract, StorageState
from windowed.testing.state_story import SCHEMA
from windowlog.contracts import Storage
from windowlog.state_store import StateStore
from windowlog.storage.local import LocalStorage
from windowlog.storage.memory import MemoryStorage


class TestFiles(StateContract):
    """A folder."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """One that is not there yet."""
        return tmp_path / "place"

    def store(self, place: Any, schema: str = SCHEMA) -> StateStore:
        """A storage of its own, as another process has."""
        return StorageState(schema, key=["word"], storage=LocalStorage(place))

    def listing(self, place: Any) -> Sequence[str]:
        """All files."""
        return [str(p.relative_to(place)) for p in place.rglob("*") if p.is_file()]

    def damage(self, place: Any, name: str) -> None:
        """Flip a bit of a byte in the middle."""
        data = bytearray((place / name).read_bytes())
        data[len(data) // 2] ^= 1
        (place / name).write_bytes(bytes(data))

    def lose(self, place: Any, name: str) -> None:
        """Remove the file."""
        (place / name).unlink()


class TestMemory(StateContract):
    """Records in memory."""

    @pytest.fixture
    def place(self) -> Storage:
        """An empty storage: it lasts as long as the test."""
        return MemoryStorage()

    def store(self, place: Any, schema: str = SCHEMA) -> StateStore:
        """Over that storage."""
        return StorageState(schema, key=["word"], storage=place)

    def listing(self, place: Any) -> Sequence[str]:
        """All records."""
        return list(records(place))

    def damage(self, place: Any, name: str) -> None:
        """Flip a bit of a byte in the middle."""
        inner, at = records(place)[name]
        data = bytearray(inner.read(at))
        data[len(data) // 2] ^= 1
        inner.delete(at)
        inner.create(at, bytes(data))

    def lose(self, place: Any, name: str) -> None:
        """Delete the record."""
        inner, at = records(place)[name]
        inner.delete(at)


class TestForgetful(TestMemory):
    """Records that a power cut may take: cut after each test, and nothing that was saved is
    lost."""

    @pytest.fixture
    def place(self) -> Iterator[Storage]:
        """An empty disk."""
        place = ForgetfulStorage()
        yield place
        before = {name: inner.read(at) for name, (inner, at) in records(place).items()}
        place.power_loss()
        after = {name: inner.read(at) for name, (inner, at) in records(place).items()}
        assert before.items() <= after.items()


def records(place: Any) -> dict[str, tuple[Any, str]]:
    """All records of a storage in memory, in all folders: path -> storage and name."""
    inside = [folder.partition("/")[2] for folder in place._tree]
    found: dict[str, tuple[Any, str]] = {}
    for path in inside:
        inner = place
        for folder in path.split("/") if path else ():
            inner = inner.within(folder)
        found |= {f"{path}/{name}": (inner, name) for name in inner.list()}
    return found
