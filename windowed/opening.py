"""Step 0 as functions: open, gather, decide (twice before a refusal), enrol the sinks, open the
inputs; and close."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from windowed.gather import gather
from windowed.read_only import JudgedMemory, ReadOnlyMemory
from windowed.recovery import Decision, decide
from windowed.refusals import refusal
from windowlog.contracts import InputContext, SinkContext
from windowlog.errors import Fenced
from windowlog.wiring import Held

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowed.facts import Facts
    from windowed.parts import Parts


def decide_start(parts: Parts, run_id: str) -> tuple[Facts, Decision]:
    """Open log and sinks and decide. Raises the refusal, or Fenced when a second reading says
    something else."""
    facts = open_and_gather(parts, run_id)
    decision = decide(facts)
    if not decision.refused:
        return facts, decision
    again = gather(parts.log, parts.inputs, parts.sinks)
    if again != facts or parts.log.overtaken():
        evidence = "a sink's memory or the log changed while this start was reading them"
        raise Fenced(pipeline=parts.pipeline, evidence=evidence)
    raise refusal(parts, facts, decision)


def open_and_gather(parts: Parts, run_id: str) -> Facts:
    """The facts, with log and sinks open. Creates nothing."""
    header = parts.log.open(parts.pipeline, run_id)
    for name, sink in parts.sinks.items():
        sink.open(SinkContext(parts.pipeline, name, header.log_id, run_id))
    return gather(parts.log, parts.inputs, parts.sinks)


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


def close(parts: Parts) -> None:
    """Close inputs (they fold), sinks and log, all of them, and then raise the first error there
    was."""
    first: Exception | None = None
    for action in _closings(parts):
        try:
            action()
        except Exception as error:  # noqa: BLE001 (all are closed before the first error is raised)
            first = first or error
    if first is not None:
        raise first


def close_quietly(parts: Parts) -> None:
    """Close after a failure: what is raised here must not hide it."""
    for action in _closings(parts):
        with suppress(Exception):
            action()


def _closings(parts: Parts) -> list[Callable[[], None]]:
    inputs = [source.close for source in parts.inputs.values()]
    return [*inputs, *(sink.close for sink in parts.sinks.values()), parts.log.close]
