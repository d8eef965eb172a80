"""To say that an input is new, reads another place, or is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windowed.commands.moving import MAY_STAND, costs, record, sought
from windowed.commands.opened import open_input
from windowed.commands.proposal import Proposal, impossible

if TYPE_CHECKING:
    from windowed.commands.opened import Opened
    from windowlog.wiring import InputIdentity

_COPIED = (
    "A copy is new to it, and would be read from its beginning. If all was read before it was"
    " copied, say --from end; to read all of it, --from beginning. Else put the input back, run"
    " until nothing is left, and then say --from end."
)


def adopt_input(look: Opened, name: str, where: str, words: list[str]) -> Proposal:
    """Input `name` reads what the pipeline says, from `where` on: same, beginning, end or a
    position in its own words."""
    identity = look.parts.inputs[name].identity()
    recorded = look.facts.recorded_inputs().get(name)
    if recorded == identity:
        if where != "same":
            sought(look, name, where)  # a place that is none is said to be none
        return Proposal([f"input {name} is what the log says; `reset` moves it"], None)
    _check(look, words)
    window_id = look.facts.log.newest + 1
    now = f"input {name} is {identity.kind} {identity.place} from window {window_id} on"
    if where == "same":
        if recorded is None:
            raise impossible(words, f"input {name} is new and has no position to keep")
        end = look.facts.positions().get(name)
        lines = [now, f"it keeps the position it had in {recorded.kind} {recorded.place}"]
        lines += _recognised(look, name, identity, words)
        # Not noted as a reset: what the input remembers must still reach up to the oldest plan.
        return Proposal(lines, lambda: record(look, name, identity, end, None))
    if recorded is not None:
        _check_held(look, name, words)
    seek = sought(look, name, where)
    reason = f"adopt --from {where}"
    return Proposal(
        [now, *costs(name, seek)], lambda: record(look, name, identity, seek.end, reason)
    )


def _recognised(look: Opened, name: str, identity: InputIdentity, words: list[str]) -> list[str]:
    """How much of what the input remembers is in the new place. To keep a position among things
    that are all strange to it would mean to read everything again."""
    count = getattr(open_input(look, name), "recognised", None)
    if count is None:
        return []
    found, known = count()
    what = f"the {known:,} {identity.kind.partition('/')[0]} that it remembers"
    if known and not found:
        raise impossible(words, f"none of {what} is in {identity.place}", _COPIED)
    lines = [f"{found:,} of {what} are there"]
    if found < known:
        lines.append("the others are gone, or copies, and the next run asks about those")
    return lines


def remove_input(look: Opened, name: str, words: list[str]) -> Proposal:
    """Input `name` is gone from the next window on."""
    if name in look.parts.inputs:
        raise impossible(words, f"input {name} is in the pipeline", "Take it out of it first.")
    recorded = look.facts.recorded_inputs().get(name)
    if recorded is None:
        return Proposal([f"the log has no input {name}"], None)
    _check(look, words)
    _check_held(look, name, words)
    lines = [f"input {name} ({recorded.kind} {recorded.place}) is gone: nothing more is read of it"]
    return Proposal(lines, lambda: record(look, name, None, None, "adopt --gone"))


def _check(look: Opened, words: list[str]) -> None:
    if not look.standing().keys() <= MAY_STAND:
        reason = "a start is refused for another reason"
        raise impossible(words, reason, "`show` says which; decide that first.")


def _check_held(look: Opened, name: str, words: list[str]) -> None:
    """What is logged and not held yet can only be read from where it was planned."""
    if name in look.facts.unheld:
        reason = f"window {look.facts.unheld[name]} has rows of {name} that some sink still lacks"
        remedy = "Put the input back as it was, and run until nothing is left to replay."
        raise impossible(words, reason, remedy)
