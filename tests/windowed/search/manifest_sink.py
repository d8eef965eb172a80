"""A sink of files in small: rows are staged, an exclusive manifest holds them, `committed`
publishes.

    manifests/000000000003.json   log id, run, digest, and the digest of manifest 2: window 3 is
    held marks/000000000003.json       below it no manifest is believed, and no window published
    (I8) files/000000000003.<run>      rows of window 3, staged by that run files/000000000003
    the same rows, published

It keeps its bookkeeping small: manifests below the newest published one go.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow

from windowlog import codec, naming
from windowlog.errors import Fenced, RecordExists, RecordNotFound
from windowlog.exclusive import create_exclusively
from windowlog.wiring import Held, SinkIdentity, TargetState

if TYPE_CHECKING:
    from windowlog.contracts import Frame, SinkContext, Storage
    from windowlog.window import Window

IDENTITY = SinkIdentity("files", "append")


class ManifestSink:
    """Obeys windowlog.contracts.Sink over any Storage."""

    def __init__(self, storage: Storage) -> None:
        self._manifests = storage.within("manifests")
        self._marks = storage.within("marks")
        self._files = storage.within("files")
        self._context: SinkContext | None = None
        self._newest: tuple[Held, str] | None = None

    def identity(self) -> SinkIdentity:
        """Files."""
        return IDENTITY

    def open(self, context: SinkContext) -> None:
        """Remember for whom."""
        self._context = context

    def held(self) -> Held | None:
        """The newest manifest at or above the mark, once it is durable."""
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
        return None if self._newest is None else self._newest[0]

    def target(self) -> TargetState:
        """Nobody removes it."""
        return TargetState(exists=True)

    def adopt(self, before: Held | None, after: Held) -> None:
        """The manifest of the window before the first."""
        if before != self.held():
            raise self._fenced(f"its manifests are at {before}")
        self._create(after, previous="")

    def prepare(self, schema: pyarrow.Schema) -> None:
        """Files take any row."""

    def stage(self, window: Window, frame: Frame) -> None:
        """Write the rows where nobody looks."""
        assert isinstance(frame, pyarrow.Table), "the search runs without Spark"
        rows = json.dumps(frame.column(0).to_pylist()).encode()
        self._files.create(f"{window.id:012d}.{self._run()}", rows)

    def hold(self, window: Window) -> None:
        """The manifest, exclusively; and then the mark: has it gone past us, this was a
        zombie's."""
        held = self.held()
        expected = (window.log_id, window.id - 1, window.previous)
        if held is None or (held.log_id, held.window_id, held.digest) != expected:
            raise self._fenced(f"its manifests are at {held}, not {window.id - 1}")
        assert self._newest is not None, "held() found it"
        after = Held(
            window.log_id,
            window.id,
            window.digest,
            self._run(),
            self.identity(),
            window.positions,
            len(window.skips),
        )
        self._create(after, previous=self._newest[1])

    def abandon(self, window: Window) -> None:
        """Nobody sees what was staged."""

    def committed(self, window_id: int) -> None:
        """Publish what is held and not yet published, in order; then let go of older manifests."""
        self._manifests.sync()
        self._files.sync()
        mark, manifests = self.mark(), naming.attempts(self._manifests.list())
        for number in manifests:
            if mark <= number <= window_id:
                self._publish(number)
        if window_id > mark:
            self.purge(window_id)

    def purge(self, floor: int) -> None:
        """The mark first, then the manifests below it."""
        self.write_mark(floor)
        for number in naming.attempts(self._manifests.list()):
            if number < floor:
                self._manifests.delete(naming.numbered(number), durable=False)

    def mark(self) -> int:
        """The low-water mark, 0 before the first."""
        return max(naming.attempts(self._marks.list()), default=0)

    def write_mark(self, floor: int) -> None:
        """Below `floor` nothing is believed from now on."""
        self._marks.sync()
        older = list(naming.attempts(self._marks.list()))
        try:
            self._marks.create(naming.numbered(floor), b"")
        except RecordExists:
            return
        for number in older:
            if number < floor:
                self._marks.delete(naming.numbered(number), durable=False)

    def close(self) -> None:
        """Nothing to release."""

    def _publish(self, number: int) -> None:
        found = self._read(number)
        name = f"{number:012d}"
        if found is None or number == 0 or name in self._files.list():
            return
        held, _ = found
        try:
            self._files.rename(f"{name}.{held.run_id}", name)
        except (RecordExists, RecordNotFound):
            # Another driver, told the same, was faster; a reader may even have taken it away.
            with suppress(RecordNotFound):
                self._files.sync(name)

    def _create(self, held: Held, previous: str) -> None:
        data = codec.encode("manifest", held.window_id, _to_json(held, previous))
        name = naming.numbered(held.window_id)
        if not create_exclusively(self._manifests, name, data):
            raise self._fenced(f"it has created manifest {name}")
        if self.mark() > held.window_id:
            raise self._fenced(f"the low-water mark is past {held.window_id}")
        self._newest = held, codec.digest(data)

    def _read(self, number: int) -> tuple[Held, str] | None:
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

    def _run(self) -> str:
        assert self._context is not None, "open() comes first"
        return self._context.run_id

    def _fenced(self, evidence: str) -> Fenced:
        assert self._context is not None, "open() comes first"
        return Fenced(pipeline=self._context.pipeline, evidence=evidence)


def read_manifest(number: int, data: bytes) -> tuple[Held, str]:
    """What a manifest says, and its digest."""
    body = codec.decode(data, kind="manifest", record_id=number, name=naming.numbered(number))
    return _from_json(number, body), codec.digest(data)


def _to_json(held: Held, previous: str) -> dict[str, Any]:
    return {
        "log": held.log_id,
        "digest": held.digest,
        "run": held.run_id,
        "positions": dict(held.positions),
        "skips": held.skips,
        "previous": previous,
    }


def _from_json(number: int, body: Any) -> Held:
    return Held(
        body["log"],
        number,
        body["digest"],
        body["run"],
        IDENTITY,
        body["positions"],
        body["skips"],
    )
