"""A rename that never overwrites: with the system's own call, and where there is none."""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from file_sink import renaming
from file_sink.renaming import rename_exclusively


def unknown(*arguments: Any) -> int:
    """A kernel, or a file system, that does not know the flag."""
    ctypes.set_errno(errno.EINVAL)
    return -1


@pytest.fixture(params=["system call", "no such call", "no such flag"])
def rename(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """The ways there are."""
    if request.param != "system call":
        call = unknown if request.param == "no such flag" else None
        monkeypatch.setattr(renaming, "_RENAMEAT2", call)
    return rename_exclusively


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_free_name_is_taken(tmp_path: Path, rename: Callable[..., None], kind: str) -> None:
    """All of it moves."""
    source, target = tmp_path / "a ü", tmp_path / "b"
    make(source, kind)
    rename(str(source), str(target))
    assert not source.exists()
    assert target.is_dir() == (kind == "folder")


@pytest.mark.parametrize("there", ["file", "folder", "full folder"])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_nothing_is_overwritten(
    tmp_path: Path, rename: Callable[..., None], kind: str, there: str
) -> None:
    """Neither an empty folder nor a file."""
    source, target = tmp_path / "a", tmp_path / "b"
    make(source, kind)
    make(target, there)
    with pytest.raises(FileExistsError):
        rename(str(source), str(target))
    assert source.exists()
    assert target.is_file() == (there == "file")


@pytest.mark.parametrize("missing", ["source", "folder"])
def test_what_is_missing_is_said(tmp_path: Path, rename: Callable[..., None], missing: str) -> None:
    """The source, or the folder to move to."""
    if missing == "folder":
        make(tmp_path / "a", "file")
    target = tmp_path / ("b" if missing == "source" else "none/b")
    with pytest.raises(FileNotFoundError):
        rename(str(tmp_path / "a"), str(target))


def make(path: Path, kind: str) -> None:
    """A file or folder."""
    if kind == "file":
        path.write_text("x")
    else:
        path.mkdir()
        if kind == "full folder":
            (path / "x").write_text("x")
