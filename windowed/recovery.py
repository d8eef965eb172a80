"""Recovery as data: two tables and `decide(facts)`, pure. docs/recovery.md shows them as a person
reads them.

L = newest intact plan, F = oldest kept plan, H(s) = window that sink s holds, Hmin and Hmax over
the sinks. start = Hmin, or with state the window of its newest checkpoint up to Hmin that can be
used.

    A  a plan that is needed is missing or damaged, or anything beyond L+1 is   LogCorrupted
    B  a sink holds L+1 and plan L+1 is torn                                    PositionLost
    C  a sink is ahead of the log, or has another log id or digest              LogMismatch
    T  a sink holds windows and its target is gone                              TargetLost
    U  a sink's target or mode differs from its ledger's                        TargetChanged
    V  the newest window lists a sink, and its ledger has no row                LedgerLost
    S  a sink without a row (or with one long left behind), whose target a
       sink that is gone has filled                                             SinkRenamed
    W  a sink that is not in the newest window and has no row                   NewSink
    X  an input is new, gone or points elsewhere, and nothing adopted it        InputChanged
    Y  an input's memory is gone, damaged, or older than the purged plans       MemoryLost
    D  plan Hmin+1 is purged                                                    PlansPurged
    Z  no checkpoint of the state reaches up to the oldest plan                 StateLost
    E  start < L                                                                replay start+1 … L
    F  start = L                                                                plan L+1

The first row whose question is answered yes decides. The log comes first, because the wiring is
compared with its newest window; the last row always says yes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from windowed import errors
from windowed.facts import Facts, InputFacts, SinkFacts
from windowlog.state_store import STATE

# A row's question: the names it concerns (windows, sinks or inputs), empty for "no".
Question = Callable[[Facts], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `refusal` None: the run may go on."""

    letter: str
    question: Question
    refusal: type[errors.Refused] | None


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do: the row that decided, whom it concerns, and the windows to replay (empty: plan
    the next one)."""

    row: Row
    concerned: tuple[str, ...]
    replay: range

    @property
    def refused(self) -> bool:
        """True when this run must not go on."""
        return self.row.refusal is not None


def decide(facts: Facts) -> Decision:
    """The answer of the first row that says yes."""
    for row in TABLE:
        concerned = row.question(facts)
        if concerned:
            return Decision(row, concerned, range(facts.start + 1, facts.log.newest + 1))
    raise AssertionError("the last row always says yes")


def _corrupted(facts: Facts) -> tuple[str, ...]:
    """A: windows that are needed and missing or damaged."""
    log = facts.log
    return tuple(str(w) for w in log.damaged if w >= facts.needed_from or w > log.newest)


def _position_lost(facts: Facts) -> tuple[str, ...]:
    """B: sinks that hold the window whose plan is torn: where it ended cannot be known."""
    return _sinks(
        facts,
        lambda s: facts.log.torn and _ours(facts, s) and _holds(facts, s) == facts.log.newest + 1,
    )


def _mismatched(facts: Facts) -> tuple[str, ...]:
    """C: sinks that do not belong to this log, or to this state of it."""

    def mismatch(sink: SinkFacts) -> bool:
        if sink.held is None:
            return False
        known = facts.digests.get(sink.held.window_id, sink.held.digest)
        ahead = sink.held.window_id > facts.log.newest
        return ahead or not _ours(facts, sink) or sink.held.digest != known

    return _sinks(facts, mismatch)


def _target_lost(facts: Facts) -> tuple[str, ...]:
    """T: sinks whose ledger says that they hold rows which are no longer there."""

    def lost(sink: SinkFacts) -> bool:
        held = sink.held
        if held is None or held.identity.target != sink.identity.target:
            return False  # what stands at another target says nothing about this one: U
        # A ledger row without positions was adopted for a target that is yet to be made.
        return bool(held.positions) and not sink.target.exists

    return _sinks(facts, lost)


def _target_changed(facts: Facts) -> tuple[str, ...]:
    """U: sinks that held windows somewhere else, or in another way."""
    return _sinks(facts, lambda s: s.held is not None and s.held.identity != s.identity)


def _ledger_lost(facts: Facts) -> tuple[str, ...]:
    """V: sinks that the newest window lists, and whose ledger does not know them."""
    return _sinks(facts, lambda s: s.held is None and _listed(facts, s))


def _renamed(facts: Facts) -> tuple[str, ...]:
    """S: sinks that are new, or have a name again that was given up long ago, on a target that a
    sink of this log has filled which is gone."""

    def renamed(sink: SinkFacts) -> bool:
        new = _started(facts) and sink.held is None and bool(facts.gone_at(sink))
        return new or facts.overtaken(sink)

    return _sinks(facts, renamed)


def _new_sink(facts: Facts) -> tuple[str, ...]:
    """W: sinks that join a log which has windows: where they begin is for a person to say."""
    return _sinks(facts, lambda s: _started(facts) and s.held is None)


def _input_changed(facts: Facts) -> tuple[str, ...]:
    """X: inputs whose place in the newest window is not what the pipeline says."""
    if not _started(facts):
        return ()
    recorded = facts.recorded_inputs()
    configured = {i.name: i.identity for i in facts.inputs}
    return tuple(
        name
        for name in sorted(recorded.keys() | configured.keys())
        if recorded.get(name) != configured.get(name)
    )


def _memory_lost(facts: Facts) -> tuple[str, ...]:
    """Y: inputs that remember, and whose memory is damaged or does not reach up to the oldest plan;
    unless a reset that stands beside a plan has taken its place."""

    def lost(source: InputFacts) -> bool:
        purged = facts.log.oldest > facts.header.first
        memory = source.memory if source.memory is not None else -1
        reset = facts.resets.get(source.name, -1)
        too_old = purged and max(memory, reset) < facts.log.oldest - 1
        return source.remembers and (too_old or (bool(source.torn) and reset < memory))

    return tuple(i.name for i in facts.inputs if lost(i))


def _purged(facts: Facts) -> tuple[str, ...]:
    """D: sinks that lack a window whose plan is gone."""
    return _sinks(facts, lambda s: _holds(facts, s) < facts.log.oldest - 1)


def _state_lost(facts: Facts) -> tuple[str, ...]:
    """Z: the state, if it is known after no window from which on all plans are kept."""
    if facts.state is None:
        return ()
    known = bool(facts.restarts()) and facts.start >= facts.log.oldest - 1
    return () if known else (STATE,)


def _behind(facts: Facts) -> tuple[str, ...]:
    """E: sinks that lack windows which the log has, and the state, if it is not known after the
    newest."""
    lacking = _sinks(facts, lambda s: _holds(facts, s) < facts.log.newest)
    return (*lacking, *((STATE,) if facts.state and facts.start < facts.log.newest else ()))


def _level(facts: Facts) -> tuple[str, ...]:
    """F: always."""
    return (str(facts.log.newest),)


TABLE = (
    Row("A", _corrupted, errors.LogCorrupted),
    Row("B", _position_lost, errors.PositionLost),
    Row("C", _mismatched, errors.LogMismatch),
    Row("T", _target_lost, errors.TargetLost),
    Row("U", _target_changed, errors.TargetChanged),
    Row("V", _ledger_lost, errors.LedgerLost),
    Row("S", _renamed, errors.SinkRenamed),
    Row("W", _new_sink, errors.NewSink),
    Row("X", _input_changed, errors.InputChanged),
    Row("Y", _memory_lost, errors.MemoryLost),
    Row("D", _purged, errors.PlansPurged),
    Row("Z", _state_lost, errors.StateLost),
    Row("E", _behind, None),
    Row("F", _level, None),
)


def _sinks(facts: Facts, question: Callable[[SinkFacts], bool]) -> tuple[str, ...]:
    return tuple(sink.name for sink in facts.sinks if question(sink))


def _started(facts: Facts) -> bool:
    return facts.log.newest >= facts.header.first


def _ours(facts: Facts, sink: SinkFacts) -> bool:
    return sink.held is not None and sink.held.log_id == facts.header.log_id


def _holds(facts: Facts, sink: SinkFacts) -> int:
    return sink.held.window_id if sink.held is not None else facts.header.first - 1


def _listed(facts: Facts, sink: SinkFacts) -> bool:
    return facts.log.window is not None and sink.name in facts.log.window.sinks
