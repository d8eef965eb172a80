"""open_storage: a folder's path or a Storage; all else is refused, without showing a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from windowlog.errors import BadArgument
from windowlog.storage import LocalStorage, MemoryStorage, open_storage


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_is_a_folder_on_this_machine(tmp_path: Path, kind: type) -> None:
    """As text or as a Path; nothing is created."""
    storage = open_storage(kind(tmp_path / "log"))
    assert isinstance(storage, LocalStorage)
    assert storage.describe() == f"{tmp_path}/log"
    assert list(tmp_path.iterdir()) == []


def test_a_storage_is_taken_as_it_is() -> None:
    """People bring their own."""
    storage = MemoryStorage()
    assert open_storage(storage) is storage


@pytest.mark.parametrize("where", ["", None, 7, b"bytes", object()])
def test_anything_else_is_refused(where: object) -> None:
    """With the value, and what is wanted."""
    with pytest.raises(BadArgument, match="folder"):
        open_storage(where)  # type: ignore[arg-type]


@pytest.mark.parametrize("slashes", ["/", "//", "///"])
@pytest.mark.parametrize("scheme", ["webhdfs", "s3a", "file", "postgresql+psycopg", "hdfs"])
def test_a_url_is_refused_without_its_secrets(scheme: str, slashes: str) -> None:
    """Its scheme is named, and what works instead; a password stays out of the message. With too
    few slashes it is no folder beside the program either."""
    with pytest.raises(BadArgument) as refusal:
        open_storage(f"{scheme}:{slashes}user:pa55@host/state")
    assert f"'{scheme}:/" in str(refusal.value)
    assert "folder" in str(refusal.value)
    assert "pa55" not in str(refusal.value)


def test_a_url_of_two_schemes_is_refused() -> None:
    """As Java's databases have them; a folder with a colon in its name is one."""
    with pytest.raises(BadArgument, match="where='jdbc:duckdb:///x'"):
        open_storage("jdbc:duckdb:///x")
    assert open_storage("./a:/b").describe().endswith("/a:/b")
