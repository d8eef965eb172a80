"""From a decision to an error that a person can act on: what is wrong, with values, and one command
for each choice.

No I/O but what sinks are asked about their targets (`told`). Every command printed here is run
by a test, from the refusal to a pipeline that goes on.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from windowed import said
from windowed.errors import Refused
from windowed.facts import furthest, untold
from windowed.told import free_from, place_of

if TYPE_CHECKING:
    from windowed.facts import Facts
    from windowed.parts import Parts
    from windowed.recovery import Decision
    from windowlog.errors import Choice
    from windowlog.sink_place import SinkPlace


def refusal(parts: Parts, facts: Facts, decision: Decision) -> Refused:
    """The error for a decision that refuses."""
    kind = decision.row.refusal
    assert kind is not None, "only a refusal is refused"
    concerned = [sink for sink in facts.sinks if sink.name in decision.concerned]
    choices = CHOICES[decision.row.letter](parts, facts, decision)
    return kind(
        choices=choices,
        pipeline=parts.pipeline,
        where=parts.log.describe(),
        windows=said.named("window", decision.concerned),
        sinks=said.named("sink", decision.concerned),
        inputs=said.named("input", decision.concerned),
        log_ends=said.log_ends(parts, facts),
        oldest=facts.log.oldest,
        newest=facts.log.newest,
        beyond=facts.log.newest + 1,
        positions="; ".join(said.position(facts, sink) for sink in concerned),
        targets=", ".join(place_of(parts, sink.name).target for sink in concerned),
        memories=" and ".join(place_of(parts, sink.name).memory for sink in concerned),
        others=", ".join(name for sink in concerned for name in facts.heirs(sink)),
        arrivals="; ".join(map(said.arrival, concerned)),
        changes="; ".join(said.changes(facts, decision)),
        checkpoints=said.checkpoints(facts),
    )


def command(parts: Parts, verb: str, *words: str) -> str:
    """A command line for this pipeline, quoted for a shell."""
    return shlex.join(["python", "-m", "windowed", verb, parts.locator, *words])


LOST_FOR_GOOD = "this log is lost for good: begin a new one behind what the sinks hold"


def _new_log(parts: Parts, facts: Facts, *more: str, why: str = LOST_FOR_GOOD) -> list[Choice]:
    positions, elsewhere = furthest({sink.name: sink.held for sink in facts.sinks})
    unsaid = [s.name for s in facts.inputs if s.remembers or s.name not in positions]
    known = positions or any(untold(sink.held, sink.target.exists) for sink in facts.sinks)
    accept = [*(word for name in elsewhere for word in ("--accept-loss", name)), *more]
    if elsewhere:
        why += f" ({', '.join(elsewhere)} will lack for ever what others hold)"
    if not known or not unsaid:
        return [(why, command(parts, "adopt", "--log", *accept))]
    names = ", ".join(unsaid)
    costs = {"end": f"pass over what is now in {names}", "beginning": f"read all again of {names}"}
    choices = []
    for place, cost in costs.items():
        starts = [word for name in unsaid for word in ("--from", f"{name}={place}")]
        choices.append((f"{why}; {cost}", command(parts, "adopt", "--log", *starts, *accept)))
    return choices


def _log_corrupted(parts: Parts, facts: Facts, decision: Decision) -> list[Choice]:
    return [("restore the folder from a backup", ""), *_new_log(parts, facts)]


def _log_mismatch(parts: Parts, facts: Facts, decision: Decision) -> list[Choice]:
    right = f"this is the wrong folder: give pipeline {parts.pipeline!r} its own log"
    choices = [(right, ""), ("restore the newest backup of the log", "")]
    for sink in (sink for sink in facts.sinks if sink.name in decision.concerned):
        choices += [
            (
                f"{sink.name} was renamed to {other}, and is to have its name back",
                command(parts, "adopt", sink.name, "--renamed-from", other),
            )
            for other in facts.gone_at(sink)
            if facts.renamed_to(sink, other)
        ]
    return [*choices, *_new_log(parts, facts)]


def _again(parts: Parts, facts: Facts, decision: Decision) -> list[Choice]:
    """Start these sinks at the oldest kept plan, or after the newest one."""
    choices: list[Choice] = []
    for name in decision.concerned:
        oldest, newest = facts.oldest_begin, facts.log.newest
        whole = f"{name} is to hold everything from window {oldest} on, and holds none of it yet"
        if oldest > facts.header.first:
            whole += f"; the windows before {oldest} are gone"
        choices += _behind_readers(parts, facts, name) or [
            (whole, command(parts, "adopt", name, "--from", "oldest")),
            (
                f"{name} is to go on after window {newest}",
                command(parts, "adopt", name, "--from", "now"),
            ),
        ]
    return choices


def _behind_readers(parts: Parts, facts: Facts, name: str) -> list[Choice]:
    """What is left where readers have windows already that are never written again; nothing if any
    window may be."""
    free, oldest, after = free_from(parts, name), facts.oldest_begin, facts.log.newest + 1
    if free <= oldest:
        return []
    target = place_of(parts, name).target
    if free > after:
        why = f"{target} has windows up to {free - 1}, and the log ends at window {after - 1}"
        return [(f"{why}: name another place for {name}, or move away what is there", "")]
    why = f"{name} is to go on after window {free - 1}, the newest that is in {target}"
    return [(why, go_on(parts, facts, name, free))]


def go_on(parts: Parts, facts: Facts, name: str, window_id: int) -> str:
    """The command that lets sink `name` go on with a window, up to the one after the log's end."""
    word = "now" if window_id == facts.log.newest + 1 else str(window_id)
    return command(parts, "adopt", name, "--from", word)


def _outside_first(
    outside: Callable[[SinkPlace], str],
) -> Callable[[Parts, Facts, Decision], list[Choice]]:
    def choices(parts: Parts, facts: Facts, decision: Decision) -> list[Choice]:
        texts = [outside(place_of(parts, name)) for name in decision.concerned]
        return [*((text, "") for text in texts), *_again(parts, facts, decision)]

    return choices


def _ledger_lost(parts: Parts, facts: Facts, decision: Decision) -> list[Choice]:
    concerned = [sink for sink in facts.sinks if sink.name in decision.concerned]
    memories = [place_of(parts, sink.name).memory for sink in concerned]
    back = "put back, moved or from a backup,"
    choices: list[Choice] = [(f"{back} {memory}", "") for memory in dict.fromkeys(memories)]
    for sink in concerned:
        if behind := _behind_readers(parts, facts, sink.name):
            choices += behind
            continue
        now = (
            f"the target of {sink.name} holds everything up to window {facts.log.newest}",
            command(parts, "adopt", sink.name, "--from", "now"),
        )
        oldest = (
            f"the target of {sink.name} is gone or empty: replay from window {facts.oldest_begin}",
            command(parts, "adopt", sink.name, "--from", "oldest"),
        )
        choices += [now, oldest] if sink.target.exists else [oldest, now]
    return choices


def _renamed(parts: Parts, facts: Facts, decision: Decision) -> list[Choice]:
    renames = [
        (
            f"{sink.name} goes on where {other} stands",
            command(parts, "adopt", sink.name, "--renamed-from", other),
        )
        for sink in facts.sinks
        if sink.name in decision.concerned
        for other in facts.heirs(sink)
    ]
    return [*renames, *_again(parts, facts, decision)]


def _input_changed(parts: Parts, facts: Facts, decision: Decision) -> list[Choice]:
    recorded = facts.recorded_inputs()
    configured = {source.name for source in facts.inputs}
    back = "put the inputs back as they were"
    unheld = [name for name in decision.concerned if name in facts.unheld]
    if unheld:
        back += f", and run: windows are to be replayed with rows of {', '.join(unheld)}"
    choices: list[Choice] = [(back, "")]
    for name in decision.concerned:
        if name not in configured:
            if name not in unheld:
                choices.append((f"go on without {name}", command(parts, "adopt", name, "--gone")))
            continue
        if name in recorded:
            why = f"{name} is the same data in another place: keep its position"
            choices.append((why, command(parts, "adopt", name, "--from", "same")))
        if name not in unheld:
            choices += _starts(parts, name)
    return choices


def _starts(parts: Parts, name: str) -> list[Choice]:
    whys = {"beginning": "read all of", "end": "read only what is yet to come in"}
    return [
        (f"{why} {name}", command(parts, "adopt", name, "--from", to)) for to, why in whys.items()
    ]


def _memory_lost(parts: Parts, facts: Facts, decision: Decision) -> list[Choice]:
    choices: list[Choice] = [("restore the folder inputs/ of the log from a backup", "")]
    for source in (each for each in facts.inputs if each.name in decision.concerned):
        name, since = source.name, facts.header.first - 1
        if source.intact is not None:
            since = source.intact
        if source.torn and since >= facts.log.oldest - 1:
            records = " and ".join(f"inputs/{name}/{record}" for record in source.torn)
            why = "the plans since are all kept, and make it anew; nothing is read twice or lost"
            choices.insert(0, (f"remove {records} of the log: {why}", ""))
        for to, why in (("beginning", "read all again of"), ("end", "pass over what is now in")):
            choices.append((f"{why} {name}", command(parts, "reset", name, "--to", to)))
    return choices


def _state_lost(parts: Parts, facts: Facts, decision: Decision) -> list[Choice]:
    assert facts.state is not None, "it is lost"
    where, problems = facts.state.where, [one.problem for one in facts.state.checkpoints]
    back = [(f"put {where} back, moved or from a backup, or correct the path in state=", "")]
    if any("has other columns" in each or "has another key" in each for each in problems):
        back.insert(0, ("put schema= and key= of state= back as they were", ""))
    why = (
        f"the state is to be empty after window {facts.held_min}, and to grow anew from there: what"
        " sinks have stays, and rows that are made from the new state take its place"
    )
    if facts.held_min >= facts.log.oldest:
        return [*back, (why, command(parts, "adopt", "--empty-state"))]
    # That would be noted beside its plan.
    return [*back, *_new_log(parts, facts, "--empty-state", why=f"{why}, in a new log")]


CHOICES: dict[str, Callable[[Parts, Facts, Decision], list[Choice]]] = {
    "A": _log_corrupted,
    "B": _log_corrupted,
    "C": _log_mismatch,
    "T": _outside_first(lambda place: f"restore {place.target} from a backup"),
    "U": _outside_first(lambda place: "put the target and mode back as they were"),
    "V": _ledger_lost,
    "S": _renamed,
    "W": _again,
    "X": _input_changed,
    "Y": _memory_lost,
    "D": _outside_first(
        lambda place: f"restore a newer backup of {place.target}, and of {place.memory} with it"
    ),
    "Z": _state_lost,
}
