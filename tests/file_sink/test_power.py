"""The power is cut before any system call: after the next start every window is there, once."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.file_sink.power import PoweredOs, powered
from tests.file_sink.test_moments import each, layouts, offset, steps
from tests.file_sink.world import LAYOUTS, World
from tests.windowlog.storage.watched_os import Choose, PowerCut
from windowlog.storage import LocalStorage

pytestmark = pytest.mark.usefixtures("no_fsync")

CHOICES: dict[str, Callable[[], Choose]] = {
    "nothing unsynced stays": lambda: lambda states: states[0],
    "only removals reached the disk": lambda: lambda states: None if None in states else states[0],
    "chance": lambda: random.Random(1).choice,
}


def world_of(base: Path, layout: str) -> World:
    """Log and files on one disk. JSON: pyarrow would open a Parquet file by doors of its own."""
    arguments = {**LAYOUTS[layout], "format": "json"}
    return World(base, arguments, storage=LocalStorage(base / "log"))


def cut(fake: PoweredOs, last: int) -> None:
    """Nothing happens from call `last` on."""

    def before(number: int, call: str, path: str) -> None:
        if number >= last:
            raise PowerCut(f"{call} {path}")

    fake.before = before


@steps
@pytest.mark.parametrize("choice", CHOICES)
@layouts
def test_a_power_cut_before_any_system_call_breaks_no_promise(
    quick_folder: Path, layout: str, choice: str, step: int
) -> None:
    """What was published stays whole, what was held is published, the rest is replayed."""

    def cuts(last: int) -> bool:
        base, left = quick_folder / f"{last}", quick_folder / f"{last}-left"
        with powered(base) as fake:
            cut(fake, last)
            with suppress(PowerCut):
                world_of(base, layout).drain()
            stopped = fake.count >= last
            fake.survivors(left, CHOICES[choice]())
        world = world_of(left, layout)
        world.check_prefix()
        world.drain()
        world.check_end()
        return stopped

    assert each(cuts, 3 * step, offset(layout)) > 200


@layouts
def test_a_kill_and_later_a_power_cut_break_no_promise(quick_folder: Path, layout: str) -> None:
    """What a killed driver did shows, and is not durable: the next one must not build on it. ‡"""

    def cuts(last: int) -> bool:
        base, left = quick_folder / f"{last}", quick_folder / f"{last}-left"
        with powered(base) as fake:
            cut(fake, last)
            with suppress(PowerCut):
                world_of(base, layout).drain()
            stopped = fake.count >= last
            fake.before = lambda number, call, path: None
            world_of(base, layout).drain()
            fake.survivors(left, lambda states: states[0])
        world = world_of(left, layout)
        world.drain()
        world.check_end()
        return stopped

    assert each(cuts, 31, offset(layout)) > 200


def test_a_partitions_folder_is_durable_before_a_file_moves_into_it(quick_folder: Path) -> None:
    """Cut right after the file's move is durable: with a folder that is not, both would be lost.
    ‡"""
    base, left = quick_folder / "base", quick_folder / "left"
    synced: list[str] = []

    def before(number: int, call: str, path: str) -> None:
        if synced:
            raise PowerCut(path)
        if call == "fsync" and "/out/word=" in path:
            synced.append(path)

    with powered(base) as fake:
        fake.before = before
        with pytest.raises(PowerCut):
            world_of(base, "partitions").drain()
        fake.survivors(left, lambda states: states[0])
    world = world_of(left, "partitions")
    world.check_prefix()
    world.drain()
    world.check_end()
