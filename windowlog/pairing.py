"""Which folder and which mirror are the two sides of one log: the records that say so.

    pairings/000000000000.json   on the local side only: the folder's own id
    pairings/000000000001.json   on both sides: the first pairing (the highest counts)

A pairing is created exclusively on the mirror, and then copied to the local side: whoever creates
the next one has taken over.
"""

from __future__ import annotations

import socket
import uuid
from dataclasses import dataclass, field
from typing import Any

from windowlog import codec, naming
from windowlog.contracts import Storage
from windowlog.errors import RecordExists
from windowlog.values import Json

KIND = "pairing"
_FOLDER_KIND = "folder"
_FOLDER = naming.numbered(0)


@dataclass(frozen=True, slots=True)
class Pairing:
    """From this moment on (`number`, counted from 1) `folder` and the mirror are log `pair`.

    `folder` is the id of the local folder whose driver made it: where the mirror is not `required`
    only that one may count windows alone. `local` and `mirror` say where, `host` on which machine,
    for messages. Without a `pair` the log has no mirror any more.
    """

    number: int
    pair: str
    folder: str
    required: bool
    local: str
    mirror: str
    host: str = field(default_factory=socket.gethostname)

    @property
    def place(self) -> str:
        """The folder, as a person finds it."""
        return f"{self.local} on {self.host}"

    def was_at(self, where: str) -> bool:
        """Was it made by a folder of this path, on this machine?"""
        return (self.local, self.host) == (where, socket.gethostname())

    def record(self) -> tuple[str, bytes]:
        """Its name and bytes."""
        body: dict[str, Json] = {
            "pair": self.pair,
            "folder": self.folder,
            "host": self.host,
            "required": self.required,
            "local": self.local,
            "mirror": self.mirror,
        }
        return naming.numbered(self.number), codec.encode(KIND, self.number, body)


@dataclass(frozen=True, slots=True)
class Side:
    """What one side says: its newest pairing, its own id (a local one's), name and bytes of its
    newest header, and the highest number of a pairing there."""

    where: str
    pairing: Pairing | None
    folder: str | None = None
    header: tuple[str, bytes] | None = None
    number: int = 0

    def gave_up(self, theirs: Pairing) -> bool:
        """Has this folder been a log without a mirror since the mirror's pairing `theirs`?"""
        return self.pairing is None and self.number >= theirs.number

    def same_log(self, mirror: Side) -> bool:
        """Is the mirror one that this folder, which gave it up, had?"""
        theirs = mirror.pairing
        paired = theirs is not None and theirs.folder == self.folder
        return paired or self.header == mirror.header


def look(storage: Storage) -> Side:
    """Read one side. What is there is durable before it is believed."""
    pairings, headers = storage.within(naming.PAIRINGS), storage.within(naming.HEADERS)
    pairings.sync()
    folder = _folder_in(pairings) if _FOLDER in pairings.list() else None
    found = newest_pairing(pairings)
    number = found.number if found is not None else 0
    if found is not None and not found.pair:
        found = None
    first = max(naming.attempts(headers.list()), default=None)
    header = None
    if first is not None:
        name = naming.numbered(first)
        header = name, headers.read(name)
    return Side(storage.describe(), found, folder, header, number)


def newest_pairing(pairings: Storage) -> Pairing | None:
    """The pairing that counts in this folder, None if there is none."""
    number = max(naming.attempts(pairings.list()), default=0)
    if not number:
        return None
    name = naming.numbered(number)
    body: Any = codec.decode(pairings.read(name), kind=KIND, record_id=number, name=name)
    values = {
        name: body[name] for name in ("pair", "folder", "required", "local", "mirror", "host")
    }
    return Pairing(number, **values)


def folder_id(storage: Storage) -> str:
    """The id of a local folder, which gets one if it has none."""
    pairings = storage.within(naming.PAIRINGS)
    data = codec.encode(_FOLDER_KIND, 0, {"folder": str(uuid.uuid4())})
    try:
        pairings.create(_FOLDER, data)
    except RecordExists:
        pairings.sync(_FOLDER)
    return _folder_in(pairings)


def give_up(storage: Storage) -> None:
    """From now on the log in `storage` has no mirror."""
    side = look(storage)
    name, data = Pairing(side.number + 1, "", "", False, side.where, "").record()
    storage.within(naming.PAIRINGS).create(name, data)


def _folder_in(pairings: Storage) -> str:
    body: Any = codec.decode(pairings.read(_FOLDER), kind=_FOLDER_KIND, record_id=0, name=_FOLDER)
    return str(body["folder"])
