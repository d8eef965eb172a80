"""Device numbers that change, file systems that are away, and what lies before a range."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.connectors.files.conftest import MakeWorld
from tests.connectors.files.world import World
from windowlog.errors import SourceChanged


def test_a_file_system_that_has_another_device_number_has_the_same_files(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a reboot or a new mount: nothing is read again, growth is, and a replay works."""
    world = make_world(max_bytes_per_window=4)
    for name in ("a", "b", "c"):
        world.write(name, "one\n")
    world.run.window()
    world.run.window()
    world.run.log(world.run.plan())
    real = os.makedev
    monkeypatch.setattr(os, "makedev", lambda major, minor: real(major, minor) + 1000)
    world.restart()
    assert [row["path"] for row in world.run.replay()] == ["c"]
    assert world.run.plan().empty
    world.append("a", "two\n")
    assert world.paths() == ["a"]
    world.run.stop().start()
    assert world.run.plan().empty
    assert world.run.input.seek("beginning", world.run.after).again == 4


def test_a_file_system_that_is_not_mounted_is_remembered(world: World, other_device: Path) -> None:
    """An empty mount point is no reason to forget the files, however often it is seen."""
    world.write("a.txt", "one\n")
    world.run.drain()
    away = world.folder.with_name("away")
    world.folder.rename(away)
    world.folder.symlink_to(other_device)
    for number in range(5):
        world.write(f"b{number}.txt", "x\n")
        world.run.drain()
        world.run.stop().start()
    world.folder.unlink()
    away.rename(world.folder)
    assert world.run.plan().empty


def test_what_lies_before_a_range_is_verified_too(world: World) -> None:
    """Its last 4 KiB: where a line begins depends on them, and the range itself is untouched."""
    path = world.write("a.txt", "one\n")
    world.run.drain()
    world.append("a.txt", "two\n" * 2000)
    window = world.run.log(world.run.plan())
    with open(path, "r+b") as file:
        file.write(b"ONE\n")
    with pytest.raises(SourceChanged, match="before byte 4"):
        world.run.rows(window)
