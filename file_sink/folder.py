"""One run of one sink on its folder: what it remembers, stages, holds and publishes.

Invariants kept here: I3 the memory moves only from n-1 to n, of the same log and from the same
digest, and names the rows in the same record. I7 after an unresolved manifest nothing more is done.
I8 below the low-water mark nothing is believed or published (manifests.py).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from file_sink import formats, joining, taken
from file_sink.committing import Committing, Proposed
from file_sink.errors import (
    FolderTaken,
    FolderUnsuitable,
    FrameUnsuitable,
    ManifestDamaged,
    RollUpRefused,
)
from file_sink.manifests import Manifest, Manifests, Staged
from file_sink.publishing import Publishing
from file_sink.rolling import Rolling
from file_sink.staging import Staging
from file_sink.tree import ExchangingTree
from windowlog.errors import (
    CommitUnknown,
    Fenced,
    NotHeld,
    PreviousFailure,
    RecordTorn,
)
from windowlog.wiring import Held, SinkIdentity, TargetState

if TYPE_CHECKING:
    import pyarrow

    from file_sink.layout import Places
    from file_sink.settings import Settings
    from file_sink.tree import Tree
    from windowlog.contracts import Frame, SinkContext
    from windowlog.window import Window

_Answer = TypeVar("_Answer")

_NO_ROLL_UP = (
    "Its files stay as they are, and readers see them as before. Windows of more rows (a"
    " longer trigger, larger limits of the input) and target_file_bytes= make fewer files."
)


class Folder:
    """Places, settings and memory of a sink, for one run."""

    def __init__(
        self,
        tree: Tree,
        places: Places,
        settings: Settings,
        identity: SinkIdentity,
        context: SinkContext,
    ) -> None:
        self._tree = tree
        self._places = places
        self._settings = settings
        self._identity = identity
        self._context = context
        taken.refuse_file(tree, places, context.sink)
        self._manifests = Manifests(tree.records(places.staging), self._fenced)
        self._staging = Staging(tree, places, settings, context.sink, context.run_id)
        publishing = Publishing(tree, places, settings.layout, context, self._is_past)
        # None where a folder cannot be exchanged with another one.
        self._rolling: Rolling | None = None
        if isinstance(tree, ExchangingTree):
            self._rolling = Rolling(tree, places, settings, context, self._is_past)
        self._committing = Committing(
            context.sink,
            self._manifests,
            lambda: self._read(self._manifests.moves),
            publishing,
            self._staging,
            self._rolling,
        )
        self._staged: tuple[int, Staged] | None = None
        self._prepared: pyarrow.Schema | None = None
        self._failure: str | None = None

    def held(self) -> Held | None:
        """What the newest manifest says of this sink. FolderTaken if it is another pipeline's."""
        newest = self._newest()
        return None if newest is None else newest.memories.get(self._context.sink)

    def target(self) -> TargetState:
        """As the contract says."""
        newest, context = self._newest(), self._context
        memories = newest.memories if newest is not None else {}
        others = {
            name: held.window_id
            for name, held in sorted(memories.items())
            if name != context.sink and held.log_id == context.log_id
        }
        exists = self._tree.kind(self._places.path) == "folder"
        return TargetState(exists, tuple(others), tuple(others.values()))

    def adopt(self, before: Held | None, after: Held) -> None:
        """Compare, and create the next manifest, without rows."""
        self._usable()
        newest = self._newest()
        held = None if newest is None else newest.memories.get(self._context.sink)
        if before != held:
            raise self._fenced(f"{self._at(held)}, not {_position(before)}")
        layout, sink = self._settings.layout, self._context.sink
        if held is None or held.identity != after.identity:
            taken.refuse_mixed(self._tree, self._places, self._settings, sink)
        try:
            taken.refuse_published(self._tree, self._places, layout, sink, after.window_id)
        except FolderTaken as refused:
            if self._newest() != newest:
                evidence = "it has moved the memory while the folder was looked at"
                raise self._fenced(evidence) from refused
            raise
        self._move(newest, after, Staged())

    def prepare(self, schema: pyarrow.Schema) -> None:
        """Check the schema, make the folders, see that a rename between them is one step."""
        self._usable()
        if schema == self._prepared:
            return
        findings = formats.findings(self._settings, schema)
        if findings:
            raise FrameUnsuitable(
                sink=self._context.sink, path=self._places.path, findings="; ".join(findings)
            )
        taken.refuse_file(self._tree, self._places, self._context.sink)
        taken.refuse_mixed(self._tree, self._places, self._settings, self._context.sink)
        for folder in (self._places.path, self._places.staging, self._places.staged()):
            self._tree.make(folder)
        if not self._tree.one_system(self._places.path, self._places.staged()):
            raise FolderUnsuitable(
                sink=self._context.sink,
                path=self._places.path,
                reason=f"{self._places.staging} is on another file system, and a rename from there"
                " is not one step",
                remedy="Name a folder inside this file system, not the mount point itself.",
            )
        if self._settings.rollup is not None and self._rolling is not None:
            held = self.held()
            self._rolling.probe(held.window_id if held is not None else 0)
        self._prepared = schema

    def stage(self, window: Window, frame: Frame) -> None:
        """Write the window's files, in the place of those that were staged before."""
        self._usable()
        self.abandon()
        try:
            self._staged = window.id, self._staging.stage(frame, window)
        except Exception as error:
            # Who holds the window meanwhile sweeps what others have staged for it.
            held = None
            with suppress(Exception):
                held = self.held()
            if held is not None and held.window_id >= window.id:
                raise self._fenced(f"it holds window {held.window_id} already") from error
            raise

    def hold(self, window: Window) -> None:
        """The manifest after n-1 of this log, from its digest, with this identity."""
        self._usable()
        assert self._staged is not None, "stage() comes first"
        window_id, staged = self._staged
        assert window_id == window.id, "one window in flight"
        newest = self._newest()
        held = None if newest is None else newest.memories.get(self._context.sink)
        expected = (window.log_id, window.id - 1, window.previous, self._identity)
        if held is None or (held.log_id, held.window_id, held.digest, held.identity) != expected:
            raise self._fenced(f"{self._at(held)}, not window {window.id - 1}")
        # After the memory was read: who sweeps later has moved it, and taken our number.
        if not self._staging.is_there(staged):
            raise self._not_held(window, "what was staged has been swept")
        after = Held(
            window.log_id,
            window.id,
            window.digest,
            self._context.run_id,
            self._identity,
            window.positions,
            len(window.skips),
        )
        try:
            self._move(newest, after, staged)
        except Fenced:
            raise
        except Exception as error:  # noqa: BLE001 (every way out is a verdict)
            self._resolve(window, error)
        except BaseException:
            # Stopped from outside: whether the manifest is there, only a new start finds out (I7).
            self._failure, self._staged = f"window {window.id}: it was stopped", None
            raise
        self._staged = None

    def abandon(self) -> None:
        """Remove what was staged, if anything was."""
        if self._staged is not None:
            self._staging.drop(self._staged[1])
            self._staged = None

    def committed(self, window_id: int) -> None:
        """Publish every move up to this window, in order; then join files, if it is time."""
        self._usable()
        self._committing.committed(window_id)

    def propose_roll_up(self) -> Proposed:
        """As `FileSink.roll_up` says."""
        self._usable()
        reason = joining.cannot_join(self._settings)
        if self._rolling is None:
            reason = "its file system cannot exchange two folders in one step"
        if reason is not None:
            raise RollUpRefused(
                sink=self._context.sink, path=self._places.path, reason=reason, remedy=_NO_ROLL_UP
            )
        return self._committing.propose()

    def close(self) -> None:
        """Leave nothing behind that is not held."""
        self.abandon()
        if self._rolling is not None:
            self._rolling.close()
        self._manifests.close()

    def _newest(self) -> Manifest | None:
        newest = self._read(self._manifests.newest)
        if newest is not None and newest.pipeline != self._context.pipeline:
            raise self._taken(
                f"it is the folder of sink {newest.sink} of pipeline {newest.pipeline!r}",
                "Give each pipeline folders of its own.",
            )
        return newest

    def _read(self, question: Callable[[], _Answer]) -> _Answer:
        try:
            return question()
        except RecordTorn as torn:
            raise ManifestDamaged(
                sink=self._context.sink, where=self._places.staging, reason=torn
            ) from torn

    def _is_past(self, number: int) -> bool:
        """Has somebody published this move?"""
        return self._manifests.mark() >= number

    def _move(self, newest: Manifest | None, after: Held, staged: Staged) -> None:
        memories = dict(newest.memories) if newest is not None else {}
        memories[self._context.sink] = after
        moved = Manifest(0, self._context.pipeline, self._context.sink, memories, staged)
        self._manifests.move_past_roll_ups(newest, moved)

    def _resolve(self, window: Window, error: Exception) -> None:
        """The manifest may be there or not: look. Returns if the window is held. After a failed
        fsync there is nothing to be seen: it would say yes to what was lost (I7)."""
        try:
            held = self.held()
        except Exception as unreadable:  # noqa: BLE001 (whatever hides the answer)
            self._failure, self._staged = f"window {window.id}: {unreadable}", None
            raise CommitUnknown(
                sink=self._context.sink, window_id=window.id, reason=unreadable
            ) from error
        known = held and (held.log_id, held.window_id, held.digest, held.run_id)
        if known == (window.log_id, window.id, window.digest, self._context.run_id):
            return
        if known and held and (held.window_id, held.digest) == (window.id - 1, window.previous):
            raise self._not_held(window, error) from error
        raise self._fenced(f"{self._at(held)}, not window {window.id - 1}") from error

    def _usable(self) -> None:
        if self._failure is not None:
            raise PreviousFailure(what=f"Sink {self._context.sink}", reason=self._failure)

    def _taken(self, reason: str, remedy: str) -> FolderTaken:
        return FolderTaken(
            sink=self._context.sink, path=self._places.path, reason=reason, remedy=remedy
        )

    def _at(self, held: Held | None) -> str:
        return f"the memory of sink {self._context.sink} is at {_position(held)}"

    def _not_held(self, window: Window, reason: object) -> NotHeld:
        return NotHeld(sink=self._context.sink, window_id=window.id, reason=reason)

    def _fenced(self, evidence: str) -> Fenced:
        return Fenced(pipeline=self._context.pipeline, evidence=evidence)


def _position(held: Held | None) -> str:
    if held is None:
        return "nothing"
    identity = f"{held.identity.target}, {held.identity.mode}"
    return f"window {held.window_id} of run {held.run_id} ({identity})"
