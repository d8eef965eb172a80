"""One secured HDFS for all tests in this folder, each with a folder of its own there."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from tests.machine import need_java
from tests.secured.world import SecuredHdfs, secured_hdfs


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredHdfs]:
    """Kerberos, tokens and https, and nothing else. What tests make there stays for the others."""
    need_java()
    with secured_hdfs(tmp_path_factory.mktemp("secured"), {}) as started:
        yield started


@pytest.fixture
def folder() -> str:
    """A path on it that is not there yet."""
    return f"/{secrets.token_hex(6)}"
