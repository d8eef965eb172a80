"""Step 0 as functions: open, gather, decide (twice before a refusal), enrol the sinks, open the
inputs. A loop between that and the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from windowed.closing import close_quietly
from windowed.gather import gather
from windowed.read_only import JudgedMemory, ReadOnlyMemory
from windowed.recovery import Decision, decide
from windowed.refusals import refusal
from windowed.workers import explaining
from windowlog.contracts import InputContext, SinkContext
from windowlog.errors import Fenced
from windowlog.state_store import StateContext
from windowlog.wiring import Held

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowed.facts import Facts
    from windowed.loop import Loop
    from windowed.parts import Parts


def decide_start(
    parts: Parts, run_id: str, spark: SparkSession | None = None
) -> tuple[Facts, Decision]:
    """Open log and sinks and decide. Raises the refusal, or Fenced when a second reading says
    something else."""
    facts = open_and_gather(parts, run_id, spark)
    decision = decide(facts)
    if not decision.refused:
        return facts, decision
    again = gather(parts.log, parts.inputs, parts.sinks, parts.store)
    if again != facts or parts.log.overtaken():
        evidence = "a sink's memory or the log changed while this start was reading them"
        raise Fenced(pipeline=parts.pipeline, evidence=evidence)
    raise refusal(parts, facts, decision)


def open_and_gather(parts: Parts, run_id: str, spark: SparkSession | None = None) -> Facts:
    """The facts, with log, sinks and the state's store open. Creates nothing."""
    header = parts.log.open(parts.pipeline, run_id)
    for name, sink in parts.sinks.items():
        sink.open(SinkContext(parts.pipeline, name, header.log_id, run_id))
    if parts.store is not None:
        parts.store.open(StateContext(spark, parts.pipeline, header.log_id, run_id))
    return gather(parts.log, parts.inputs, parts.sinks, parts.store)


def enrol(parts: Parts, facts: Facts, run_id: str) -> None:
    """Before plan `first`: the header, then a ledger row for each sink, so that every window is an
    update.

    In this order: rows under a log id that no header names would be refused as another log's."""
    new = [sink for sink in facts.sinks if sink.held is None]
    if not new:
        return
    parts.log.create()
    for sink in new:
        first = parts.log.header.first
        row = Held(
            parts.log.header.log_id, first - 1, parts.log.header.digest, run_id, sink.identity
        )
        parts.sinks[sink.name].adopt(None, row)


def open_inputs(parts: Parts, spark: SparkSession | None, *, read_only: bool = False) -> None:
    """Open every input with its memory and the plans it may not have folded."""
    for name, source in parts.inputs.items():
        memory = (ReadOnlyMemory if read_only else JudgedMemory)(parts.log.memory(name))
        source.open(InputContext(spark, name, memory, partial(parts.log.plans_after, name)))


@contextmanager
def opened(loop: Loop) -> Iterator[Loop]:
    """The loop between `open` and `close`; at a clean end it makes a checkpoint and purges once
    more."""
    with loop.parts.exclusively():
        yield from _opened(loop)


def _opened(loop: Loop) -> Iterator[Loop]:
    try:
        with explaining():
            loop.open()
            yield loop
            # With nothing in flight, another driver that has purged further takes nothing from us.
            with suppress(Fenced):
                loop.checkpoint()
                loop.purge()
    except BaseException as error:
        loop.listener.failed(error)
        close_quietly(loop.parts)
        raise
    else:
        loop.close()
    finally:
        loop.listener.ended()
