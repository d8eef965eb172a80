"""A sink of files in small: rows are staged, an exclusive manifest holds them, `committed`
publishes.

    manifests/000000000003.json   the third move of this sink's memory: log id, window, its digest,
                                  run, identity, and the digest of manifest 2
    marks/000000000003.json       below it no manifest is believed, and none published (I8)
    files/000000000003.<run>      rows of window 3, staged by that run
    files/000000000003            the same rows, published

Manifests are numbered by moves, not by windows: `hold` and `adopt` both want the next number, so
one of them loses. Without adoptions the two numbers are the same. Manifests below the newest
published one go.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow

from windowlog import codec, naming
from windowlog.errors import Fenced, KitError, RecordExists, RecordNotFound
from windowlog.exclusive import create_exclusively
from windowlog.marks import Marks
from windowlog.wiring import Held, SinkIdentity, TargetState

if TYPE_CHECKING:
    from windowlog.contracts import Frame, SinkContext, Storage
    from windowlog.window import Window


class RowsLost(KitError):
    """The rows of window {name} are not those that its manifest names: an older backup was put
    back."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One move of the memory: `sink` is whose, `rows` the digest of what was staged (empty: an
    adoption), `digest` that of the manifest itself."""

    number: int
    sink: str
    held: Held
    rows: str
    digest: str


class ManifestSink:
    """Obeys windowlog.contracts.Sink over any Storage; the folder is that of the last sink that
    adopted it."""

    def __init__(self, storage: Storage) -> None:
        self._manifests = storage.within("manifests")
        self._marks = Marks(storage.within("marks"))
        self._files = storage.within("files")
        self._context: SinkContext | None = None
        self._newest: Manifest | None = None
        self._rows = ""

    def identity(self) -> SinkIdentity:
        """Files."""
        return SinkIdentity("files", "append")

    def open(self, context: SinkContext) -> None:
        """Remember for whom."""
        self._context = context

    def held(self) -> Held | None:
        """The newest manifest at or above the mark, once it is durable; None if it is another
        sink's."""
        self._manifests.sync()
        # The mark first: what is listed after it has the newest manifest, which is never purged.
        mark = self.mark()
        believed = max(
            (n for n in naming.attempts(self._manifests.list()) if n >= mark), default=None
        )
        self._newest = None
        if believed is not None:
            self._newest = self._read(believed)
            if self._newest is None:
                raise self._fenced(f"manifest {believed} was purged while it was read")
        newest = self._newest
        return newest.held if newest is not None and newest.sink == self._opened().sink else None

    def target(self) -> TargetState:
        """Nobody removes it. Whose it is, as `held` has seen it."""
        newest, context = self._newest, self._opened()
        if newest is None or newest.sink == context.sink or newest.held.log_id != context.log_id:
            return TargetState(exists=True)
        return TargetState(True, (newest.sink,), (newest.held.window_id,))

    def adopt(self, before: Held | None, after: Held) -> None:
        """The next manifest, without rows."""
        held = self.held()
        if before != held:
            raise self._fenced(f"its manifests are at {held}, not {before}")
        self._create(after, rows="")

    def prepare(self, schema: pyarrow.Schema) -> None:
        """Files take any row."""

    def stage(self, window: Window, frame: Frame) -> None:
        """Write the rows where nobody looks; in the place of those that this run staged before."""
        assert isinstance(frame, pyarrow.Table), "the search runs without Spark"
        rows = json.dumps([list(row.values()) for row in frame.to_pylist()]).encode()
        self._rows = codec.digest(rows)
        try:
            self._files.create(self._staged(window), rows)
        except RecordExists:
            self.abandon(window)
            self._files.create(self._staged(window), rows)

    def hold(self, window: Window) -> None:
        """The manifest, exclusively; and then the mark: has it gone past us, this was a
        zombie's."""
        held = self.held()
        expected = (window.log_id, window.id - 1, window.previous, self.identity())
        if held is None or (held.log_id, held.window_id, held.digest, held.identity) != expected:
            raise self._fenced(f"its manifests are at {held}, not {window.id - 1}")
        after = Held(
            window.log_id,
            window.id,
            window.digest,
            self._opened().run_id,
            self.identity(),
            window.positions,
            len(window.skips),
        )
        self._create(after, self._rows)

    def abandon(self, window: Window) -> None:
        """Nobody has seen what was staged."""
        self._files.delete(self._staged(window), durable=False)

    def committed(self, window_id: int) -> None:
        """Publish what is held and not yet published, in order; then let go of older manifests."""
        self._manifests.sync()
        self._files.sync()
        mark = published = self.mark()
        for number in naming.attempts(self._manifests.list()):
            if number >= mark and self._publish(number, window_id):
                published = number
        if published > mark:
            self.purge(published)

    def purge(self, floor: int) -> None:
        """The mark first, then the manifests below it."""
        self.write_mark(floor)
        for number in naming.attempts(self._manifests.list()):
            if number < floor:
                self._manifests.delete(naming.numbered(number), durable=False)

    def mark(self) -> int:
        """The low-water mark, 0 before the first."""
        return self._marks.newest(0)

    def write_mark(self, floor: int) -> None:
        """Below `floor` nothing is believed from now on."""
        self._marks.advance(floor)

    def close(self) -> None:
        """Nothing to release."""

    def _publish(self, number: int, newest: int) -> bool:
        """Is this manifest's window one of those up to `newest`? Then it is published now."""
        found = self._read(number)
        if found is None or found.held.window_id > newest:
            return False
        if found.rows:
            self._show(found)
        return True

    def _show(self, found: Manifest) -> None:
        """Rename, unless it was done before; then what is seen must be what was held."""
        name = f"{found.held.window_id:012d}"
        try:
            if name not in self._files.list():
                self._files.rename(f"{name}.{found.held.run_id}", name)
                return
        except (RecordExists, RecordNotFound):
            pass  # another driver, told the same, was faster
        try:
            self._files.sync(name)
            if codec.digest(self._files.read(name)) == found.rows:
                return
        except RecordNotFound:
            pass  # a reader may have taken it away, but only once the mark is past it
        if self.mark() <= found.number:
            raise RowsLost(name=name)

    def _create(self, held: Held, rows: str) -> None:
        newest = self._newest
        number = 0 if newest is None else newest.number + 1
        previous = "" if newest is None else newest.digest
        body = _to_json(self._opened().sink, held, rows, previous)
        data = codec.encode("manifest", number, body)
        name = naming.numbered(number)
        if not create_exclusively(self._manifests, name, data):
            raise self._fenced(f"it has created manifest {name}")
        if self.mark() > number:
            raise self._fenced(f"the low-water mark is past {number}")
        self._newest = read_manifest(number, data)

    def _read(self, number: int) -> Manifest | None:
        """A manifest, durable; None if it is below the mark by now, and so published long ago."""
        name = naming.numbered(number)
        try:
            found = read_manifest(number, self._manifests.read(name))
            self._manifests.sync(name)
        except RecordNotFound:
            if self.mark() > number:
                return None
            raise
        return found if self.mark() <= number else None

    def _staged(self, window: Window) -> str:
        return f"{window.id:012d}.{self._opened().run_id}"

    def _opened(self) -> SinkContext:
        assert self._context is not None, "open() comes first"
        return self._context

    def _fenced(self, evidence: str) -> Fenced:
        return Fenced(pipeline=self._opened().pipeline, evidence=evidence)


def read_manifest(number: int, data: bytes) -> Manifest:
    """What a manifest says."""
    name = naming.numbered(number)
    body: Any = codec.decode(data, kind="manifest", record_id=number, name=name)
    held = Held(
        body["log"],
        body["window"],
        body["digest"],
        body["run"],
        SinkIdentity(*body["identity"]),
        body["positions"],
        body["skips"],
    )
    return Manifest(number, body["sink"], held, body["rows"], codec.digest(data))


def _to_json(sink: str, held: Held, rows: str, previous: str) -> dict[str, Any]:
    return {
        "sink": sink,
        "log": held.log_id,
        "window": held.window_id,
        "digest": held.digest,
        "run": held.run_id,
        "identity": [held.identity.target, held.identity.mode],
        "positions": dict(held.positions),
        "skips": held.skips,
        "rows": rows,
        "previous": previous,
    }
