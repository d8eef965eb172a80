"""Conditions of a log, its sinks and inputs in a few words each, and the facts that they give."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from windowed.facts import Facts, InputFacts, SinkFacts
from windowed.state_facts import StateFacts
from windowlog.state import LogState
from windowlog.state_store import Checkpoint
from windowlog.values import Json, Plan
from windowlog.window import Window
from windowlog.wiring import Adoption, Header, Held, InputIdentity, SinkIdentity, TargetState

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
    torn: bool = False


@dataclass(frozen=True)
class ACheckpoint:
    """Of a window of this number: of this log's, if `same_digest`."""

    window: int
    same_digest: bool = True
    whole: bool = True


@dataclass(frozen=True)
class AState:
    """`emptied`: windows after which a person said that the state is empty. `handed_on`: the log
    began with the state of an older one."""

    checkpoints: tuple[ACheckpoint, ...] = ()
    emptied: tuple[int, ...] = ()
    handed_on: bool = False


def facts_of(
    log: ALog, sinks: list[ASink], inputs: list[AnInput], state: AState | None = None
) -> Facts:
    """The facts that a start would gather."""
    kept: dict[str, Json] = {"state": "kept"} if state is not None and state.handed_on else {}
    header = Header("log", "p", FIRST, kept, "digest 2", exists=True)
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
    known = list(range(log.oldest - 1, log.newest + 1))
    if state is not None:
        known = [n for n in known if n not in log.damaged]
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
            InputFacts(f"input{i}", s.configured, s.remembers, s.memory, ("1.json",) * s.torn)
            for i, s in enumerate(inputs)
            if s.configured
        ),
        sinks=tuple(_sink_facts(f"sink{i}", sink) for i, sink in enumerate(sinks)),
        resets={f"input{i}": s.reset for i, s in enumerate(inputs) if s.reset is not None},
        state=_state_facts(state) if state is not None else None,
    )


def _state_facts(state: AState) -> StateFacts:
    checkpoints = [
        Checkpoint(
            each.window,
            attempt=number,
            digest=f"digest {each.window}" if each.same_digest else "other",
            problem="" if each.whole else "has damaged rows",
        )
        for number, each in enumerate(state.checkpoints)
    ]
    return StateFacts("there", tuple(checkpoints), state.emptied)


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
