"""`skip`: to do without parts of one input's plan, so that a window can be held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from windowed.commands.opened import LOG_ROWS, Opened, opened
from windowed.commands.proposal import Proposal, carry_out, impossible, windows_text, words_of
from windowed.wording import counted
from windowlog.values import Skip

if TYPE_CHECKING:
    from windowlog.values import Part, Plan

PARTS_SHOWN = 5


def skip(
    pipeline: Annotated[str, typer.Argument(metavar="MODULE:PIPELINE")],
    window: Annotated[
        int, typer.Argument(metavar="WINDOW", help="The window that cannot be held.")
    ],
    name: Annotated[str, typer.Argument(metavar="INPUT")],
    part: Annotated[
        list[str],
        typer.Option(help="The part's id, as an error names it; may be said several times."),
    ],
    reason: Annotated[str, typer.Option(help="Why; it stays beside the plan.")],
    apply: Annotated[bool, typer.Option("--apply", help="Do it.")] = False,
) -> None:
    """Do without parts of one input's plan: those records are given up.

    The plan never changes; each permission is a record of its own beside it, created exclusively.
    A driver that is working on this window still reads it with the parts: stop it first.
    """
    words = words_of("skip", pipeline, str(window), name, part=part, reason=reason)
    with opened(pipeline) as look:
        carry_out(_proposal(look, window, name, part, reason, words), words, apply=apply)


def _proposal(
    look: Opened, window_id: int, name: str, part_ids: list[str], reason: str, words: list[str]
) -> Proposal:
    plan = _plan(look, window_id, name, words)
    present = {other.part for other in look.parts.log.notes.skips(window_id) if other.input == name}
    lines, wanted = list[str](), list[Skip]()
    for part_id in dict.fromkeys(part_ids):
        amount = amount_named(look, plan, name, part_id)
        if amount is None:
            which = "that" if len(part_ids) == 1 else part_id
            raise impossible(words, f"{which} is no part of window {window_id}", _parts_text(plan))
        if part_id in present:
            lines.append(f"part {part_id} of window {window_id} is skipped already")
        else:
            without = f"window {window_id} is read without part {part_id} of input {name}"
            lines.append(f"{without}: {amount}")
            wanted.append(Skip(window_id, name, part_id, amount, reason))
    if not reason.strip():
        raise impossible(words, "a reason is wanted", "It stays beside the plan.")
    if not wanted:
        return Proposal(lines, None)
    what, them = ("that part", "it") if len(wanted) == 1 else ("those parts", "them")
    lines += [
        f"sink {sink.name} holds this window already, with {what}: the others will lack {them}"
        for sink in look.facts.sinks
        if sink.held is not None and sink.held.window_id >= window_id
    ]
    return Proposal(lines, lambda: _note(look, wanted))


def amount_named(look: Opened, plan: Plan, name: str, part_id: str) -> str | None:
    """How much a skip of that name gives up; None if it names nothing. An input may know names for
    pieces of its parts."""
    piece = getattr(look.parts.inputs.get(name), "piece", None)
    if piece is not None:
        known: str | None = piece(plan, part_id)
        return known
    part = next((part for part in plan.parts if part.id == part_id), None)
    return amount_of(part, plan) if part is not None else None


def _note(look: Opened, wanted: list[Skip]) -> None:
    for one in wanted:
        look.parts.log.notes.skip(one)


def _plan(look: Opened, window_id: int, name: str, words: list[str]) -> Plan:
    if not look.standing().keys().isdisjoint(LOG_ROWS):
        raise impossible(words, "the log is not whole, or not this pipeline's", "See `show`.")
    log = look.facts.log
    if not log.oldest <= window_id <= log.newest:
        kept = windows_text(log.oldest, log.newest)
        raise impossible(words, f"the log does not have window {window_id}", f"It keeps {kept}.")
    if look.facts.start >= window_id:
        raise impossible(words, f"every sink holds window {window_id}: nothing reads it again")
    plan = look.window(window_id).plans.get(name)
    if plan is None:
        raise impossible(words, f"window {window_id} has no input {name}")
    return plan


def _parts_text(plan: Plan) -> str:
    names = [part.id for part in plan.parts[:PARTS_SHOWN]]
    more = len(plan.parts) - len(names)
    rest = f" and {more} more" if more else ""
    return f"Its parts are {', '.join(names)}{rest}." if names else "Its plan is empty."


def amount_of(part: Part, plan: Plan) -> str:
    """How much a part is, in words, as far as its plan says it.

    Ranges with `start` and `end` are in the unit whose total over the plan they add up to."""
    sizes = {other.id: _range(other) for other in plan.parts}
    total = sum(size for size in sizes.values() if size is not None)
    for unit, planned in (("byte", plan.bytes), ("record", plan.records)):
        if planned is None:
            continue
        if len(plan.parts) == 1:
            return counted(planned, unit)
        size = sizes[part.id]
        if size is not None and None not in sizes.values() and total == planned:
            return counted(size, unit)
    return f"1 of {len(plan.parts)} parts"


def _range(part: Part) -> int | None:
    start, end = part.detail.get("start"), part.detail.get("end")
    return end - start if isinstance(start, int) and isinstance(end, int) else None
