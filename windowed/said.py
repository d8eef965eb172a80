"""What a refusal says of the facts, in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windowed.facts import Facts, SinkFacts
    from windowed.parts import Parts
    from windowed.recovery import Decision
    from windowlog.state_store import Checkpoint


def position(facts: Facts, sink: SinkFacts) -> str:
    """Where a sink stands, and what is odd about it."""
    if sink.held is None:
        return f"sink {sink.name} remembers no window"
    known = facts.digests.get(sink.held.window_id)
    text = f"sink {sink.name} holds window {sink.held.window_id}"
    if sink.held.log_id != facts.header.log_id:
        this = f" (this log is {facts.header.log_id})" if facts.header.exists else ""
        return f"{text} of log {sink.held.log_id}{this}"
    if known is not None and known != sink.held.digest:
        return f"{text} with other contents (digest {sink.held.digest[:12]}, not {known[:12]})"
    return text


def named(what: str, names: Sequence[str]) -> str:
    """`sink a`, `sinks a, b`."""
    return f"{what}{'s' if len(names) > 1 else ''} {', '.join(names)}"


def log_ends(parts: Parts, facts: Facts) -> str:
    """Where the log ends."""
    where = parts.log.describe()
    if not facts.header.exists:
        return f"there is no log in {where}"
    return f"the log {where} ends at window {facts.log.newest}"


def arrival(sink: SinkFacts) -> str:
    """How a sink came to be here."""
    if sink.held is None:
        return f"sink {sink.name} is new"
    return f"sink {sink.name} is back (it left at window {sink.held.window_id})"


def changes(facts: Facts, decision: Decision) -> list[str]:
    """What differs between what is recorded and what the pipeline says."""
    changes = []
    for sink in facts.sinks:
        if decision.row.letter == "U" and sink.name in decision.concerned and sink.held:
            old, new = sink.held.identity, sink.identity
            changes.append(
                f"sink {sink.name} wrote to {old.target} ({old.mode}), and is now to write"
                f" to {new.target} ({new.mode})"
            )
    if decision.row.letter == "X":
        recorded = facts.recorded_inputs()
        configured = {source.name: source.identity for source in facts.inputs}
        for name in decision.concerned:
            old_place, new_place = recorded.get(name), configured.get(name)
            if old_place is None and new_place is not None:
                changes.append(f"input {name} ({new_place.kind} {new_place.place}) is new")
            elif new_place is None and old_place is not None:
                changes.append(f"input {name} ({old_place.kind} {old_place.place}) is gone")
            elif old_place is not None and new_place is not None:
                changes.append(
                    f"input {name} read {old_place.kind} {old_place.place}, and is now to read"
                    f" {new_place.kind} {new_place.place}"
                )
    return changes


def checkpoints(facts: Facts) -> str:
    """Which checkpoints there are of the state, and why none of them can be used."""
    if facts.state is None:
        return ""
    if not facts.state.checkpoints:
        return f"there is no checkpoint of this log in {facts.state.where}"
    texts = [f"{_of_window(one.window_id)} {_why(facts, one)}" for one in facts.state.checkpoints]
    return f"no checkpoint in {facts.state.where} can be used ({'; '.join(texts)})"


def _of_window(window_id: int) -> str:
    """Which checkpoint it is."""
    return f"that of window {window_id}"


def _why(facts: Facts, one: Checkpoint) -> str:
    if one.problem:
        return one.problem
    if one.window_id > facts.held_min:
        return "is newer than what every sink holds"
    if one.window_id < facts.log.oldest - 1:
        return "is older than the plans that are kept"
    return "is of another window of that number than the log has"
