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
from tests.kill.plain_gear import RANDOM
from tests.kill.tally import Tally
from tests.kill.world import World

# A window takes some 150 ms once the session is warm; the first one over a second.
DELAY_MAX_S = 1.2
# A window of many files on HDFS takes seconds on a busy machine.
RUN_TIMEOUT_S = 240
OCCURRENCE_MAX = 3
VICTIMS = {"the whole group": "group", "its Python alone": "alone"}


def run(world: World, rounds: int, say: object = None) -> Tally:
    """That many kills, counted only when they hit; then one run to the end."""
    checker, tally = Checker(world), Tally()
    while sum(tally.kills.values()) < rounds:
        one_round(world, checker, tally)
        if callable(say):
            say(tally)
    drain(world)
    tally.windows = checker.check()[0]
    checker.finished()
    tally.drained += 1
    return tally


def deck(world: World) -> list[str]:
    """Each moment with each victim."""
    moments = (*world.spark_moments, RANDOM)
    return [f"{moment}: {victim}" for moment in moments for victim in VICTIMS]


def one_round(world: World, checker: Checker, tally: Tally) -> None:
    """Produce, run, kill, check."""
    world.produce(lines=world.rng.randrange(*world.variant.spark_lines))
    chosen = tally.choose(deck(world), world.rng)
    moment, _, victim = chosen.rpartition(": ")
    killed = _run_and_kill(world, moment, victim)
    held, newest = checker.check_killed_at(moment) if killed else checker.check()
    if killed:
        tally.hit(chosen, interrupted=moment != RANDOM or newest > held)
    else:
        checker.finished()
        tally.missed(chosen)
    tally.windows = held


def _run_and_kill(world: World, moment: str | None, victim: str) -> bool:
    """At that moment; at none, it runs to the end. True if it was killed."""
    trap: list[str] = []
    if moment not in (None, RANDOM):
        trap = [str(moment), str(world.rng.randint(1, OCCURRENCE_MAX)), VICTIMS[victim]]
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.kill.spark_child", str(world.root), *trap],
        stdout=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(world.temporary)},
    )
    assert child.stdout is not None, "piped"
    try:
        # The clock starts when this run has held a window: a cold start would outlast any delay.
        started = child.stdout.readline()
        if moment == RANDOM and started:
            time.sleep(world.rng.uniform(0, DELAY_MAX_S))
            if child.poll() is None:
                _kill(child, victim)
        child.wait(RUN_TIMEOUT_S)
    finally:
        child.stdout.close()
        _end_orphans(child.pid)
    if child.returncode not in (0, -signal.SIGKILL):
        raise AssertionError(f"the driver ended by itself with status {child.returncode}")
    return child.returncode != 0


def _kill(child: subprocess.Popen[bytes], victim: str) -> None:
    if VICTIMS[victim] == "group":
        os.killpg(child.pid, signal.SIGKILL)
        return
    child.kill()
    child.wait()
    _end_orphans(child.pid)


def _end_orphans(group: int) -> None:
    """Let a JVM that lost its driver do what it still wants to do, and end it."""
    time.sleep(0.5)
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def drain(world: World) -> None:
    """One run to the end."""
    assert not _run_and_kill(world, None, "the whole group"), "nobody kills it"
