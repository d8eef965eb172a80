"""A quick folder, for tests that make thousands of files and cut a power of their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.windowlog.storage.lossy_proxy import LossyProxy

_IN_MEMORY = Path("/dev/shm")


@pytest.fixture
def quick_folder() -> Iterator[Path]:
    """An empty folder, in memory where the system has such a place; removed after the test."""
    parent = _IN_MEMORY if _IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        yield Path(folder)


@pytest.fixture
def no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """The power that is cut here is not the machine's; fsync would cost most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def proxy(on_hdfs: str) -> Iterator[LossyProxy]:
    """Between the test and HDFS."""
    with LossyProxy(on_hdfs) as proxy:
        yield proxy


@pytest.fixture
def folder(on_hdfs: str) -> str:
    """The path of the folder on HDFS that is not there yet."""
    return f"/{on_hdfs.rpartition('/')[2]}"
