"""The search's sink of files keeps the contract."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.windowed.search.manifest_sink import ManifestSink
from windowed.testing import SinkContract
from windowlog.contracts import Sink, Storage
from windowlog.storage.memory import MemoryStorage


class TestManifestSink(SinkContract):
    """Over a storage in memory."""

    @pytest.fixture
    def place(self) -> Storage:
        """What lasts."""
        return MemoryStorage()

    def sink(self, place: Any) -> Sink:
        """Over the storage."""
        return ManifestSink(place)

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """The published files."""
        files = place.within("files")
        published = [name for name in files.list() if name.isdigit()]
        return [tuple(row) for name in published for row in json.loads(files.read(name))]
