"""MirroredStorage: the records of a log on two sides, a local one and its mirror.

    create, required      mirror (exclusive: it decides), look at the pairings, local
    create, not required  local (exclusive: it decides), look at the pairings, mirror, look again
    delete                mirror, local
    sync                  what one side lacks is brought from the other, before it is believed

A verb returns when both sides have its effect, or, where the mirror is not required and away, the
local one. docs/mirror.md has the cases; `Pair` what all folders of a log share.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable

from windowlog.contracts import Storage
from windowlog.errors import BadArgument, RecordNotFound
from windowlog.storage.far import FarStorage
from windowlog.storage.level import put
from windowlog.storage.names import check_name
from windowlog.storage.pair import Pair


class MirroredStorage:
    """Records in `local` and in `mirror`, any two storages. Obeys `Storage`; use from one thread.

    `required`: every record that counts is on both sides, and while the mirror is away nothing
    goes on. Not required: it goes on in `local`, with a warning (MirrorAway); nothing is deleted
    then, and what the mirror lacks it gets when it is back. Touches nothing on construction. Raises
    what the two raise, MirrorMismatch and MirrorNotAdopted when they are not one log's, and Fenced
    when another folder or mirror has been adopted since.
    """

    def __init__(
        self,
        local: Storage,
        mirror: Storage,
        *,
        required: bool = True,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        if _overlap(local.describe(), mirror.describe()):
            allowed = "another place than the log's own, not in it, which dies with something else"
            raise BadArgument(argument="mirror", value=mirror.describe(), allowed=allowed)
        self.local: Storage = local
        self.mirror: Storage = FarStorage(mirror)
        self.required = required
        self.pair = Pair(local, self.mirror, required, clock_s)
        self._path = ""
        self.pair.know("", self.local, self.mirror)

    @property
    def folder(self) -> str:
        """The local side's, if that has one."""
        return str(self.local.folder)  # type: ignore[attr-defined]

    def begin(self) -> None:
        """Before the first change: both sides level, and known to be one log's. Repeatable."""
        self.pair.begin()

    def read(self, name: str) -> bytes:
        """All bytes of a record. RecordNotFound if there is none."""
        return self._believed().read(name)

    def create(self, name: str, data: bytes) -> None:
        """Create a record, on both sides. RecordExists if the name is taken."""
        check_name(name)
        self.pair.begin()
        if self.pair.mirror_decides:
            self.mirror.create(name, data)
            # A mount point that nothing is mounted on takes records too: nothing of them is to be
            # here, or this side is ahead when the mirror is back.
            self.pair.check()
            with self.pair.explaining():
                put(self.local, name, data)
        else:
            reachable = self.pair.reachable()
            self.local.create(name, data)
            if reachable:
                self._offer(name, data)
            self.pair.check()

    def _offer(self, name: str, data: bytes) -> None:
        # A driver that was paused since may have been replaced: what it puts on the mirror then is
        # in the way of the one that goes on. If that one is here, it finds this record here, and
        # must find it there.
        self.pair.check(elsewhere=True)
        if self.pair.away is None:
            with self.pair.explaining(), self.pair.outages():
                put(self.mirror, name, data)

    def list(self) -> list[str]:
        """Names of the records, of the side that decides."""
        return self._believed().list()

    def rename(self, source: str, target: str) -> None:
        """Move a record to a free name, on both sides. Not while the mirror is away."""
        check_name(source)
        check_name(target)
        self.pair.begin()
        if not self.pair.reachable():
            raise self.pair.away_error()
        first, second = self._in_order()
        data = first.read(source)
        first.rename(source, target)
        with self.pair.explaining():
            put(second, target, data)
        second.delete(source)

    def delete(self, name: str, *, durable: bool = True) -> None:
        """Remove a record from both sides. While the mirror is away: not at all, and an error if
        it was to be durable."""
        check_name(name)
        self.pair.start()
        if self.pair.reachable():
            with self.pair.outages():
                self.mirror.delete(name, durable=durable)
        if self.pair.away is None:
            self.local.delete(name, durable=durable)
        elif durable:
            raise self.pair.away_error()

    def sync(self, name: str | None = None) -> None:
        """Make durable, and bring to both sides, what another process may have left half way."""
        levels = self.pair.kept and self.pair.reachable()
        if name is not None or not levels:
            self._believed().sync(name)
        if levels and (name is None or not self._follows(name)):
            self.pair.level(self._path)

    def within(self, folder: str) -> MirroredStorage:
        """The storage of a sub-folder, on both sides."""
        check_name(folder, "folder")
        inner = copy.copy(self)
        inner.local, inner.mirror = self.local.within(folder), self.mirror.within(folder)
        inner._path = f"{self._path}/{folder}".lstrip("/")
        inner.pair.know(inner._path, inner.local, inner.mirror)
        return inner

    def describe(self) -> str:
        """Both sides."""
        return f"{self.local.describe()} (mirror {self.mirror.describe()})"

    def close(self) -> None:
        """Let go of both sides. What is called next is a new start: it looks at both anew."""
        self.pair.close()

    def _believed(self) -> Storage:
        return self.mirror if self.pair.mirror_decides else self.local

    def _in_order(self) -> tuple[Storage, Storage]:
        decides = self.pair.mirror_decides
        return (self.mirror, self.local) if decides else (self.local, self.mirror)

    def _follows(self, name: str) -> bool:
        """Does the other side have this record too, durably?"""
        try:
            with self.pair.outages():
                self._in_order()[1].sync(name)
        except RecordNotFound:
            return False
        return True


def _overlap(one: str, other: str) -> bool:
    """Is one of two places the other, or in it? A folder of this machine may be reached by links,
    too."""
    if one.startswith("/") and other.startswith("/"):
        one, other = os.path.realpath(one), os.path.realpath(other)
    one, other = f"{one.rstrip('/')}/", f"{other.rstrip('/')}/"
    return one.startswith(other) or other.startswith(one)


def pair_of(storage: object) -> Pair | None:
    """What the two sides of this storage share; None if it has one side only. A storage that
    another stands in front of is meant, too."""
    pair = getattr(storage, "pair", None)
    return pair if isinstance(pair, Pair) else None
