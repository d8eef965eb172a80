"""The recovery table against an oracle that was written from its description alone.

All combinations of small facts are tried: a log with no window or with two, purged or not, torn,
damaged; one sink or two in every condition; inputs in every condition. The oracle answers from the
conditions, `decide` from the facts that such conditions give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product

import pytest

from windowed.facts import Facts, InputFacts, SinkFacts
from windowed.recovery import TABLE, Decision, decide
from windowlog.state import LogState
from windowlog.values import Plan, Skip
from windowlog.window import Window
from windowlog.wiring import (
    Adoption,
    Header,
    Held,
    InputIdentity,
    SinkIdentity,
    TargetState,
)

FIRST = 3
HERE, ELSEWHERE = InputIdentity("files", "/here"), InputIdentity("files", "/elsewhere")


@dataclass(frozen=True)
class ALog:
    """A log that begins at window 3: `oldest` to `newest` are kept. `damaged` are plans."""

    oldest: int = FIRST
    newest: int = FIRST - 1
    torn: bool = False
    damaged: tuple[int, ...] = ()


@dataclass(frozen=True)
class ASink:
    """`window` None: no ledger row. `wrote`: it has held a window itself. `listed` in the newest
    plan; `heir`: a sink that is gone has filled its target."""

    window: int | None = None
    same_log: bool = True
    same_digest: bool = True
    wrote: bool = True
    same_table: bool = True
    same_mode: bool = True
    exists: bool = True
    listed: bool = True
    heir: bool = False


@dataclass(frozen=True)
class AnInput:
    """`recorded` is what the newest plan says, `configured` what the pipeline says, None: nothing.
    `noted`: what a person said beside the newest plan, "" for nothing."""

    recorded: InputIdentity | None = HERE
    configured: InputIdentity | None = HERE
    noted: InputIdentity | None | str = ""
    remembers: bool = False
    memory: int | None = None
    reset: int | None = None


def facts_of(log: ALog, sinks: list[ASink], inputs: list[AnInput]) -> Facts:
    """The facts that a start would gather."""
    header = Header("log", "p", FIRST, {}, "digest 2", exists=True)
    window = None
    if log.newest >= FIRST:
        window = Window(
            id=log.newest,
            planned_at=datetime(2001, 1, 1, tzinfo=UTC),
            plans={f"input{i}": Plan((), 0) for i, source in enumerate(inputs) if source.recorded},
            inputs={f"input{i}": s.recorded for i, s in enumerate(inputs) if s.recorded},
            sinks={f"sink{i}": SinkIdentity("t", "m") for i, s in enumerate(sinks) if s.listed},
            run_id="run",
            log_id="log",
            previous=f"digest {log.newest - 1}",
            digest=f"digest {log.newest}",
        )
    known = range(log.oldest - 1, log.newest + 1)
    return Facts(
        header=header,
        log=LogState(FIRST, log.oldest, log.oldest, log.newest, log.torn, log.damaged, window),
        digests={FIRST - 1: "digest 2", **{n: f"digest {n}" for n in known}},
        adoptions=tuple(
            Adoption(log.newest, f"input{i}", s.noted, 0, "why", i + 1)
            for i, s in enumerate(inputs)
            if not isinstance(s.noted, str)
        ),
        inputs=tuple(
            InputFacts(f"input{i}", s.configured, s.remembers, s.memory)
            for i, s in enumerate(inputs)
            if s.configured
        ),
        sinks=tuple(_sink_facts(f"sink{i}", sink) for i, sink in enumerate(sinks)),
        resets={f"input{i}": s.reset for i, s in enumerate(inputs) if s.reset is not None},
    )


def _sink_facts(name: str, sink: ASink) -> SinkFacts:
    held = None
    if sink.window is not None:
        held = Held(
            log_id="log" if sink.same_log else "other",
            window_id=sink.window,
            digest=f"digest {sink.window}" if sink.same_digest else "other",
            run_id="run",
            identity=SinkIdentity(
                "t" if sink.same_table else "before", "m" if sink.same_mode else "before"
            ),
            positions={"input0": 0} if sink.wrote else {},
        )
    target = TargetState(sink.exists, ("gone",) if sink.heir else ())
    return SinkFacts(name, SinkIdentity("t", "m"), held, target)


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
        AnInput(recorded, configured, noted, remembers, memory, reset)
        for recorded, configured, noted, remembers, memory, reset in product(
            places, places, ["", *places], [True, False], [None, 3, 4], [None, 3, 4]
        )
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
    assert seen == {row.letter for row in TABLE} - {"X"}


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


@pytest.mark.parametrize(("window", "skips", "named"), [(5, 0, True), (5, 1, False), (4, 0, False)])
def test_sinks_that_held_a_window_with_fewer_skips_are_known(
    window: int, skips: int, named: bool
) -> None:
    """Only one that holds this very window, read with fewer skips than stand beside it now."""
    facts = facts_of(ALog(3, 5), [ASink(window), ASink()], [AnInput()])
    sink = facts.sinks[0]
    assert sink.held is not None
    held = replace(sink.held, skips=skips)
    facts = replace(facts, sinks=(replace(sink, held=held), *facts.sinks[1:]))
    assert facts.log.window is not None
    skip = Skip(5, "input0", "part", "all", "why", 1)
    replayed = replace(facts.log.window, skips=(skip,))
    assert facts.uneven(replayed) == (["sink0"] if named else [])
