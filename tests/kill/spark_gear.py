"""The slow gear: a real driver with Spark, killed with its whole process group, or its Python
alone.

Alone, the JVM lives on for a moment and finishes what it was doing: nothing that it does then may
count.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from tests.kill.check import Checker
from tests.kill.plain_gear import Tally
from tests.kill.world import World

# A window takes some 150 ms once the session is warm; the first one over a second.
DELAY_MAX_S = 1.2
START_TIMEOUT_S = 120
# So many of the kills come at no named moment.
RANDOM_ONES = 3


def run(world: World, rounds: int, say: object = None) -> Tally:
    """That many kills, counted only when they hit; then one run to the end."""
    checker, tally = Checker(world), Tally()
    while sum(tally.kills.values()) < rounds:
        world.produce(lines=world.rng.randrange(100, 300))
        whole_group = world.rng.random() < 0.5
        moment = world.rng.choice([*world.variant.spark_moments, *[""] * RANDOM_ONES])
        delay_s = None if moment else world.rng.uniform(0, DELAY_MAX_S)
        killed = _run_and_kill(world, delay_s, whole_group=whole_group, moment=moment)
        held, newest = checker.check()
        if killed:
            victim = "the whole group" if whole_group else "its Python alone"
            tally.kills[moment or victim] += 1
            tally.interrupted += bool(moment) or newest > held
        else:
            checker.finished()
            tally.drained += 1
        tally.windows = held
        if callable(say):
            say(tally)
    _run_and_kill(world, None, whole_group=True)
    tally.windows = checker.check()[0]
    checker.finished()
    tally.drained += 1
    return tally


def _run_and_kill(
    world: World, delay_s: float | None, *, whole_group: bool, moment: str = ""
) -> bool:
    trap = [moment, str(world.rng.randrange(1, 4))] if moment else []
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.kill.spark_child", str(world.root), *trap],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdout is not None, "piped"
    try:
        # The clock starts when this run has held a window: a cold start would outlast any delay.
        started = child.stdout.readline()
        if delay_s is not None and started:
            time.sleep(delay_s)
            if child.poll() is None:
                if not whole_group:
                    child.kill()
                    child.wait()
                os.killpg(child.pid, signal.SIGKILL) if whole_group else _end_orphans(child.pid)
        child.wait(START_TIMEOUT_S)
    finally:
        child.stdout.close()
        _end_orphans(child.pid)
    if child.returncode not in (0, -signal.SIGKILL):
        raise AssertionError(f"the driver ended by itself with status {child.returncode}")
    return child.returncode != 0


def _end_orphans(group: int) -> None:
    """Let a JVM that lost its driver do what it still wants to do, and end it."""
    time.sleep(0.5)
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
