"""To say which folder, or which mirror, belongs to a log from now on: `adopt --folder`, `adopt
--mirror`. The log itself stays as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from windowed.commands.proposal import Proposal, impossible
from windowlog import naming
from windowlog.judging import judge
from windowlog.pairing import give_up, look
from windowlog.storage.mirrored import pair_of

if TYPE_CHECKING:
    from windowed.parts import Parts
    from windowlog.contracts import Storage
    from windowlog.pairing import Side


def adopt_folder(parts: Parts, words: list[str]) -> Proposal:
    """The local folder, which must be empty, takes the place of the one that the mirror names."""
    pair = pair_of(parts.log.storage)
    if pair is None:
        raise impossible(words, "the pipeline's log has no mirror=, so nothing to go on from")
    local, mirror = pair.sides()
    theirs = mirror.pairing
    if theirs is not None and theirs.folder == local.folder:
        return Proposal([f"{local.where} is the log's folder already"], None)
    if theirs is None or theirs.required:
        raise impossible(words, "no folder counted alone: a start needs no leave", "Start the run.")
    if local.header is not None or local.pairing is not None:
        raise impossible(words, f"there is a log in {local.where}", "Move it away first.")
    end = _end(parts.log.storage.mirror)  # type: ignore[attr-defined]
    _know_inputs(parts)
    lines = [
        f"{local.where} becomes the log's folder, in the place of {theirs.place}",
        f"the log goes on from the mirror {mirror.where}, which ends at window {end}",
        "windows that the other folder counted alone, the mirror being away, are lost to the log",
        "a start refuses sinks that hold such windows, and says how to go on behind them",
        "a driver that still runs on the other folder is fenced when it sees the mirror",
    ]
    return Proposal(lines, pair.take_over)


def adopt_mirror(parts: Parts, words: list[str]) -> Proposal:
    """What `mirror=` names gets what the folder has; without it, the log has no mirror any more."""
    pair = pair_of(parts.log.storage)
    if pair is None:
        return _without(parts, words)
    local, mirror = pair.sides()
    if local.header is None:
        raise impossible(words, f"there is no log in {local.where} to fill a mirror from")
    _check_fillable(local, mirror, words)
    near, far = parts.log.storage.local, parts.log.storage.mirror  # type: ignore[attr-defined]
    if local.pairing == mirror.pairing and not _lacking(near, far):
        return Proposal([f"the mirror {mirror.where} has all of it already"], None)
    _know_inputs(parts)
    lines = [
        f"{local.where} has a log that ends at window {_end(near)}",
        f"the mirror {mirror.where} gets what it lacks of it",
    ]
    first = "do it from the folder of the machine that ran last: no other one has all that counted"
    return Proposal(lines, pair.refill, [first])


def _without(parts: Parts, words: list[str]) -> Proposal:
    storage = parts.log.storage
    side = look(storage)
    if side.pairing is None:
        raise impossible(words, "the log has no mirror, and the pipeline names none")
    lines = [
        f"the log goes on in {side.where} alone, which ends at window {_end(storage)}",
        f"{side.pairing.local} and {side.pairing.mirror} are a pair no more",
    ]
    return Proposal(lines, lambda: give_up(storage))


def _check_fillable(local: Side, mirror: Side, words: list[str]) -> None:
    if mirror.pairing is None and local.pairing is None:
        raise impossible(words, "a mirror that is new is filled by a run", "Start the run.")
    theirs = mirror.pairing
    if theirs is None:
        # An empty place, or one that was being filled: not one that another log has.
        judge(replace(local, pairing=None), mirror)
        return
    if local.gave_up(theirs) and local.same_log(mirror):
        return
    ours = local.pairing
    if ours is None or ours.pair != theirs.pair or local.number < theirs.number:
        judge(local, mirror)
        raise impossible(words, "the mirror is ahead of this folder", "Start the run.")


def _know_inputs(parts: Parts) -> None:
    for name in parts.inputs:
        parts.log.memory(name)  # so that its folder is brought level with the others


def _lacking(near: Storage, far: Storage) -> set[str]:
    folders = (naming.HEADERS, naming.WINDOWS)
    return {n for at in folders for n in {*near.within(at).list()} - {*far.within(at).list()}}


def _end(storage: Storage) -> int:
    return max(naming.attempts(storage.within(naming.WINDOWS).list()), default=0)
