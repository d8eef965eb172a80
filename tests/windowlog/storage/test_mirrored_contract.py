"""Two storages as one pass the contract, whichever side decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from windowed.testing.storage_contract import StorageContract
from windowlog.contracts import Storage
from windowlog.storage import LocalStorage, MemoryStorage, MirroredStorage


@pytest.mark.parametrize("required", [True, False], ids=["required", "not required"])
class TestTwoFolders(StorageContract):
    """A folder, and another one as its mirror."""

    @pytest.fixture
    def storage(self, tmp_path: Path, required: bool) -> Storage:
        """Folders that do not exist yet."""
        near, far = LocalStorage(tmp_path / "state" / "log"), LocalStorage(tmp_path / "far")
        return MirroredStorage(near, far, required=required)

    def another(self, storage: Storage) -> Storage:
        """The same folders, opened anew."""
        assert isinstance(storage, MirroredStorage)
        near, far = LocalStorage(storage.local.describe()), LocalStorage(storage.mirror.describe())
        return MirroredStorage(near, far, required=storage.required)


@pytest.mark.parametrize("required", [True, False], ids=["required", "not required"])
class TestTwoMemories(StorageContract):
    """The model, twice."""

    @pytest.fixture
    def storage(self, required: bool) -> Storage:
        """Nothing yet."""
        memory = MemoryStorage()
        near, far = memory.within("near"), memory.within("far")
        return MirroredStorage(near, far, required=required)

    def another(self, storage: Storage) -> Storage:
        """The same memories, opened anew."""
        assert isinstance(storage, MirroredStorage)
        return MirroredStorage(storage.local, storage.mirror, required=storage.required)
