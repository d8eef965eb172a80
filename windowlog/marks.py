"""The low-water mark: the highest record in a folder. Below it nothing is believed (I8)."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from windowlog import codec, naming
from windowlog.contracts import Storage
from windowlog.errors import RecordNotFound
from windowlog.exclusive import create_once
from windowlog.moment import format_time
from windowlog.values import Json

KIND = "mark"


class Marks:
    """The marks of a log. A new one lets go of those before it, so the listing stays small."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def newest(self, first: int) -> int:
        """The mark that counts, at least `first`: what an earlier log left in the folder lies below
        the first window of this one. One small listing."""
        return max([first, *naming.attempts(self._storage.list())])

    def create(self, floor: int) -> None:
        """Create the mark `floor`, or make the one that is there durable."""
        name = naming.numbered(floor)
        body: Json = {"at": format_time(datetime.now(UTC))}
        create_once(self._storage, name, codec.encode(KIND, floor, body))

    def advance(self, floor: int) -> int:
        """Create the mark `floor` and let go of older ones; the mark that counts then, durable.

        Nothing is changed when that is already past `floor`."""
        older = list(naming.attempts(self._storage.list()))
        if floor < max(older, default=floor):
            with suppress(RecordNotFound):  # a higher one has let go of it
                self._storage.sync(naming.numbered(max(older)))
            return max(older)
        self.create(floor)
        for mark in older:
            if mark < floor:
                self._storage.delete(naming.numbered(mark), durable=False)
        return floor
