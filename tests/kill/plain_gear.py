"""The fast gear: no Spark, a fork for each round, thousands of kills an hour."""

from __future__ import annotations

import os
import random
import signal
import time
import warnings

import connectors.files.input
import file_sink.sweeping
import windowed.loop
from tests.kill.check import Checker
from tests.kill.losses import lose_sometimes
from tests.kill.moments import Trap
from tests.kill.pipeline import build
from tests.kill.tally import Tally
from tests.kill.traps import install_all
from tests.kill.world import World
from windowed import Listener
from windowlog.errors import MirrorAway
from windowlog.window import Window

RANDOM = "a random moment"
# Purging and folding are made frequent, so that their moments come up in a short run.
OFTEN = 2
# So many of the kills come at no named moment.
RANDOM_SHARE = 0.2


def one_round(world: World, checker: Checker, tally: Tally, at: str = "") -> None:
    """Produce, run, kill, check. A run that drains before the kill is checked as well, and not
    counted. `at` is a moment: none, any."""
    rng = world.rng
    world.produce(lines=rng.randrange(5, 60))
    moment = at or _choose(world, tally)
    occurrence = 1 if at else tally.occurrence(moment, rng)
    if _run_and_kill(world, moment, occurrence, rng.uniform(0, world.delay_max_s)):
        held, newest = checker.check_killed_at(moment)
        tally.hit(moment, interrupted=moment != RANDOM or newest > held)
    else:
        checker.check()
        checker.finished()
        tally.missed(moment)
    tally.windows = checker.held


def _choose(world: World, tally: Tally) -> str:
    if world.rng.random() < RANDOM_SHARE:
        return RANDOM
    return tally.choose(world.moments, world.rng)


def _run_and_kill(world: World, moment: str, occurrence: int, delay_s: float) -> bool:
    """True if the child was killed, False if it drained first."""
    child, reader = begin(world, Trap(None if moment == RANDOM else moment, occurrence))
    os.read(reader, 1)  # this run has held a window, or has ended
    os.close(reader)
    if moment == RANDOM:
        time.sleep(delay_s)
        os.kill(child, signal.SIGKILL)
    return was_killed(child)


def begin(world: World, trap: Trap) -> tuple[int, int]:
    """Fork a driver: its process id, and a pipe in which a byte comes once it has held a window."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(world, trap, writer)
    os.close(writer)
    return child, reader


def was_killed(child: int) -> bool:
    """Wait for its end. AssertionError if it failed."""
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


def _child(world: World, trap: Trap, writer: int) -> None:
    status = 1
    try:
        warnings.filterwarnings("ignore", category=MirrorAway)
        windowed.loop.PURGE_EVERY = connectors.files.input.FOLD_EVERY = OFTEN
        file_sink.sweeping.LISTING_S = 0  # who looks, does so when this driver is dead
        install_all(trap, world.archive, world.variant.side)
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
    for moment in world.variant.first_moments:
        one_round(world, checker, tally, moment)
    while sum(tally.kills.values()) < rounds:
        one_round(world, checker, tally)
        lose_sometimes(world, checker, tally)
        if callable(say):
            say(tally)
    return tally


def new_rng(seed: int) -> random.Random:
    """Everything that is random in a gear comes from here."""
    return random.Random(seed)


def deck(world: World) -> tuple[str, ...]:
    """The named moments."""
    return world.moments
