"""The facts of a start: all its I/O, in the order that makes them believable.

First the header (sinks need the log id), then every ledger, then the log's listing: a driver that
is still alive can only make the log *newer* than the ledgers we saw, never older.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from windowed.facts import Facts, InputFacts, SinkFacts
from windowed.state_facts import StateFacts
from windowlog.contracts import Input, Sink
from windowlog.errors import RecordNotFound, RecordTorn
from windowlog.log import WindowLog
from windowlog.state_store import STATE, StateStore
from windowlog.wiring import Adoption


def gather(
    log: WindowLog,
    inputs: Mapping[str, Input],
    sinks: Mapping[str, Sink],
    store: StateStore | None = None,
) -> Facts:
    """Read the ledgers of open sinks, then the open log, and the state's checkpoints in the open
    store. Creates nothing."""
    sink_facts = tuple(
        SinkFacts(name, sink.identity(), sink.held(), sink.target()) for name, sink in sinks.items()
    )
    state = log.scan()
    input_facts = tuple(_remembered(log, name, source) for name, source in inputs.items())
    all_noted = log.notes.adoptions_from(state.oldest)
    noted = tuple(adoption for adoption in all_noted if adoption.input != STATE)
    facts = Facts(
        header=log.header,
        log=state,
        digests={},
        adoptions=tuple(adoption for adoption in noted if adoption.window_id == state.newest),
        inputs=input_facts,
        sinks=sink_facts,
        resets={adoption.input: adoption.window_id for adoption in noted if adoption.identity},
        state=_state(store, all_noted),
    )
    return _chained(log, facts)


def _state(store: StateStore | None, noted: tuple[Adoption, ...]) -> StateFacts | None:
    if store is None:
        return None
    emptied = sorted({adoption.window_id for adoption in noted if adoption.input == STATE})
    return StateFacts(store.describe(), store.checkpoints(), tuple(emptied))


def _remembered(log: WindowLog, name: str, source: Input) -> InputFacts:
    """An input, with the window of its newest memory, and whether that is damaged."""
    facts = InputFacts(name, source.identity(), source.remembers, memory=None)
    if not source.remembers:
        return facts
    memory = log.memory(name)
    try:
        newest = memory.newest()
    except RecordTorn:
        torn, intact = memory.damaged()
        return replace(facts, memory=memory.version(), torn=torn, intact=intact)
    return replace(facts, memory=newest[0] if newest is not None else None)


def _chained(log: WindowLog, facts: Facts) -> Facts:
    """With what the plans say that this start needs. Only with their digests is it known which
    checkpoint it goes on from; where none of those that were looked at can be used, that is further
    back."""
    oldest = facts.looked_at_from
    found = _read_down(log, facts, oldest)
    while found.needed_from < oldest:
        oldest = found.needed_from
        found = _read_down(log, facts, oldest)
    return found


def _read_down(log: WindowLog, facts: Facts, oldest: int) -> Facts:
    """With what is read from the newest plan down to the oldest: their digests and that of the one
    before them, which of them are damaged, and whose rows some sink lacks."""
    digests = {facts.header.first - 1: facts.header.digest}
    damaged: list[int] = []
    unheld: dict[str, int] = {}
    expected: str | None = None
    for window_id in range(facts.log.newest, oldest - 1, -1):
        try:
            window = log.read(window_id)
        except (RecordNotFound, RecordTorn):
            window = None
        if window is None or expected not in (None, window.digest):
            damaged.append(window_id)
            expected = None  # what a wrong record names as its previous is not believed either
            continue
        if window_id > facts.held_min:
            unheld |= {name: window_id for name, plan in window.plans.items() if not plan.empty}
        digests[window_id] = window.digest
        expected = window.previous
    if expected is not None and oldest > facts.header.first:
        digests.setdefault(oldest - 1, expected)
    if expected not in (None, facts.header.digest) and oldest == facts.header.first:
        damaged.append(facts.header.first)
    all_damaged = tuple(sorted({*facts.log.damaged, *damaged}))
    log_state = replace(facts.log, damaged=all_damaged)
    return replace(facts, log=log_state, digests=digests, unheld=unheld)
