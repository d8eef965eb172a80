"""What must be true of every world that machines and a mirror can come to."""

from __future__ import annotations

from tests.windowed.search.world import World
from windowlog import codec, naming

FAR = "far"
COUNTED = "counted"
LOST = ("weather", "lost")


def broken(world: World, may_lose: str, *, adopts: bool) -> str | None:
    """What is not true of this world, and must be of every one; None: nothing. `may_lose` is the
    machine that may have lost its folder; `adopts`: somebody was told to go on from the mirror, so
    what counts alone may be lost to that one."""
    counted = [name.split(" ") for name in world.folder(COUNTED)]
    by_window: dict[str, set[str]] = {}
    for window_id, digest, _, how in counted:
        if how == "both" or not adopts:
            by_window.setdefault(window_id, set()).add(digest)
    for window_id, digests in by_window.items():
        if len(digests) > 1:
            return f"two windows {window_id} count"
    lost = LOST in world.records
    for window_id, digest, machine, how in counted:
        here = _digest(world, machine, int(window_id)) == digest
        if not here and not (lost and machine == may_lose):
            return f"window {window_id} counts on {machine}, and its folder lacks it"
        there = _digest(world, FAR, int(window_id))
        if how == "both" and there != digest:
            return f"window {window_id} counts on {machine}, and the mirror lacks it"
        if there not in (None, digest) and not adopts:
            return f"window {window_id} counts on {machine} alone, and the mirror has another"
    return None


def _digest(world: World, side: str, window_id: int) -> str | None:
    data = world.folder(f"{side}/{naming.WINDOWS}").get(naming.numbered(window_id))
    return codec.digest(data) if data is not None else None
