"""The recovery table with a state, against an oracle that was written from its description alone.

The state is known after a window: by a checkpoint that is whole, of that very window, at or above
the low-water mark, and of one that all sinks hold; before the first window, where it is empty,
unless it was handed on; or because a person said so, and then nothing before counts any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import pytest

from tests.windowed.conditions import (
    FIRST,
    ACheckpoint,
    ALog,
    AnInput,
    ASink,
    AState,
    facts_of,
)
from windowed.recovery import TABLE, decide

LOGS = [
    ALog(oldest, newest, damaged=damaged)
    for (oldest, newest), damaged in product(
        [(3, 2), (3, 3), (3, 5), (4, 5), (5, 5)], [(), (3,), (4,), (5,), (7,)]
    )
    if not damaged or damaged[0] > newest + 1 or oldest <= damaged[0] <= newest
]
SINKS = [
    [ASink()],
    *([ASink(window)] for window in (2, 3, 4, 5)),
    [ASink(5), ASink(3)],
    [ASink(4), ASink(listed=False)],
    [ASink(4, same_digest=False)],
    [ASink(5, exists=False)],
]
INPUTS = [AnInput(), AnInput(remembers=True, memory=4)]


def _states() -> Iterator[AState]:
    """No checkpoint, or up to two, in every condition; emptied or not; handed on or not."""
    kinds = [
        ACheckpoint(window, same_digest=same, whole=whole)
        for window in (2, 3, 4, 5)
        for same, whole in ((True, True), (False, True), (True, False))
    ]
    for checkpoints in [(), *((one,) for one in kinds), *combinations(kinds, 2)]:
        for emptied, handed_on in product([(), (3,), (4,), (3, 5)], [False, True]):
            yield AState(checkpoints, emptied, handed_on)


def _held(sinks: list[ASink]) -> int:
    return min((sink.window for sink in sinks if sink.window is not None), default=FIRST - 1)


def known_after(log: ALog, sinks: list[ASink], state: AState) -> int | None:
    """The newest window after which the state is known; None if there is none."""
    held = _held(sinks)
    emptied = [window for window in state.emptied if window <= held]
    windows = emptied[-1:]
    if not emptied and not state.handed_on:
        windows = [FIRST - 1]
    for one in state.checkpoints:
        superseded = bool(emptied) and one.window <= emptied[-1]
        gone = one.window < log.oldest and one.window != FIRST - 1
        # Its digest is that of its own plan, or of what the next one names as the one before.
        there = log.oldest - 1 <= one.window <= log.newest and one.window not in log.damaged
        told = there or one.window == FIRST - 1
        usable = one.whole and one.same_digest and told and not gone
        if usable and one.window <= held and not superseded:
            windows.append(one.window)
    return max(windows, default=None)


def oracle(log: ALog, sinks: list[ASink], inputs: list[AnInput], state: AState) -> str:
    """The row's letter, as the description has it."""
    known = known_after(log, sinks, state)
    start = FIRST - 1 if known is None else known
    memories = [source.memory or 0 for source in inputs if source.remembers]
    needed = max(log.oldest, min([start, *memories]))
    if any(needed <= plan <= log.newest or plan > log.newest + 1 for plan in log.damaged):
        return "A"
    return _sinks_trouble(log, sinks) or _what_to_do(log, sinks, inputs, known)


def _sinks_trouble(log: ALog, sinks: list[ASink]) -> str:
    rows = [sink for sink in sinks if sink.window is not None]
    for sink in rows:
        assert sink.window is not None
        kept = sink.window == FIRST - 1 or sink.window >= log.oldest - 1
        readable = kept and sink.window not in log.damaged
        if sink.window > log.newest or (readable and not sink.same_digest):
            return "C"
    if any(not sink.exists for sink in rows):
        return "T"
    if log.newest < FIRST or len(rows) == len(sinks):
        return ""
    return "V" if any(sink.listed and sink.window is None for sink in sinks) else "W"


def _what_to_do(log: ALog, sinks: list[ASink], inputs: list[AnInput], known: int | None) -> str:
    for source in inputs:
        if source.remembers and log.oldest > FIRST and (source.memory or -1) < log.oldest - 1:
            return "Y"
    if _held(sinks) < log.oldest - 1:
        return "D"
    if known is None or known < log.oldest - 1:
        return "Z"
    return "F" if _held(sinks) == known == log.newest else "E"


def test_every_condition_of_a_state_is_decided_as_the_table_says() -> None:
    """The row, and from where on windows are replayed: for a hundred thousand combinations."""
    seen: set[str] = set()
    for state, log, sinks, source in product(list(_states()), LOGS, SINKS, INPUTS):
        if any(not log.oldest <= window <= log.newest for window in state.emptied):
            continue  # what is said of a window stands beside its plan
        decision = decide(facts_of(log, sinks, [source], state))
        letter = decision.row.letter
        assert letter == oracle(log, sinks, [source], state), (log, sinks, source, state)
        if not decision.refused:
            known = known_after(log, sinks, state)
            assert known is not None
            assert decision.replay == range(known + 1, log.newest + 1)
        seen.add(letter)
    # B, U, S and X are of no concern to a state; a memory at window 4 is never too old here.
    assert seen == {row.letter for row in TABLE} - {"B", "U", "S", "X", "Y"}


@pytest.mark.parametrize("state", [None, AState()], ids=["without", "with"])
def test_a_refusal_for_the_state_comes_only_with_a_state(state: AState | None) -> None:
    """Plans that are purged are missed by nobody else."""
    found = decide(facts_of(ALog(5, 5), [ASink(5)], [AnInput()], state))
    assert (found.row.letter, found.concerned) == (
        ("F", ("5",)) if state is None else ("Z", ("state",))
    )


def test_what_is_behind_is_named() -> None:
    """The sinks that lack windows, and the state where it is to be made anew."""
    state = AState((ACheckpoint(3),))
    found = decide(facts_of(ALog(3, 5), [ASink(5), ASink(4)], [AnInput()], state))
    assert (found.row.letter, found.concerned) == ("E", ("sink1", "state"))
    found = decide(facts_of(ALog(3, 5), [ASink(5)], [AnInput()], state))
    assert (found.row.letter, found.concerned) == ("E", ("state",))
