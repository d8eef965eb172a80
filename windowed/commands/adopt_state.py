"""What becomes of the state where it is lost, or the log is: it begins anew, without a row; or its
checkpoint is handed on to the log that takes over."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from windowed.commands.proposal import Proposal, impossible
from windowed.refusals import command
from windowlog.state_store import STATE, Checkpoint, StateContext
from windowlog.wiring import Adoption, Header, Held, InputIdentity

if TYPE_CHECKING:
    from windowed.commands.opened import Opened
    from windowed.parts import Parts
    from windowed.state_facts import StateFacts

REASON = "adopt --empty-state"
STAYS = (
    "what sinks have stays: a total that is made from now on counts from here, and takes the place"
    " of the one before where the sink writes over it"
)


def adopt_empty_state(look: Opened, words: list[str]) -> Proposal:
    """The state is empty after the window that every sink holds."""
    facts, standing = look.facts, look.standing()
    if facts.state is None:
        raise impossible(words, "the pipeline has no state=")
    if "Z" not in standing:
        if facts.start in facts.state.emptied:
            said = f"the state is empty after window {facts.start} already"
            return Proposal([said], None)
        reason = "a start finds the state, or can make it anew"
        raise impossible(words, reason, "See `show`.")
    if standing.keys() != {"Z"}:
        reason = "a start is refused for another reason too"
        raise impossible(words, reason, "`show` says which; decide that first.")
    window_id = facts.held_min
    if window_id < facts.log.oldest:
        remedy = "Begin a new log: `adopt --log --empty-state`."
        raise impossible(words, f"the plan of window {window_id} is purged", remedy)
    again = command(look.parts, "reset", "INPUT", "--to", "beginning")
    lines = [
        f"the state has no row after window {window_id}, and grows anew from there",
        _left(facts.state, window_id),
        STAYS,
        f"to build all anew, in sinks that write over: then, before a run, {again} for each input",
    ]
    return Proposal(lines, partial(_empty, look, facts.state, window_id))


def _empty(look: Opened, state: StateFacts, window_id: int) -> None:
    """Later checkpoints first: as soon as the sinks hold their windows again, they would be taken
    for those of the state that grows anew."""
    newest = max((one.window_id for one in state.checkpoints), default=0)
    if newest > window_id and look.parts.store is not None:
        look.parts.store.let_go(newest + 1)
    note = Adoption(window_id, STATE, InputIdentity(STATE, "empty"), None, REASON)
    look.parts.log.notes.adopt(note)


def _left(state: StateFacts, window_id: int) -> str:
    later = sorted({c.window_id for c in state.checkpoints if c.window_id > window_id})
    if not later:
        return f"what is left in {state.where} stays, and is not used"
    those = f"window{'s' * (len(later) > 1)} {', '.join(map(str, later))}"
    return f"the checkpoints in {state.where} go: those of {those} are of the state before"


def handed_on(
    parts: Parts, held: Mapping[str, Held | None], run_id: str, words: list[str]
) -> Checkpoint | None:
    """The state's checkpoint that belongs to what the sinks hold; None for a pipeline without
    state. Refused where there is none."""
    if parts.store is None:
        return None
    newest = max((h for h in held.values() if h), key=lambda h: h.window_id, default=None)
    if newest is not None:
        parts.store.close()
        parts.store.open(StateContext(None, parts.pipeline, newest.log_id, run_id))
        for one in reversed(parts.store.checkpoints()):
            ours = (one.window_id, one.digest) == (newest.window_id, newest.digest)
            if ours and not one.problem:
                return one
    window = f"window {newest.window_id}" if newest is not None else "any window"
    reason = f"there is no checkpoint of the state after {window}, which the sinks hold"
    remedy = (
        f"Put a copy of {parts.store.describe()} back that has it; or add --empty-state: the state"
        " grows anew from there, and what the sinks have stays."
    )
    raise impossible(words, reason, remedy)


def hand_on(parts: Parts, checkpoint: Checkpoint | None, header: Header) -> None:
    """Before the new log exists: its state does."""
    if checkpoint is not None:
        assert parts.store is not None, "it was found there"
        parts.store.hand_on(checkpoint, header.log_id, header.first - 1, header.digest)
