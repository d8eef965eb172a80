"""The recovery table against an oracle that was written from its description alone.

All combinations of small facts are tried: a log with no window or with two, purged or not, torn,
damaged; one sink or two in every condition; inputs in every condition. The oracle answers from the
conditions, `decide` from the facts that such conditions give.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from tests.windowed.conditions import (
    ELSEWHERE,
    FIRST,
    HERE,
    ALog,
    AnInput,
    ASink,
    facts_of,
)
from windowed.recovery import TABLE, Decision, decide


def oracle(log: ALog, sinks: list[ASink], inputs: list[AnInput]) -> str:
    """The row's letter, as the description has it: first the log, then its sinks, its inputs, and
    what is to be done."""
    return (
        _log_trouble(log, sinks, inputs)
        or _sink_trouble(log, sinks)
        or _input_trouble(log, inputs)
        or _work(log, sinks)
    )


def _log_trouble(log: ALog, sinks: list[ASink], inputs: list[AnInput]) -> str:
    start = min((s.window for s in sinks if s.window is not None), default=FIRST - 1)
    memories = [s.memory or 0 for s in inputs if s.remembers and s.configured]
    needed = max(log.oldest, min([start, *memories]))
    for plan in log.damaged:
        if needed <= plan <= log.newest or plan > log.newest + 1:
            return "A"
    rows = [sink for sink in sinks if sink.window is not None]
    if log.torn and any(s.same_log and s.window == log.newest + 1 for s in rows):
        return "B"
    for sink in rows:
        assert sink.window is not None
        kept = sink.window >= log.oldest - 1 or sink.window == FIRST - 1
        if sink.window > log.newest or not sink.same_log or (kept and not sink.same_digest):
            return "C"
    return ""


def _sink_trouble(log: ALog, sinks: list[ASink]) -> str:
    rows = [sink for sink in sinks if sink.window is not None]
    new = [sink for sink in sinks if sink.window is None]
    if any(s.wrote and s.same_table and not s.exists for s in rows):
        return "T"
    if any(not (s.same_table and s.same_mode) for s in rows):
        return "U"
    if log.newest < FIRST:
        return ""
    if any(sink.listed for sink in new):
        return "V"
    if any(sink.heir for sink in new):
        return "S"
    return "W" if new else ""


def _input_trouble(log: ALog, inputs: list[AnInput]) -> str:
    if log.newest >= FIRST:
        for source in inputs:
            said = source.recorded if isinstance(source.noted, str) else source.noted
            if said != source.configured:
                return "X"
    for source in inputs:
        reach = [n for n in (source.memory, source.reset) if n is not None]
        short = all(window < log.oldest - 1 for window in reach)
        if source.configured and source.remembers and log.oldest > FIRST and short:
            return "Y"
        # What is damaged is missed, unless somebody has said since where to go on.
        unsaid = source.reset is None or source.memory is None or source.reset < source.memory
        if source.configured and source.remembers and source.torn and unsaid:
            return "Y"
    return ""


def _work(log: ALog, sinks: list[ASink]) -> str:
    least = min(FIRST - 1 if s.window is None else s.window for s in sinks)
    if least == log.newest:
        return "F"
    return "D" if least + 1 < log.oldest else "E"


LOGS = [
    ALog(oldest, newest, torn, damaged)
    for (oldest, newest), torn, damaged in product(
        [(3, 2), (3, 4), (4, 4), (3, 5), (4, 5), (5, 5)], [False, True], [(), (4,), (7,)]
    )
    if not damaged or damaged[0] > newest + 1 or oldest < 4 < newest
]
NEW = [
    ASink(exists=exists, listed=listed, heir=heir)
    for exists, listed, heir in product([True, False], repeat=3)
]
FEW = [
    *NEW[:4],
    *(ASink(window) for window in (2, 3, 4, 5)),
    ASink(3, wrote=False, exists=False),
    ASink(4, exists=False),
    ASink(4, same_table=False),
    ASink(4, same_log=False),
    ASink(4, same_digest=False),
]


def _sinks() -> Iterator[list[ASink]]:
    """One sink in every condition; two in some."""
    for sink in NEW:
        yield [sink]
    for window in (2, 3, 4, 5, 6):
        for flags in product([True, False], repeat=7):
            yield [ASink(window, *flags)]
    for one, other in product(FEW, repeat=2):
        yield [one, other]


def _inputs() -> Iterator[list[AnInput]]:
    """One input in every condition; two in some."""
    places = [None, HERE, ELSEWHERE]
    conditions = [
        AnInput(recorded, configured, noted, remembers, memory, reset, torn)
        for recorded, configured, noted, remembers, memory, reset, torn in product(
            places, places, ["", *places], [True, False], [None, 3, 4], [None, 3, 4], [True, False]
        )
        if memory is not None or not torn
    ]
    for condition in conditions:
        yield [AnInput(), condition]
    for one, other in product(conditions[::17], repeat=2):
        yield [one, other]


def _decided(log: ALog, sinks: list[ASink], inputs: list[AnInput]) -> Decision:
    return decide(facts_of(log, sinks, inputs))


def test_every_condition_of_log_and_sinks_is_decided_as_the_table_says() -> None:
    """The first row that applies decides, for tens of thousands of combinations; and no row but
    the one about changed inputs is out of reach."""
    seen: set[str] = set()
    memories = [AnInput(), AnInput(remembers=True), AnInput(remembers=True, memory=4)]
    for log, sinks, source in product(LOGS, list(_sinks()), memories):
        inputs = [source]
        found = _decided(log, sinks, inputs).row.letter
        assert found == oracle(log, sinks, inputs), (log, sinks, inputs)
        seen.add(found)
    # Without a state, that cannot be lost: test_recovery_state.py.
    assert seen == {row.letter for row in TABLE} - {"X", "Z"}


def test_every_condition_of_inputs_is_decided_as_the_table_says() -> None:
    """Inputs that are new, gone, moved, noted, forgetful: with a log that is level, behind, purged
    or not begun."""
    seen: set[str] = set()
    logs = [ALog(), ALog(3, 5), ALog(5, 5)]
    for log, inputs in product(logs, list(_inputs())):
        for window in (log.newest, log.newest - 1):
            sinks = [ASink(max(window, FIRST - 1))]
            found = _decided(log, sinks, inputs).row.letter
            assert found == oracle(log, sinks, inputs), (log, sinks, inputs)
            seen.add(found)
    assert seen == {"X", "Y", "E", "F"}


def test_the_last_row_answers_when_no_other_does() -> None:
    """The table is total: its last question is answered yes for any facts, and has no refusal."""
    last = TABLE[-1]
    for log, sinks in product(LOGS, list(_sinks())):
        assert last.question(facts_of(log, sinks, [AnInput()]))
    assert last.refusal is None


@pytest.mark.parametrize(
    ("windows", "replay"), [((5,), []), ((3,), [4, 5]), ((2, 5), [3, 4, 5]), ((4, 3), [4, 5])]
)
def test_what_any_sink_lacks_is_replayed(windows: tuple[int, ...], replay: list[int]) -> None:
    """From the window after the least that a sink holds, up to the newest."""
    decision = _decided(ALog(3, 5), [ASink(window) for window in windows], [AnInput()])
    assert list(decision.replay) == replay
    assert not decision.refused


def test_a_refusal_names_those_whom_it_concerns() -> None:
    """Only the sink whose table is gone, not the one beside it."""
    decision = _decided(ALog(3, 5), [ASink(5), ASink(5, exists=False)], [AnInput()])
    assert (decision.row.letter, decision.concerned) == ("T", ("sink1",))
