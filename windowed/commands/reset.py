"""`reset`: an input goes on somewhere else."""

from __future__ import annotations

from typing import Annotated

import typer

from windowed.commands.moving import MAY_STAND, costs, record, sought
from windowed.commands.opened import Opened, opened
from windowed.commands.proposal import Proposal, carry_out, impossible, words_of
from windowed.refusals import command

REASON = "reset --to {to}"


def reset(
    pipeline: Annotated[str, typer.Argument(metavar="MODULE:PIPELINE")],
    name: Annotated[str, typer.Argument(metavar="INPUT")],
    to: Annotated[str, typer.Option(help="beginning, end, or a position in the input's words.")],
    apply: Annotated[bool, typer.Option("--apply", help="Do it.")] = False,
) -> None:
    """Let the next window of an input start somewhere else; window numbers go on.

    It takes effect as an empty window, created exclusively: a driver that still runs is fenced by
    it, or was faster, and then nothing is changed.
    """
    words = words_of("reset", pipeline, name, to=to)
    with opened(pipeline) as look:
        _check(look, name, to, words)
        carry_out(_proposal(look, name, to), words, apply=apply)


def _check(look: Opened, name: str, to: str, words: list[str]) -> None:
    if name not in look.parts.inputs:
        known = ", ".join(look.parts.inputs)
        raise impossible(words, f"the pipeline has no input {name}", f"Its inputs are {known}.")
    standing = look.standing()
    if not standing.keys() <= MAY_STAND:
        reason = "a start is refused for another reason"
        raise impossible(words, reason, "`show` says which; decide that first.")
    if look.facts.log.newest < look.facts.header.first:
        adopt = command(look.parts, "adopt", name, "--from", to)
        remedy = f"The first run starts where the input says; to let it start there: {adopt}"
        raise impossible(words, "the log has no window yet", remedy)
    if look.facts.unheld and name not in standing.get("Y", ()):
        reason = f"window {min(look.facts.unheld.values())} is not held by every sink yet"
        raise impossible(words, reason, "Run the pipeline until nothing is left to replay.")


def _proposal(look: Opened, name: str, to: str) -> Proposal:
    seek = sought(look, name, to)
    identity = look.parts.inputs[name].identity()
    window_id = look.facts.log.newest + 1
    moved = f"input {name} goes on at {to}, by an empty window {window_id}"
    reason = REASON.format(to=to)
    lines = [moved, *costs(name, seek)]
    if look.parts.store is not None:
        lines.append("the state stays as it is: rows that are read again come to it once more")
    return Proposal(lines, lambda: record(look, name, identity, seek.end, reason))
