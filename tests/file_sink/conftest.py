"""A quick folder without fsync, for tests that play thousands of crashes of their own; a proxy
before HDFS."""

import pytest

from file_sink import sweeping
from tests.file_sink.hdfs_world import Place
from tests.windowlog.storage.conftest import no_fsync, proxy, quick_folder
from tests.windowlog.storage.lossy_proxy import LossyProxy

__all__ = ["no_fsync", "proxy", "quick_folder"]


@pytest.fixture(autouse=True)
def no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody lists the folder while it is exchanged: a roll-up need not wait for the next one."""
    monkeypatch.setattr(sweeping, "LISTING_S", 0.0)


@pytest.fixture
def place(on_hdfs: str, proxy: LossyProxy) -> Place:
    """An empty folder."""
    return Place(on_hdfs, proxy)
