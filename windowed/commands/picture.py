"""A pipeline's positions as plain values: what `show` prints, as tables or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from windowed.commands.proposal import windows_text
from windowed.recovery import Decision, decide
from windowed.refusals import refusal
from windowed.told import place_of
from windowlog.errors import RecordNotFound, RecordTorn
from windowlog.moment import format_time
from windowlog.storage.mirrored import pair_of

if TYPE_CHECKING:
    from windowed.commands.opened import Opened
    from windowed.facts import InputFacts, SinkFacts
    from windowed.parts import Parts
    from windowlog.contracts import Storage
    from windowlog.errors import KitError
    from windowlog.values import Json


# What a start answers that is not refused.
GOES_ON = ("plan", "replay")


def unopened(parts: Parts, error: KitError) -> dict[str, Any]:
    """What is said where a start would be refused before it could look at windows."""
    return {
        "pipeline": parts.pipeline,
        "start": _refused(None, error),
        "folder": getattr(parts.log.storage, "folder", parts.log.describe()),
        "log": {"where": parts.log.describe()},
        "inputs": [],
        "sinks": [],
        "windows": [],
    }


def picture(look: Opened, window_count: int) -> dict[str, Any]:
    """Everything that `show` says, with at most so many of the newest windows. Only JSON values."""
    facts = look.facts
    return {
        "pipeline": look.parts.pipeline,
        "start": _start(look, decide(facts)),
        "folder": getattr(look.parts.log.storage, "folder", look.parts.log.describe()),
        "log": {
            "where": look.parts.log.describe(),
            **_mirror(look.parts.log.storage),
            "id": facts.header.log_id if facts.header.exists else None,
            "first": facts.header.first,
            "mark": facts.log.mark,
            "oldest": facts.log.oldest,
            "newest": facts.log.newest,
            "torn": facts.log.newest + 1 if facts.log.torn else None,
            "damaged": list(facts.log.damaged),
        },
        "inputs": [_input(look, source) for source in facts.inputs],
        "sinks": [_sink(look, sink) for sink in facts.sinks],
        **_state(look),
        "windows": [_window(look, window_id) for window_id in _newest(look, window_count)],
    }


def _mirror(storage: Storage) -> dict[str, str]:
    pair = pair_of(storage)
    if pair is None:
        return {}
    choice = "required" if getattr(storage, "required", True) else "not required"
    return {"mirror": f"{choice}, {pair.standing()}"}


def _refused(row: str | None, error: KitError) -> dict[str, Any]:
    choices = [{"why": why, "command": command or None} for why, command in error.choices]
    return {"row": row, "answer": type(error).__name__, "text": str(error), "choices": choices}


def _start(look: Opened, decision: Decision) -> dict[str, Any]:
    facts = look.facts
    if decision.refused:
        return _refused(decision.row.letter, refusal(look.parts, facts, decision))
    if decision.replay:
        windows = windows_text(decision.replay[0], decision.replay[-1])
        text = f"replays {windows}, then goes on with window {facts.log.newest + 1}"
        return {"row": decision.row.letter, "answer": "replay", "text": text, "choices": []}
    begins = "begins with" if facts.log.newest < facts.header.first else "goes on with"
    text = f"{begins} window {facts.log.newest + 1}"
    return {"row": decision.row.letter, "answer": "plan", "text": text, "choices": []}


def _standing(look: Opened, name: str, position: Json) -> str | None:
    """The position in the input's own words, if it has any, and is still of that kind."""
    source, recorded = look.parts.inputs.get(name), look.facts.recorded_inputs().get(name)
    tell = getattr(source, "standing", None)
    if source is None or tell is None or recorded is None or position is None:
        return None
    return str(tell(position)) if recorded.kind == source.identity().kind else None


def _input(look: Opened, source: InputFacts) -> dict[str, Any]:
    position = look.facts.positions().get(source.name)
    return {
        "name": source.name,
        "kind": source.identity.kind,
        "place": source.identity.place,
        "position": position,
        "standing": _standing(look, source.name, position),
        "memory": source.memory,
    }


def _sink(look: Opened, sink: SinkFacts) -> dict[str, Any]:
    held, place = sink.held, place_of(look.parts, sink.name)
    return {
        "name": sink.name,
        "target": sink.identity.target,
        "where": place.target,
        "memory": place.memory,
        "mode": sink.identity.mode,
        "exists": sink.target.exists,
        "window": None if held is None else held.window_id,
        "log": None if held is None else held.log_id,
        "run": None if held is None else held.run_id,
        "held_target": None if held is None else held.identity.target,
        "held_mode": None if held is None else held.identity.mode,
    }


def _state(look: Opened) -> dict[str, Any]:
    """Nothing for a pipeline without state."""
    state = look.facts.state
    if state is None:
        return {}
    usable = {point.window_id: point for point in look.facts.restarts()}
    said = [
        {
            "window": one.window_id,
            "rows": one.rows,
            "problem": one.problem or None,
            "usable": one.window_id in usable and usable[one.window_id].checkpoint == one,
        }
        for one in state.checkpoints
    ]
    known = max(usable, default=None)
    return {"state": {"where": state.where, "known_after": known, "checkpoints": said}}


def _newest(look: Opened, count: int) -> list[int]:
    log = look.facts.log
    return list(range(log.newest, max(log.oldest, log.newest - count + 1) - 1, -1))


def _window(look: Opened, window_id: int) -> dict[str, Any]:
    try:
        window = look.window(window_id)
    except (RecordNotFound, RecordTorn) as error:
        return {"id": window_id, "damaged": str(error)}
    plans = {
        name: {"parts": len(plan.parts), "bytes": plan.bytes, "records": plan.records}
        for name, plan in window.plans.items()
    }
    skips = [f"{skip.input} {skip.part}" for skip in window.skips]
    moment = format_time(window.planned_at)
    return {"id": window_id, "planned_at": moment, "plans": plans, "skips": skips}
