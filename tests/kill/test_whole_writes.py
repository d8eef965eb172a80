"""A random kill leaves no part of a write, where the database could not bear it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from tests.kill.plain_gear import new_rng
from tests.kill.variants import Variant
from tests.kill.whole_writes import let_finish
from tests.kill.world import World

BYTES = 2**27


def test_a_write_is_finished_before_the_kill(tmp_path: Path) -> None:
    """One of 128 MiB is: a SIGKILL alone leaves a part of it."""
    path, told = tmp_path / "file", os.pipe()
    world = World(tmp_path / "world", new_rng(1), Variant("duckdb", "append"))
    child = os.fork()
    if child == 0:
        block = bytes(BYTES)
        file = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.write(told[1], b"x")
        os.pwrite(file, block, 0)
        time.sleep(60)
        os._exit(0)
    os.read(told[0], 1)
    while not path.stat().st_size:
        time.sleep(0.0001)
    let_finish(world, child)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    for one in told:
        os.close(one)
    assert path.stat().st_size == BYTES


def test_who_has_ended_already_is_no_error(tmp_path: Path) -> None:
    """Its status is still there to be asked for."""
    world = World(tmp_path / "world", new_rng(1), Variant("duckdb", "append"))
    child = os.fork()
    if child == 0:
        os._exit(3)
    time.sleep(0.2)
    let_finish(world, child)
    os.kill(child, signal.SIGKILL)
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 3
