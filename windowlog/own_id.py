"""The id of a log's local folder, which its mirror has not."""

from __future__ import annotations

from dataclasses import replace

from windowlog import naming
from windowlog.contracts import Storage
from windowlog.judging import judge
from windowlog.pairing import Side, folder_id, look

_NAME = naming.numbered(0)


def own_id(local: Storage, mirror: Storage, before: Side) -> str:
    """The folder's id; made, if it had none `before`: one that it had was judged. MirrorMismatch if
    the mirror has got it, too: then both are one place, and nothing is left behind there."""
    found = folder_id(local)
    if before.folder is None and _NAME in mirror.within(naming.PAIRINGS).list():
        theirs = look(mirror)
        if theirs.folder == found:
            local.within(naming.PAIRINGS).delete(_NAME)
            judge(replace(before, folder=found), theirs)
    return found
