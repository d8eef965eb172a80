"""Bringing one folder of a log and of its mirror level: every record on both sides, none changed.

What one side deleted may come back from the other. That harms nobody: what the log lets go of is
below a mark, or older than what counts, and the name of its record is never used for another one.

Below inputs/ a name may be used anew: `adopt` and `reset` let go of what an input remembered past
the log's newest window, and a later window of that number has another memory. Where the mirror
decides, the local side therefore has there what the mirror has, and nothing else. That loses
nothing that counts: each of these records was on the mirror first, so what is not on it now has
been let go of; and a mirror that lost it, with the pairing, the headers or the newest window, is
refused before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from windowlog import codec, naming
from windowlog.contracts import Storage
from windowlog.errors import RecordExists, RecordNotFound, RecordTorn
from windowlog.memory import KIND as MEMORY

# Who reads while records arrive finds each with what it needs: notes before plans, what lets go of
# plans after them. The header last: without it a mirror that is being filled is not believed.
_ORDER = (naming.SKIPS, naming.ADOPTIONS, naming.WINDOWS, naming.INPUTS, naming.MARKS)
# The folders that every log has, in that order.
FIXED = (*(path for path in _ORDER if path != naming.INPUTS), naming.HEADERS)
# Their newest record is never deleted.
_ENDS = (naming.HEADERS, naming.WINDOWS)


class Differs(Exception):
    """Record `name` has other bytes on the other side, in `where`."""

    def __init__(self, name: str, where: str) -> None:
        super().__init__(name, where)
        self.name = name
        self.where = where


class Lacks(Exception):
    """The side that decides lacks `name`, which the other one has, and which comes after all that
    it has: it has lost records."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def put(storage: Storage, name: str, data: bytes) -> None:
    """Let `storage` have the record, durably: created now, or there already. Differs."""
    try:
        storage.create(name, data)
    except RecordExists:
        with suppress(RecordNotFound):  # it has been let go of meanwhile
            if storage.read(name) != data:
                raise Differs(name, storage.describe()) from None
            storage.sync(name)


class Folders:
    """The folders of a log, each on both sides. Touches nothing but in `level`."""

    def __init__(self, local: Storage, mirror: Storage) -> None:
        # Those of every log; those of inputs are told of by `know`.
        self._sides: dict[str, tuple[Storage, Storage]] = {
            path: (local.within(path), mirror.within(path)) for path in FIXED
        }

    def know(self, path: str, local: Storage, mirror: Storage) -> None:
        """`path` is a folder of this log."""
        self._sides.setdefault(path, (local, mirror))

    def known(self) -> list[str]:
        """All of them, in the order in which records come."""
        return sorted(self._sides, key=_rank)

    def level(
        self, paths: Sequence[str], *, mirror_decides: bool, check: Callable[[], None]
    ) -> None:
        """Bring these folders level, in this order: Differs and Lacks before the first change, and
        before that `check`, too, which says whether the mirror is still the one that was meant."""
        found = []
        for path in paths:
            local, mirror = self._sides[path]
            ours, theirs = _listed(local, mirror)
            stale = _stale(path, local, mirror, ours, theirs) if mirror_decides else set()
            _compare_newest(local, mirror, (ours & theirs) - stale)
            found.append((path, ours, theirs, stale))
        if any(stale or ours != theirs for _, ours, theirs, stale in found):
            check()
        for path, ours, theirs, stale in found:
            local, mirror = self._sides[path]
            for name in sorted(stale):
                local.delete(name, durable=False)
            _copy(mirror, local, theirs - (ours - stale))
            if not mirror_decides:
                _copy(local, mirror, ours - theirs)


def _stale(
    path: str, local: Storage, mirror: Storage, ours: set[str], theirs: set[str]
) -> set[str]:
    """What the local side lets go of, where the mirror decides. Lacks, where that has lost the
    newest record of a folder whose newest record is never deleted."""
    if path.startswith(f"{naming.INPUTS}/"):
        return (ours - theirs) | _outdated(local, mirror, ours & theirs)
    beyond = [name for name in sorted(ours - theirs) if name > max(theirs, default="")]
    if beyond and path in _ENDS:
        raise Lacks(beyond[0])
    # What lies above the mirror's oldest is no purge of its: left alone, for a person to use.
    return {name for name in ours - theirs if name < min(theirs, default="")}


def _outdated(local: Storage, mirror: Storage, both: set[str]) -> set[str]:
    """Whose name has been used anew. A record that is damaged on the mirror is not what counts."""
    found = set()
    for name in both:
        with suppress(RecordNotFound, RecordTorn):
            theirs = mirror.read(name)
            if local.read(name) != theirs:
                version = (naming.parse(name) or (0,))[0]
                codec.unframe(theirs, kind=MEMORY, record_id=version, name=name)
                found.add(name)
    return found


def _listed(local: Storage, mirror: Storage) -> tuple[set[str], set[str]]:
    """The local side first: where the mirror goes first, what is listed here is on it by then."""
    local.sync()
    ours = set(local.list())
    mirror.sync()
    return ours, set(mirror.list())


def _compare_newest(local: Storage, mirror: Storage, both: set[str]) -> None:
    """Each plan holds the digest of the one before it: where the newest are equal, all are."""
    if both:
        name = max(both)
        with suppress(RecordNotFound):
            if local.read(name) != mirror.read(name):
                raise Differs(name, mirror.describe())


def _copy(source: Storage, target: Storage, names: set[str]) -> None:
    for name in sorted(names):
        with suppress(RecordNotFound):
            put(target, name, source.read(name))


def _rank(path: str) -> tuple[int, str]:
    """When the folder `path` comes, of all folders of a log that are brought level."""
    first = path.split("/")[0]
    if first == naming.HEADERS:
        return len(_ORDER) + 1, path
    return (_ORDER.index(first) if first in _ORDER else len(_ORDER)), path
