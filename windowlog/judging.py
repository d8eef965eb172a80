"""What the two sides of a log with a mirror are to each other. Pure but for `check_alone`.

docs/mirror.md has the cases.
"""

from __future__ import annotations

from enum import Enum

from windowlog import naming
from windowlog.contracts import Storage
from windowlog.errors import (
    Fenced,
    MirrorMismatch,
    MirrorNotAdopted,
    MirrorUnnamed,
    pipeline_command,
)
from windowlog.header import read_header
from windowlog.pairing import Pairing, Side, newest_pairing

_MIRROR_COMMAND = pipeline_command("adopt", "--mirror")
_FOLDER_COMMAND = pipeline_command("adopt", "--folder")


class Meaning(Enum):
    """What two sides are to each other: both empty; a log that is to get a mirror; a folder that
    joins what the mirror has; a pair."""

    NEW = "new"
    FILL = "fill"
    JOIN = "join"
    KEPT = "kept"

    def said(self) -> str:
        """In words."""
        if self is Meaning.JOIN:
            return "the local folder is empty: the next start fills it from the mirror"
        if self is Meaning.FILL:
            return "the mirror has not got all yet: the next start fills it from the local folder"
        return "level" if self is Meaning.KEPT else "not paired yet: the first window does it"


def judge(local: Side, mirror: Side) -> Meaning:
    """What the two sides are to each other. MirrorMismatch or MirrorNotAdopted when they are not
    one log's."""
    if mirror.folder is not None and mirror.folder == local.folder:
        raise _one_place(local, mirror)
    if mirror.pairing is None:
        return _unpaired(local, mirror)
    ours, theirs = local.pairing, mirror.pairing
    if ours is not None and ours.pair != theirs.pair:
        raise _another_log(local, mirror, theirs)
    if ours is not None and ours.number > theirs.number:
        raise older_copy(local, mirror)
    if local.gave_up(theirs):
        reason = "this folder has given a mirror up, and its log may have gone on without it since"
        remedy = "Name no mirror, or an empty place; or let this one be given what it lacks."
        raise mismatch(local, mirror, reason, remedy, fill=local.same_log(mirror))
    if theirs.folder == local.folder:
        return Meaning.KEPT
    if ours is not None and ours.number < theirs.number:
        reason = f"the log has gone on from the mirror in another folder, {theirs.place}"
        raise mismatch(local, mirror, reason, _move_away(local, theirs))
    if ours is None and local.header not in (None, mirror.header):
        reason = "the folder has a log that was never a part of what the mirror has"
        raise mismatch(local, mirror, reason, _move_away(local, theirs))
    if not theirs.required:
        raise _not_adopted(local, mirror, theirs)
    return Meaning.KEPT if ours is not None else Meaning.JOIN


def _another_log(local: Side, mirror: Side, theirs: Pairing) -> MirrorMismatch:
    reason = f"the mirror is that of another log, {theirs.place}, or was filled anew from there"
    if theirs.was_at(local.where):
        reason = (
            "the mirror is that of another log, or was filled anew: from another folder, that"
            f" had this path ({theirs.place})"
        )
    remedy = f"Is mirror= right? If it was filled anew, move {local.where} away."
    return mismatch(local, mirror, reason, remedy)


def _unpaired(local: Side, mirror: Side) -> Meaning:
    if local.pairing is not None:
        reason = "the mirror has no record of this log: it is empty, not mounted, or another place"
        remedy = "Is mirror= right? If the mirror is lost, another one can be filled."
        raise mismatch(local, mirror, reason, remedy, fill=True)
    if mirror.header is None:
        return Meaning.NEW if local.header is None else Meaning.FILL
    if local.header is None:
        return Meaning.JOIN
    if local.header == mirror.header:
        return Meaning.FILL
    reason = "each has a log of its own, and these are not the same"
    raise mismatch(local, mirror, reason, "Is mirror= right? Name an empty place.")


def _one_place(local: Side, mirror: Side) -> MirrorMismatch:
    """An id is made in the folder itself, and never copied to a mirror."""
    reason = (
        "the mirror has this very folder's id: it is the same place under another name (a second"
        " mount, another name of the machine), which dies with it, or a copy of the folder"
    )
    record = f"{naming.PAIRINGS}/{naming.numbered(0)}"
    remedy = f"Name another place. In a copy, which may be a mirror, remove {record}."
    return mismatch(local, mirror, reason, remedy)


def _move_away(local: Side, theirs: Pairing) -> str:
    then = "" if theirs.required else f" and say `{_FOLDER_COMMAND}`"
    return f"To go on here, move {local.where} away{then}; else start where the log has gone on."


def mismatch(
    local: Side, mirror: Side, reason: str, remedy: str, *, fill: bool = False
) -> MirrorMismatch:
    """The error; `fill`: with the command that fills the mirror from the folder."""
    fills = ("the mirror is to get what this folder has", _MIRROR_COMMAND)
    return MirrorMismatch(
        where=local.where,
        mirror=mirror.where,
        reason=reason,
        remedy=remedy,
        choices=[fills] if fill else [],
    )


def older_copy(local: Side, mirror: Side) -> MirrorMismatch:
    """The error for a mirror that lacks what it had."""
    reason = "the mirror lacks records that counted: it is an older copy, or has lost them"
    remedy = "Restore the newest copy, or let it be given what it lacks."
    return mismatch(local, mirror, reason, remedy, fill=True)


def _not_adopted(local: Side, mirror: Side, theirs: Pairing) -> MirrorNotAdopted:
    there = f"that folder is whole: start there ({theirs.place})"
    lost = "it is lost: go on from the mirror in this one"
    owner, empty = theirs.place, local.header is None
    now = f"{local.where} is another one{', and empty' if empty else ''}"
    if theirs.was_at(local.where):
        owner = f"that was at {theirs.place}"
        now = "it is not there any more: at that path there is " + (
            "nothing" if empty else "another one now"
        )
        there = "that folder was moved, or is not mounted: put it back there, and start"
    return MirrorNotAdopted(
        mirror=mirror.where,
        owner=owner,
        now=now,
        choices=[(there, ""), (lost, _FOLDER_COMMAND)],
    )


def taken_over(local: Side, mirror: Side, evidence: str) -> Fenced:
    """The error for a driver whose pairing is not the newest any more."""
    pipeline = local.where
    header = mirror.header or local.header
    number = naming.parse(header[0]) if header is not None else None
    if header is not None and number is not None:
        pipeline = read_header(header[1], number[0]).pipeline
    return Fenced(pipeline=pipeline, evidence=evidence)


def check_alone(storage: Storage) -> None:
    """MirrorUnnamed if `storage`, opened as a log without a mirror, is one side of a pair."""
    if getattr(storage, "mirror", None) is not None:
        return
    found = newest_pairing(storage.within(naming.PAIRINGS))
    if found is not None and found.pair:
        named = f"name both: WindowLog({found.local!r}, mirror={found.mirror!r})"
        given_up = "the log is to have no mirror any more, and goes on here"
        raise MirrorUnnamed(
            where=storage.describe(),
            sides=f"{found.local} and {found.mirror}",
            choices=[(named, ""), (given_up, _MIRROR_COMMAND)],
        )
