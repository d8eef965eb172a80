"""Every storage passes the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from windowed.testing.faulty import Fault, FaultyStorage
from windowed.testing.forgetful import ForgetfulStorage
from windowed.testing.storage_contract import StorageContract
from windowlog.contracts import Storage
from windowlog.storage import LocalStorage, MemoryStorage


class TestLocalStorage(StorageContract):
    """Files on a disk."""

    @pytest.fixture
    def storage(self, tmp_path: Path) -> Storage:
        """A folder that does not exist yet."""
        return LocalStorage(tmp_path / "state" / "log")

    def another(self, storage: Storage) -> Storage:
        """The same folder, opened anew."""
        return LocalStorage(storage.describe())


class TestMemoryStorage(StorageContract):
    """The model."""

    @pytest.fixture
    def storage(self) -> Storage:
        """Nothing yet."""
        return MemoryStorage()

    def another(self, storage: Storage) -> Storage:
        """Memory has no second door."""
        return storage


class TestForgetfulStorage(StorageContract):
    """As long as the power is on."""

    @pytest.fixture
    def storage(self) -> Storage:
        """Nothing yet."""
        return ForgetfulStorage()

    def another(self, storage: Storage) -> Storage:
        """Memory has no second door."""
        return storage


class TestFaultyStorageWithoutFault(StorageContract):
    """A fault that is never reached changes nothing."""

    @pytest.fixture
    def storage(self) -> Storage:
        """Its fault is far away."""
        return FaultyStorage(MemoryStorage(), Fault(1_000_000))

    def another(self, storage: Storage) -> Storage:
        """Memory has no second door."""
        return storage
