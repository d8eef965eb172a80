"""The kit with one safeguard taken out: what the search must find."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from tests.windowed.search.drivers import ReadSink
from tests.windowed.search.manifest_sink import Manifest, ManifestSink
from tests.windowed.search.seams import SeamStorage
from tests.windowed.search.world import Action
from windowed import opening
from windowed.facts import Facts
from windowed.loop import Loop
from windowed.parts import Parts
from windowed.recovery import Decision, decide
from windowed.refusals import refusal
from windowed.testing.list_sink import ListSink
from windowlog import log as log_module
from windowlog import naming
from windowlog.contracts import Storage
from windowlog.errors import KitError, RecordExists, RecordNotFound
from windowlog.log import WindowLog
from windowlog.marks import Marks
from windowlog.memory import LogMemory
from windowlog.window import Draft, Window
from windowlog.wiring import Held


class AnyDigest(ListSink):
    """A ledger whose compare-and-set looks at log id and window only."""

    def hold(self, window: Window) -> None:
        """As the ledger's, from any digest."""
        held = self.held()
        super().hold(window if held is None else replace(window, previous=held.digest))


class AnyLog(ListSink):
    """A ledger whose compare-and-set looks at window and digest only."""

    def hold(self, window: Window) -> None:
        """As the ledger's, of any log."""
        held = self.held()
        super().hold(window if held is None else replace(window, log_id=held.log_id))


class AnyWindow(ListSink):
    """A ledger that writes without looking."""

    def hold(self, window: Window) -> None:
        """As the ledger's, from any window."""
        held = self.held()
        assert held is not None, "it was enrolled"
        self.store.memory[self._key()] = Held(
            window.log_id, window.id - 1, window.previous, held.run_id, held.identity
        )
        super().hold(window)


class Overwriting(SeamStorage):
    """A storage whose `create` does not refuse a name that is taken."""

    def begin(self, name: str, data: bytes) -> None:
        """Over whatever is there."""
        self._perform(Action("overwrite", self._folder, name, data))


class PlansNotSynced(SeamStorage):
    """A log that believes a listing of plans without making it durable."""

    def sync(self, name: str | None = None) -> None:
        """Not of plans."""
        if not self._folder.endswith(naming.WINDOWS):
            super().sync(name)


class RecordsNotSynced(SeamStorage):
    """A log that makes listings durable, but not what it reads after them."""

    def sync(self, name: str | None = None) -> None:
        """Not of one record."""
        if name is None:
            super().sync()


class NoMarkAfterAppend(WindowLog):
    """A log that does not look whether it has become a zombie."""

    _appending = False

    def append(self, draft: Draft) -> Window:
        """Without the mark."""
        self._appending = True
        return super().append(draft)

    def _fence(self, window_id: int) -> None:
        if not self._appending:
            super()._fence(window_id)


class NoMarkAfterRead(WindowLog):
    """A log that believes what it reads, whatever was purged meanwhile."""

    _appending = False

    def append(self, draft: Draft) -> Window:
        """With the mark."""
        self._appending = True
        try:
            return super().append(draft)
        finally:
            self._appending = False

    def _fence(self, window_id: int) -> None:
        if self._appending:
            super()._fence(window_id)


class TornSetAside(WindowLog):
    """A log that renames a torn record, to write under its name."""

    def append(self, draft: Draft) -> Window:
        """With the name freed before."""
        last = self._last()
        if last.torn:
            name = naming.numbered(draft.window_id)
            self._windows.rename(name, f"{name}.torn by {draft.run_id}")
            self._attempts[draft.window_id] = -1
        return super().append(draft)


class PurgedOneMore(WindowLog):
    """A log whose purge spares only what comes after the plan of Hmin."""

    def purge(self, floor: int, at_once: int | None = None) -> int:
        """That one too."""
        last = self._last()
        self._state = replace(last, newest=last.newest + 1)
        try:
            return super().purge(floor + 1, at_once)
        finally:
            self._state = replace(self._last(), newest=last.newest)


class NoMark(ReadSink):
    """Manifests that are purged without a low-water mark."""

    def mark(self) -> int:
        """Nothing is below it."""
        return 0

    def write_mark(self, floor: int) -> None:
        """Nothing is written."""

    def _read(self, number: int) -> Manifest | None:
        try:
            return super()._read(number)
        except RecordNotFound:
            return None  # purged, one would think


class AnyManifest(ManifestSink):
    """Manifests whose hold looks at log id and window only."""

    def hold(self, window: Window) -> None:
        """From any digest."""
        held = self.held()
        super().hold(window if held is None else replace(window, previous=held.digest))


class ShownUnseen(ManifestSink):
    """Manifests that believe a published file, and do without one that is gone."""

    def _show(self, found: Manifest) -> None:
        with suppress(KitError):
            super()._show(found)


class MarkLast(ManifestSink):
    """Manifests whose mark is written after what it is about is gone."""

    def purge(self, floor: int) -> None:
        """In the wrong order."""
        for number in naming.attempts(self._manifests.list()):
            if number < floor:
                self._manifests.delete(naming.numbered(number), durable=False)
        self.write_mark(floor)


class ToldTooEarly(Loop):
    """A loop that tells `committed` before every sink holds the window."""

    def _hold(self, window: Window) -> None:
        for _, sink in self._lacking(window):
            sink.hold(window)
            self._tell(window)
        for name, _ in self._lacking(window):
            self._held[name] = window.id


def rows_before_header(patch: pytest.MonkeyPatch) -> None:
    """Ledger rows under a log id that no header names yet."""

    def enrol(parts: Parts, facts: Facts, run_id: str) -> None:
        header = parts.log.header
        new = [sink for sink in facts.sinks if sink.held is None]
        for sink in new:
            row = Held(header.log_id, header.first - 1, header.digest, run_id, sink.identity)
            parts.sinks[sink.name].adopt(None, row)
        if new:
            parts.log.create()

    patch.setattr(opening, "enrol", enrol)


def read_once(patch: pytest.MonkeyPatch) -> None:
    """A refusal after one reading."""

    def decide_start(parts: Parts, run_id: str, spark: object = None) -> tuple[Facts, Decision]:
        facts = opening.open_and_gather(parts, run_id)
        decision = decide(facts)
        if decision.refused:
            raise refusal(parts, facts, decision)
        return facts, decision

    patch.setattr(opening, "decide_start", decide_start)


def any_header(patch: pytest.MonkeyPatch) -> None:
    """A start that does not look whether another driver has begun the log since."""
    patch.setattr(WindowLog, "overtaken", lambda log: False)


def memory_not_synced(patch: pytest.MonkeyPatch) -> None:
    """A version of memory that is there already is taken for durable."""

    def save(memory: LogMemory, window_id: int, data: bytes) -> None:
        if window_id not in memory._versions():
            saved(memory, window_id, data)

    saved = LogMemory.save
    patch.setattr(LogMemory, "save", save)


def taken_and_gone(patch: pytest.MonkeyPatch) -> None:
    """A name that was taken must still be there to be looked at."""

    def create_exclusively(storage: Storage, name: str, data: bytes) -> bool:
        try:
            storage.create(name, data)
        except RecordExists:
            return storage.read(name) == data
        return True

    patch.setattr(log_module, "create_exclusively", create_exclusively)


def own_mark_deleted(patch: pytest.MonkeyPatch) -> None:
    """Of two drivers that purge to the same mark, the second deletes it."""

    def advance(marks: Marks, floor: int) -> int:
        storage = marks._storage
        storage.sync()
        older = list(naming.attempts(storage.list()))
        if floor < max(older, default=floor):
            return max(older)
        with suppress(RecordExists):
            marks.create(floor)
        for mark in older:
            storage.delete(naming.numbered(mark), durable=False)
        return floor

    patch.setattr(Marks, "advance", advance)
