"""The memory of a sink of files: manifests, one for each move of the memory, and a low-water mark.

    manifests/000000000003.json   the third move: whose, the window with its digest, the staged
                                  folder and its files, what all sinks of this folder hold, and the
                                  digest of manifest 2
    marks/000000000003.json       manifests up to 3 are published; below 3 none is believed (I8)

Manifests are numbered by moves, not by windows: `hold` and `adopt` both want the next number, and a
number is created exclusively, so that of two drivers one loses. The newest manifest is never
purged. After every creation and every reading the mark is read again: a driver that was paused may
create a number that was purged long ago, and finds the mark past it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from windowlog import codec, naming
from windowlog.contracts import Storage
from windowlog.errors import Fenced, RecordNotFound, RecordTorn
from windowlog.exclusive import create_exclusively
from windowlog.marks import Marks
from windowlog.values import Json
from windowlog.wiring import Held, SinkIdentity

KIND = "manifest"
# There are seldom more at a time.
KNOWN_MAX = 8


@dataclass(frozen=True, slots=True)
class StagedFile:
    """One file: its path inside the staged folder, size, rows (for csv and text its lines; None:
    nobody counts them) and what tells its bytes from others."""

    name: str
    bytes: int
    rows: int | None
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Staged:
    """A window's files under `folder`, the name of one attempt; "" where there are no rows."""

    folder: str = ""
    files: tuple[StagedFile, ...] = ()
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Rolled:
    """A roll-up. `folder` holds the twin of the published folder; the files `replaced` (paths below
    the published folder) become `files`, whose names no published file had then."""

    folder: str
    replaced: tuple[str, ...]
    files: tuple[StagedFile, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """One move. `sink` made it; `memories` is what each sink that ever wrote to this folder holds,
    under its name; `digest` that of the manifest's own bytes. A roll-up moves no memory: all hold
    what they held."""

    number: int
    pipeline: str
    sink: str
    memories: Mapping[str, Held]
    staged: Staged = field(default_factory=Staged)
    rolled: Rolled | None = None
    digest: str = ""

    @property
    def held(self) -> Held:
        """The memory that this move is about."""
        return self.memories[self.sink]


class Manifests:
    """All manifests of one folder. `fenced(evidence)` makes the error for who was overtaken."""

    def __init__(self, storage: Storage, fenced: Callable[[str], Fenced]) -> None:
        self._storage = storage
        self._records = storage.within("manifests")
        self._marks = Marks(storage.within("marks"))
        self._fenced = fenced
        # Digests of what was seen to be durable: a manifest never changes.
        self._durable: list[str] = []

    def newest(self) -> Manifest | None:
        """The newest manifest, durable; None before the first. RecordTorn if it is damaged."""
        numbers, _ = self._believed()
        return self._newest(numbers[-1]) if numbers else None

    def moves(self) -> tuple[Manifest, list[Manifest]] | None:
        """The newest manifest, and those that are not published yet, oldest first; None before the
        first. Without the windows that a person took back: who moves the memory to an earlier one
        says that the later ones are to be written again."""
        numbers, mark = self._believed()
        if not numbers:
            return None
        newest = self._newest(numbers[-1])
        found = [self.read(number) for number in numbers[:-1] if number > mark]
        unpublished = [move for move in found if move is not None]
        if newest.number > mark:
            unpublished.append(newest)
        return newest, list(_valid(unpublished))

    def _believed(self) -> tuple[list[int], int]:
        """The numbers at or above the mark, ascending, and the mark."""
        self._records.sync()
        # The mark first: what is listed after it has the newest manifest, which is never purged.
        mark = self.mark()
        numbers = [number for number in self._numbers() if number >= mark]
        if mark and not numbers:
            # Restored in part, or lost: to begin anew would publish windows a second time.
            name = naming.numbered(mark)
            raise RecordTorn(name=name, expected="the newest manifest", found="nothing")
        return numbers, mark

    def _newest(self, number: int) -> Manifest:
        found = self.read(number)
        if found is None:
            # By a roll-up, perhaps, which moves no memory and hinders no driver.
            numbers, _ = self._believed()
            found = self.read(numbers[-1])
            if found is None or found.rolled is None:
                raise self._fenced(f"manifest {number} was purged while it was read")
        return found

    def mark(self) -> int:
        """Up to this manifest everything is published; 0 before the first window."""
        return self._marks.newest(0)

    def read(self, number: int) -> Manifest | None:
        """A manifest, durable; None if it is below the mark by now, and so published long ago."""
        name = naming.numbered(number)
        try:
            data = self._records.read(name)
            if codec.digest(data) not in self._durable:
                self._records.sync(name)
                self._know(data)
        except RecordNotFound:
            if self.mark() > number:
                return None
            raise
        return _from_bytes(number, data) if self.mark() <= number else None

    def move(self, newest: Manifest | None, moved: Manifest) -> Manifest:
        """Create the manifest after `newest`, exclusively. Fenced if another driver was faster, or
        has gone past it."""
        number = 0 if newest is None else newest.number + 1
        previous = "" if newest is None else newest.digest
        data = codec.encode(KIND, number, _to_json(moved, previous))
        if not create_exclusively(self._records, naming.numbered(number), data):
            raise self._fenced(f"it has created {naming.numbered(number)} in {self.describe()}")
        self._know(data)
        mark = self.mark()
        if mark > number:
            raise self._fenced(f"the low-water mark is {mark}, past our manifest {number}")
        return _from_bytes(number, data)

    def move_past_roll_ups(self, newest: Manifest | None, moved: Manifest) -> Manifest:
        """The same, after roll-ups that came in between: they move no memory."""
        while True:
            try:
                return self.move(newest, moved)
            except Fenced:
                later = self.newest()
                if later is None or later.rolled is None or newest is None:
                    raise
                if later.number <= newest.number or later.memories != newest.memories:
                    raise
                newest = later

    def published(self, number: int) -> None:
        """Manifests up to this one are published, durably: the mark first, then older ones go."""
        reached = self._marks.advance(number)
        for older in self._numbers():
            if older < min(number, reached):
                self._records.delete(naming.numbered(older), durable=False)

    def describe(self) -> str:
        """Where they are."""
        return self._storage.describe()

    def close(self) -> None:
        """What is called next is a new start."""
        self._durable.clear()
        with suppress(Exception):
            self._storage.close()

    def _know(self, data: bytes) -> None:
        self._durable = [*self._durable[-KNOWN_MAX:], codec.digest(data)]

    def _numbers(self) -> list[int]:
        return list(naming.attempts(self._records.list()))


def _valid(moves: list[Manifest]) -> Iterator[Manifest]:
    for at, move in enumerate(moves):
        window_id = move.held.window_id
        taken_back = any(later.held.window_id < window_id for later in moves[at + 1 :])
        # A roll-up is always looked at: nobody may do it later.
        if move.rolled is not None or not taken_back:
            yield move


def _to_json(manifest: Manifest, previous: str) -> dict[str, Json]:
    staged = manifest.staged
    body: dict[str, Json] = {
        "pipeline": manifest.pipeline,
        "sink": manifest.sink,
        "memories": {name: _held_to_json(held) for name, held in manifest.memories.items()},
        "folder": staged.folder,
        "files": _files_to_json(staged.files),
        "rows": staged.rows,
        "previous": previous,
    }
    if manifest.rolled is not None:
        body["rolled"] = _rolled_to_json(manifest.rolled)
    return body


def _files_to_json(files: tuple[StagedFile, ...]) -> list[Json]:
    return [[f.name, f.bytes, f.rows, f.fingerprint] for f in files]


def _rolled_to_json(rolled: Rolled) -> Json:
    return {
        "folder": rolled.folder,
        "replaced": list(rolled.replaced),
        "files": _files_to_json(rolled.files),
    }


def _from_bytes(number: int, data: bytes) -> Manifest:
    name = naming.numbered(number)
    body: Any = codec.decode(data, kind=KIND, record_id=number, name=name)
    return Manifest(
        number,
        body["pipeline"],
        body["sink"],
        {sink: _held(memory) for sink, memory in body["memories"].items()},
        Staged(body["folder"], _files(body["files"]), body["rows"]),
        _rolled(body["rolled"]) if "rolled" in body else None,
        codec.digest(data),
    )


def _files(body: Any) -> tuple[StagedFile, ...]:
    return tuple(StagedFile(*file) for file in body)


def _rolled(body: Any) -> Rolled:
    return Rolled(body["folder"], tuple(body["replaced"]), _files(body["files"]))


def _held_to_json(held: Held) -> Json:
    return {
        "log": held.log_id,
        "window": held.window_id,
        "digest": held.digest,
        "run": held.run_id,
        "target": held.identity.target,
        "mode": held.identity.mode,
        "positions": dict(held.positions),
        "skips": held.skips,
    }


def _held(body: Any) -> Held:
    return Held(
        body["log"],
        body["window"],
        body["digest"],
        body["run"],
        SinkIdentity(body["target"], body["mode"]),
        body["positions"],
        body["skips"],
    )
