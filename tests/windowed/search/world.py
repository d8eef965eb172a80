"""The durable world as a value, and what one step does to it. Pure functions.

A record is what readers see of it, and what a power cut may leave in its place. A step that a
driver takes in one call may be two here: a record that is being created is visible before it is
durable."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from windowed.testing.list_sink import ListStore
from windowlog.checkpoints import CHECKPOINTS
from windowlog.errors import KitError, RecordExists, RecordNotFound
from windowlog.naming import WINDOWS


@dataclass(frozen=True, slots=True)
class Record:
    """`seen` is what a reader gets (None: nothing is there), `others` what a power cut may leave
    instead."""

    seen: bytes | None
    others: frozenset[bytes | None] = frozenset()


ABSENT = Record(None)


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a ledger sink's database has. Equal when it reads the same."""

    text: str
    store: ListStore = field(compare=False)


@dataclass(frozen=True, slots=True)
class World:
    """All records by (folder, name), all ledgers by sink."""

    records: Mapping[tuple[str, str], Record] = field(default_factory=dict)
    ledgers: Mapping[str, Ledger] = field(default_factory=dict)

    def key(self) -> tuple[frozenset[Any], frozenset[Any]]:
        """Equal for equal worlds."""
        return frozenset(self.records.items()), frozenset(self.ledgers.items())

    def folder(self, folder: str) -> dict[str, bytes]:
        """Name -> bytes of what can be seen there."""
        return {
            name: record.seen
            for (at, name), record in self.records.items()
            if at == folder and record.seen is not None
        }

    def store(self, sink: str) -> ListStore:
        """A copy of a ledger sink's database."""
        ledger = self.ledgers.get(sink)
        if ledger is None:
            return ListStore()
        windows = {number: list(rows) for number, rows in ledger.store.windows.items()}
        return ListStore(windows, dict(ledger.store.memory))


@dataclass(frozen=True, slots=True)
class Action:
    """One step: a verb on a record (`begin`, `finish`, `overwrite`, `link`, `move`, `read`, `list`,
    `delete`, `sync`, `sync folder`), or `call` on the ledger of sink `place`; `name` then says all
    there is to know of it."""

    verb: str
    place: str
    name: str = ""
    data: bytes | str = b""
    call: Callable[[ListStore], object] | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.verb} {self.place} {self.name.split('(')[0]}"


def act(world: World, action: Action) -> tuple[World, object]:
    """The world after a step, and what the step returned: a KitError if that is what it raised."""
    try:
        return _VERBS[action.verb](world, action)
    except KitError as error:
        return world, error


def cut_power(world: World) -> Iterator[World]:
    """All worlds that a power cut may leave. Ledgers are databases: what they hold is durable."""
    doubtful = {at: record for at, record in world.records.items() if record.others}
    choices = [sorted({r.seen, *r.others}, key=repr) for r in doubtful.values()]
    for chosen in itertools.product(*choices):
        records = dict(world.records)
        for at, data in zip(doubtful, chosen, strict=True):
            _put(records, at, Record(data))
        yield replace(world, records=records)


def damaged(world: World) -> World | None:
    """The newest checkpoint's record is damaged; None if there is none."""
    saved = [at for at, r in world.records.items() if at[0].endswith(CHECKPOINTS) and r.seen]
    if not saved:
        return None
    return replace(world, records={**world.records, max(saved): Record(b"damaged")})


def mixed(old: World, present: World) -> Iterator[World]:
    """What a backup may bring back: everything, the log's folder, or everything but that; and
    everything but the states."""
    yield old
    if any(_is_state(folder) for folder, _ in present.records):
        others = {at: r for at, r in old.records.items() if not _is_state(at[0])}
        states = {at: r for at, r in present.records.items() if _is_state(at[0])}
        yield World({**others, **states}, old.ledgers)
    for log, sinks in ((old, present), (present, old)):
        logged = {at: r for at, r in log.records.items() if _is_log(at[0])}
        others = {at: r for at, r in sinks.records.items() if not _is_log(at[0])}
        yield World({**logged, **others}, sinks.ledgers)


def _is_log(folder: str) -> bool:
    return folder.split("/")[0] == "log"


def _is_state(folder: str) -> bool:
    return folder.split("/")[0] == "state"


def _put(records: dict[tuple[str, str], Record], at: tuple[str, str], record: Record) -> None:
    if record == ABSENT:
        records.pop(at, None)
    else:
        records[at] = record


def _become(world: World, at: tuple[str, str], *states: bytes | None) -> World:
    """The record passes through these states, none of them durable; the last one is seen."""
    old = world.records.get(at, ABSENT)
    records = dict(world.records)
    others = {old.seen, *old.others, *states} - {states[-1]}
    _put(records, at, Record(states[-1], frozenset(others)))
    return replace(world, records=records)


def _begin(world: World, action: Action) -> tuple[World, object]:
    at, data = (action.place, action.name), action.data
    assert isinstance(data, bytes), "records are bytes"
    if world.records.get(at, ABSENT).seen is not None:
        raise RecordExists(name=action.name, where=action.place)
    # Only plans and checkpoints are ever torn: a disk that lies about its order of writing is
    # theirs to survive.
    torn = [data[: len(data) // 2]] if action.place.endswith((WINDOWS, CHECKPOINTS)) else []
    return _become(world, at, *torn, data), None


def _finish(world: World, action: Action) -> tuple[World, object]:
    records = dict(world.records)
    at = action.place, action.name
    _put(records, at, Record(records.get(at, ABSENT).seen))
    return replace(world, records=records), None


def _overwrite(world: World, action: Action) -> tuple[World, object]:
    assert isinstance(action.data, bytes), "records are bytes"
    return _become(world, (action.place, action.name), action.data), None


def _link(world: World, action: Action) -> tuple[World, object]:
    target = str(action.data)
    data = _seen(world, action.place, action.name)
    if world.records.get((action.place, target), ABSENT).seen is not None:
        raise RecordExists(name=target, where=action.place)
    return _become(world, (action.place, target), data), None


def _move(world: World, action: Action) -> tuple[World, object]:
    world, _ = _finish(_link(world, action)[0], replace(action, name=str(action.data)))
    return _finish(_delete(world, action)[0], action)


def _read(world: World, action: Action) -> tuple[World, object]:
    return world, _seen(world, action.place, action.name)


def _list(world: World, action: Action) -> tuple[World, object]:
    return world, tuple(sorted(world.folder(action.place)))


def _delete(world: World, action: Action) -> tuple[World, object]:
    at = action.place, action.name
    return (_become(world, at, None) if at in world.records else world), None


def _sync(world: World, action: Action) -> tuple[World, object]:
    _seen(world, action.place, action.name)
    return _finish(world, action)


def _sync_folder(world: World, action: Action) -> tuple[World, object]:
    records = dict(world.records)
    for at, record in world.records.items():
        if at[0] == action.place and record.others:
            _put(records, at, Record(record.seen))
    return replace(world, records=records), None


def _call(world: World, action: Action) -> tuple[World, object]:
    assert action.call is not None, "a call says what to call"
    store = world.store(action.place)
    before = _text(store)
    result = action.call(store)
    text = _text(store)
    if text == before:
        return world, result
    ledgers = {**world.ledgers, action.place: Ledger(text, store)}
    return replace(world, ledgers=ledgers), result


def _text(store: ListStore) -> str:
    return repr((sorted(store.windows.items()), sorted(store.memory.items())))


def _seen(world: World, folder: str, name: str) -> bytes:
    data = world.records.get((folder, name), ABSENT).seen
    if data is None:
        raise RecordNotFound(name=name, where=folder)
    return data


_VERBS: dict[str, Callable[[World, Action], tuple[World, object]]] = {
    "begin": _begin,
    "finish": _finish,
    "overwrite": _overwrite,
    "link": _link,
    "move": _move,
    "read": _read,
    "list": _list,
    "delete": _delete,
    "sync": _sync,
    "sync folder": _sync_folder,
    "call": _call,
}
