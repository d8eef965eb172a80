"""Each file's ranges meet exactly: judged by the rows, the files' bytes and the test's own look at
the folder, and by nothing that a plan says of itself."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.connectors.files.conftest import MakeWorld
from tests.connectors.files.world import World

Row = tuple[int, str]


class _Folder:
    """Which file had which path, when: by inode. Files are never deleted, so none is given away."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: dict[int, list[Row]] = defaultdict(list)

    def paths(self) -> dict[str, int]:
        """Path -> inode, now."""
        return {path.name: path.stat().st_ino for path in self.folder.iterdir()}

    def take(self, rows: list[dict[str, Any]], paths: dict[str, int]) -> None:
        """Rows whose `path` means a file of that moment."""
        for row in rows:
            self.rows[paths[row["path"]]].append((row["offset"], row["value"]))

    def check(self) -> None:
        """Row after row, in the order they came, is its file from the first byte to the last."""
        for path in self.folder.iterdir():
            _check_file(path.read_bytes(), self.rows.pop(path.stat().st_ino, []))
        assert not self.rows, "rows of files that are not there"


def _check_file(data: bytes, rows: list[Row]) -> None:
    at = 0
    for offset, value in rows:
        # A line end after a line that was taken without one is an empty line, or is its end.
        if offset == at + 1 and data[at : at + 1] == b"\n":
            at += 1
        assert offset == at, f"a row at byte {offset}, the one before it ended at {at}"
        line = value.encode()
        assert data[at : at + len(line)] == line
        at += len(line)
    assert at == len(data) - data.endswith(b"\n") or (at == len(data)), (at, len(data))


def _grow(chance: random.Random, world: World, step: int) -> None:
    name = chance.choice("abc")
    kind = chance.randrange(10)
    if kind == 0 and (world.folder / name).exists():
        (world.folder / name).rename(world.folder / f"{name}.{step}")
    elif kind == 1:
        world.append(name, f"{step:05} without an end")
    elif kind == 2:
        world.append(name, f"{step:05}{'x' * 200}\n")
    else:
        lines = chance.randrange(1, 5)
        world.append(name, "".join(f"{step:05} {chance.random()}\n" for _ in range(lines)))


@pytest.mark.parametrize("seed", range(6))
def test_the_rows_of_each_file_are_the_file(make_world: MakeWorld, seed: int) -> None:
    """Over many windows, crashes at each step, clean stops, rotations between plan and reading, old
    bounds, and growth in whole and in half lines."""
    chance = random.Random(seed)
    world = make_world(max_bytes_per_window=chance.choice([1, 64, 300]), max_files_per_window=2)
    folder = _Folder(world.folder)
    for step in range(250):
        for _ in range(chance.randrange(3)):
            _grow(chance, world, step)
        bounds = world.run.input.bounds() if chance.random() < 0.8 else None
        if bounds is not None and chance.random() < 0.3:
            _grow(chance, world, step)
        plan = world.run.plan(bounds)
        if chance.random() < 0.1:
            world.restart()  # the plan was never logged
            plan = world.run.plan()
        if plan.empty:
            continue
        paths = folder.paths()
        world.run.log(plan)
        if chance.random() < 0.3:
            _grow(chance, world, step)
        if chance.random() < 0.2:
            world.restart()
        folder.take(world.run.replay(), paths)
        if chance.random() < 0.1:
            world.run.stop().start()
    while not (plan := world.run.plan()).empty:
        paths = folder.paths()
        world.run.log(plan)
        folder.take(world.run.replay(), paths)
    folder.check()
    assert sum(path.stat().st_size for path in world.folder.iterdir()) > 5_000


@pytest.mark.parametrize(
    "rows",
    [
        [(0, "one")],
        [(0, "one"), (4, "two"), (4, "two")],
        [(4, "two")],
        [(4, "two"), (0, "one")],
        [(0, "one"), (4, "twX")],
        [(0, "on"), (3, ""), (4, "two")],
        [(0, "one"), (5, "wo")],
    ],
)
def test_the_check_finds_what_is_wrong(rows: list[Row]) -> None:
    """A row that is missing, double, out of order, other, or cut."""
    with pytest.raises(AssertionError):
        _check_file(b"one\ntwo\n", rows)
