"""What `verify` looks at where a log has a mirror: is every record that counts on both sides, and
the same?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windowlog import naming
from windowlog.errors import RecordNotFound
from windowlog.storage.mirrored import pair_of

if TYPE_CHECKING:
    from windowed.commands.opened import Opened
    from windowlog.contracts import Storage


def differences(look: Opened) -> Iterator[str]:
    """Findings; nothing where the log has no mirror."""
    storage = look.parts.log.storage
    pair = pair_of(storage)
    if pair is None:
        return
    if pair.away is not None:
        yield f"the mirror is away, and was not looked at: {pair.away}"
        return
    for path in _folders(look):
        local: Storage = storage.local  # type: ignore[attr-defined]
        mirror: Storage = storage.mirror  # type: ignore[attr-defined]
        for part in path.split("/"):
            local, mirror = local.within(part), mirror.within(part)
        yield from _folder(local, mirror, _floor(look, path, mirror))


def _folders(look: Opened) -> list[str]:
    inputs = sorted(look.parts.inputs.keys() | look.facts.recorded_inputs().keys())
    fixed = [naming.HEADERS, naming.WINDOWS, naming.MARKS, naming.SKIPS, naming.ADOPTIONS]
    return fixed + [f"{naming.INPUTS}/{name}" for name in inputs]


def _floor(look: Opened, path: str, mirror: Storage) -> int:
    """What lies below is debris: of marks, memories and headers all but the newest."""
    if path in (naming.WINDOWS, naming.SKIPS, naming.ADOPTIONS):
        return look.facts.log.mark
    return max(naming.attempts(mirror.list()), default=0)


def _folder(local: Storage, mirror: Storage, floor: int) -> Iterator[str]:
    sides = [
        {name for name in side.list() if (naming.parse(name) or (-1,))[0] >= floor}
        for side in (local, mirror)
    ]
    for only, there, lacking in (
        (sides[0] - sides[1], local, mirror),
        (sides[1] - sides[0], mirror, local),
    ):
        for name in sorted(only):
            yield f"{name} is in {there.describe()}, and not in {lacking.describe()}"
    for name in sorted(sides[0] & sides[1]):
        try:
            same = local.read(name) == mirror.read(name)
        except RecordNotFound:
            continue  # purged by a driver that runs
        if not same:
            yield f"{name} is not the same in {local.describe()} and {mirror.describe()}"
