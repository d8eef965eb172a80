"""MemoryStorage: what the contract leaves open."""

from __future__ import annotations

from windowlog.storage import MemoryStorage


def test_two_storages_of_one_sub_folder_share_its_records() -> None:
    """As two handles on one folder do; another object is another place."""
    storage = MemoryStorage()
    storage.within("windows").create("1", b"data")
    assert storage.within("windows").read("1") == b"data"
    assert MemoryStorage().within("windows").list() == []
