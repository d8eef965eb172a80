"""What the tests of FileInput share: a world, with and without birth times."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from connectors.files import identity
from tests.connectors.files.world import World
from tests.machine import absent

MakeWorld: TypeAlias = Callable[..., World]

NOBODY = 65534


@pytest.fixture
def make_world(tmp_path: Path) -> MakeWorld:
    """A world with these options of FileInput."""

    def make(**options: Any) -> World:
        return World(tmp_path / "in", **options)

    return make


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    """A world with the options of a test: all files are quiet at once."""
    return make_world()


@pytest.fixture(params=["birth times", "no birth times"])
def any_world(
    request: pytest.FixtureRequest, make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> World:
    """The world twice: on a file system that keeps birth times, and on one that does not."""
    if request.param == "no birth times":
        monkeypatch.setattr(identity, "_statx", None)
    return make_world()


@pytest.fixture
def nobodys(tmp_path: Path) -> Iterator[Path]:
    """A folder for a test of rights: what is forbidden to its owner is, even if root runs the
    test."""
    if os.geteuid() != 0:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, NOBODY, -1)
        try:
            os.seteuid(NOBODY)
        except OSError:
            absent("the right to become another user")
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)


@pytest.fixture
def other_device(tmp_path: Path) -> Iterator[Path]:
    """An empty folder on another file system."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        absent("a second file system at /dev/shm")
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)
