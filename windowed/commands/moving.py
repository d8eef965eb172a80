"""An input that goes on somewhere else: an empty window that says so, and the reason beside it.

The window is created exclusively. It is therefore the moment of the decision, and a driver that
still runs is fenced: it cannot log a window that does not know of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from windowed import opening
from windowed.commands.opened import open_input
from windowed.wording import counted
from windowlog.errors import Fenced
from windowlog.values import Plan
from windowlog.window import Draft
from windowlog.wiring import Adoption

if TYPE_CHECKING:
    from windowed.commands.opened import Opened
    from windowlog.values import Json, Seek
    from windowlog.wiring import InputIdentity

# Rows that may stand while an input is moved: those that moving it answers, and one about sinks
# only. All others come first.
MAY_STAND = frozenset("XYD")


def sought(look: Opened, name: str, to: str) -> Seek:
    """Where `to` leads for input `name`, from where it stands. BadArgument if nowhere."""
    source = open_input(look, name)
    return source.seek(to, look.facts.positions().get(name))


def costs(name: str, seek: Seek) -> list[str]:
    """What a seek costs, in words."""
    lines = []
    for count, what in ((seek.again, "read again"), (seek.passed_over, "passed over, never read")):
        if count is None:
            lines.append(f"input {name}: it cannot be known how many records are {what}")
        elif count:
            verb = "is" if count == 1 else "are"
            lines.append(f"input {name}: {counted(count, 'record')} {verb} {what}")
    return lines or [f"input {name}: no record is read again or passed over"]


def record(
    look: Opened, name: str, identity: InputIdentity | None, end: Json, reason: str | None
) -> None:
    """Log the empty window in which input `name` becomes `identity` (None: is gone) at `end`.

    With a `reason` the decision is noted beside it: the input's memory need not reach further back.
    Fenced when another driver has logged a window meanwhile; nothing that counts was changed
    then."""
    facts = look.facts
    inputs = facts.recorded_inputs()
    positions = facts.positions()
    if facts.log.newest < facts.header.first:
        # The first window of all: it names every input, and what comes before it is a run's.
        opening.enrol(look.parts, facts, look.run_id)
        inputs = {known: source.identity() for known, source in look.parts.inputs.items()}
    if identity is None:
        inputs.pop(name, None)
    else:
        inputs[name] = identity
        positions[name] = end
    _forget_beyond(look, {name, *inputs})
    window = look.parts.log.append(
        Draft(
            window_id=facts.log.newest + 1,
            planned_at=datetime.now(UTC),
            plans={known: Plan((), positions.get(known)) for known in inputs},
            inputs=inputs,
            sinks={sink.name: sink.identity for sink in facts.sinks},
            run_id=look.run_id,
        )
    )
    if reason is not None:
        look.parts.log.notes.adopt(Adoption(window.id, name, identity, end, reason))


def _forget_beyond(look: Opened, names: Iterable[str]) -> None:
    """Let go of what inputs remember past the log's newest window: the log was restored from an
    older backup, and inputs/ was not. Fenced.

    All inputs, and before that window's number is given anew: what is remembered of the other
    window would count as this one's. A driver that dies in between leaves the log as it was, with
    memories that are its own."""
    log, newest = look.parts.log, look.facts.log.newest
    beyond = {name: log.memory(name).beyond(newest) for name in sorted(names)}
    # A memory comes after its window: one that was seen, and whose window is not here after that,
    # is of no driver that is alive.
    if any(beyond.values()) and log.scan().newest != newest:
        evidence = f"it has logged a window after {newest}"
        raise Fenced(pipeline=look.parts.pipeline, evidence=evidence)
    for name, versions in beyond.items():
        log.memory(name).forget(versions)
