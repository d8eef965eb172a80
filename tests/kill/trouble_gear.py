"""The gear of what happens around a driver that reads a topic. The driver stands still at a named
moment; there a broker or a producer is killed, or a partition is added; the driver goes on, to its
end or until it is killed, too. Without Spark."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from tests.kill.check import Checker
from tests.kill.moments import Trap
from tests.kill.plain_gear import begin, drain, was_killed
from tests.kill.producers import writing
from tests.kill.tally import Tally
from tests.kill.topic import PARTITIONS_MAX, Topic
from tests.kill.world import World

if TYPE_CHECKING:
    from windowed.testing.services import KafkaService

# Where a driver stands still: before, between and behind all that it asks of a broker.
MOMENTS = (
    "looked",
    "planned",
    "log synced",
    "some records fetched",
    "read",
    "staged",
    "after commit",
    "group committed",
)
# So many drivers are killed as well, within so long.
KILL_SHARE = 0.4
DELAY_MAX_S = 1.0
_WRITE_S_MAX = 0.5

Trouble = Callable[[World], AbstractContextManager[None]]


def _topic_of(world: World) -> Topic:
    """What is read, in this gear."""
    assert isinstance(world.source, Topic), "a topic"
    return world.source


def _killed(service: KafkaService | None) -> Iterator[None]:
    assert service is not None, "a broker that may be killed"
    service.broker.kill()
    try:
        yield
    finally:
        service.broker.start()


@contextmanager
def _broker_killed(world: World) -> Iterator[None]:
    """It is away while the driver goes on, and comes back."""
    yield from _killed(_topic_of(world).cluster.first)


@contextmanager
def _leader_killed(world: World) -> Iterator[None]:
    """Some partitions have no leader, and then another one."""
    yield from _killed(_topic_of(world).cluster.second)


@contextmanager
def _partition_added(world: World) -> Iterator[None]:
    """With a record in it."""
    topic = _topic_of(world)
    if len(topic.ends_list()) < PARTITIONS_MAX:
        topic.grow()
    yield


@contextmanager
def _group_moved(world: World) -> Iterator[None]:
    """Back to the beginning, by somebody else: it is for others to see, and says nothing."""
    topic = _topic_of(world)
    offsets = [0 for _ in topic.ends_list()]
    topic.clerk.ask("commit", group=topic.group, topic=topic.name, offsets=offsets)
    yield


def _writing(world: World, kind: str) -> AbstractContextManager[Any]:
    topic = _topic_of(world)
    partitions, timeout_ms = len(topic.ends_list()), topic.transaction_timeout_ms
    return writing(topic.clerk.bootstrap, topic.name, partitions, kind, timeout_ms)


def _producer_killed(world: World, kind: str) -> Iterator[None]:
    with _writing(world, kind) as producer:
        yield
        time.sleep(world.rng.uniform(0, _WRITE_S_MAX))
        producer.kill()


@contextmanager
def _plain_producer_killed(world: World) -> Iterator[None]:
    """While it writes, and the driver reads what it has written."""
    yield from _producer_killed(world, "plain")


@contextmanager
def _transactions_killed(world: World) -> Iterator[None]:
    """While it writes and commits, wherever it is."""
    yield from _producer_killed(world, "transactions")


@contextmanager
def _transaction_left_open(world: World) -> Iterator[None]:
    """Before the driver goes on: a window ends before it."""
    with _writing(world, "open") as producer:
        producer.kill()
        producer.wait()
    yield


TROUBLES: Mapping[str, Trouble] = {
    "broker killed": _broker_killed,
    "leader killed": _leader_killed,
    "partition added": _partition_added,
    "group moved": _group_moved,
    "plain producer killed": _plain_producer_killed,
    "producer of transactions killed": _transactions_killed,
    "transaction left open": _transaction_left_open,
}


def deck(world: World) -> tuple[str, ...]:
    """Each trouble that can be made at each moment."""
    cluster = _topic_of(world).cluster
    out = {"broker killed": cluster.first is None, "leader killed": cluster.second is None}
    names = [name for name in TROUBLES if not out.get(name)]
    return tuple(f"{name}: {moment}" for name in names for moment in MOMENTS)


def run(world: World, rounds: int, say: object = None) -> Tally:
    """So many troubles, counted only when the driver met them; then one run to the end, once all
    transactions have ended."""
    checker, tally = Checker(world), Tally()
    while sum(tally.kills.values()) < rounds:
        one_round(world, checker, tally)
        if callable(say):
            say(tally)
    finish(world, checker)
    tally.windows = checker.held
    return tally


def one_round(
    world: World, checker: Checker, tally: Tally, at: str = "", *, kill: bool = True
) -> None:
    """Produce, run into it, check. `at` is one of `deck`: none, any. With `kill` the driver may die
    as well."""
    rng = world.rng
    world.produce(lines=rng.randrange(20, 90))
    chosen = at or tally.choose(deck(world), rng)
    name, _, moment = chosen.partition(": ")
    trap = Trap(moment, 1 if at else tally.occurrence(chosen, rng), stop=True)
    delay_s = rng.uniform(0, DELAY_MAX_S) if kill and rng.random() < KILL_SHARE else None
    child, told = begin(world, trap)
    met = _stands_still(child)
    if met:
        with TROUBLES[name](world):
            os.kill(child, signal.SIGCONT)
            if delay_s is not None:
                time.sleep(delay_s)
                os.kill(child, signal.SIGKILL)
    killed = met and was_killed(child)
    os.close(told)
    held, newest = checker.check()
    if not killed:
        checker.finished()
    if met:
        tally.hit(chosen, interrupted=newest > held)
    else:
        tally.missed(chosen)
    tally.windows = held


def _stands_still(child: int) -> bool:
    """Wait for it to stand still. False if it has ended before; AssertionError if it failed."""
    _, status = os.waitpid(child, os.WUNTRACED)
    assert os.WIFSTOPPED(status) or status == 0, f"the driver ended by itself: {status}"
    return os.WIFSTOPPED(status)


def finish(world: World, checker: Checker) -> None:
    """Once no transaction is open, a run reads all that is left."""
    _topic_of(world).settle()
    drain(world)
    checker.check()
    checker.finished()
