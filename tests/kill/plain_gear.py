"""The fast gear: no Spark, a fork for each round, thousands of kills an hour."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field

import connectors.files.input
import windowed.loop
from tests.kill import file_moments
from tests.kill.check import Checker
from tests.kill.moments import Trap, install
from tests.kill.pipeline import build
from tests.kill.world import World
from windowed import Listener
from windowlog.window import Window

RANDOM = "a random moment"
# Purging and folding are made frequent, so that their moments come up in a short run.
OFTEN = 2
# A run of a few windows takes about 100 ms.
DELAY_MAX_S = 0.08


@dataclass
class Tally:
    """What a gear did: kills by moment, and how many of them hit a window in flight."""

    kills: Counter[str] = field(default_factory=Counter)
    interrupted: int = 0
    drained: int = 0
    windows: int = 0


def one_round(world: World, checker: Checker, tally: Tally) -> None:
    """Produce, run, kill, check. A run that drains before the kill is checked as well, and not
    counted."""
    rng = world.rng
    world.produce(lines=rng.randrange(5, 60))
    moment = rng.choice([*world.variant.moments, RANDOM, RANDOM, RANDOM])
    if _run_and_kill(world, moment, rng.randrange(1, 5), rng.uniform(0, DELAY_MAX_S)):
        held, newest = checker.check()
        tally.kills[moment] += 1
        tally.interrupted += moment != RANDOM or newest > held
    else:
        checker.check()
        checker.finished()
        tally.drained += 1
    tally.windows = checker.held


def _run_and_kill(world: World, moment: str, occurrence: int, delay_s: float) -> bool:
    """True if the child was killed, False if it drained first."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(world, None if moment == RANDOM else moment, occurrence, writer)
    os.close(writer)
    os.read(reader, 1)  # this run has held a window, or has ended
    os.close(reader)
    if moment == RANDOM:
        time.sleep(delay_s)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise AssertionError(f"the driver ended by itself with status {os.WEXITSTATUS(status)}")
    return os.WIFSIGNALED(status)


class Tell(Listener):
    """Writes to a pipe when the run has held its first window."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def held(self, window: Window, sink: str) -> None:
        """Once."""
        if self._descriptor is not None:
            os.write(self._descriptor, b"h")
            self._descriptor = None


def _child(world: World, moment: str | None, occurrence: int, writer: int) -> None:
    status = 1
    try:
        windowed.loop.PURGE_EVERY = connectors.files.input.FOLD_EVERY = OFTEN
        trap = Trap(moment, occurrence)
        install(trap, world.archive)
        file_moments.install(trap)
        build(world.root).run(None, progress=False, listeners=[Tell(writer)])
        status = 0
    except BaseException:  # noqa: BLE001 (a forked child must never return)
        import traceback

        traceback.print_exc()
    finally:
        os._exit(status)


def drain(world: World) -> None:
    """One run to the end."""
    assert not _run_and_kill(world, "never", 1, 0), "nobody kills it"


def run(world: World, rounds: int, say: object = None) -> Tally:
    """That many kills; drained runs come on top."""
    checker, tally = Checker(world), Tally()
    while sum(tally.kills.values()) < rounds:
        one_round(world, checker, tally)
        if callable(say):
            say(tally)
    return tally


def new_rng(seed: int) -> random.Random:
    """Everything that is random in a gear comes from here."""
    return random.Random(seed)
