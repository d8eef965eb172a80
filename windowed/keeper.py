"""Keeper: the state of one run, from window to window, and when it is saved.

The state after window n is staged together with the sinks' rows, counts once they hold n, and is
saved after every so many windows and at a clean end. At least two windows are kept from which a
start can go on, so that the older one is there where the newer one turns out to be damaged; the
plans after it are spared (I5). A checkpoint is read back before it counts, and the low-water mark
after it is made: a driver that was paused may save what is long past (I8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from windowed import changes
from windowed.state import NextState, State
from windowlog.errors import Fenced

if TYPE_CHECKING:
    from windowed.facts import Facts
    from windowed.parts import Parts
    from windowed.state_facts import Restart
    from windowlog.state_store import Staged, StateStore
    from windowlog.window import Window


class Keeper:
    """Made for one run of a pipeline with a store, which is open, and with the facts of its
    start."""

    def __init__(self, parts: Parts, store: StateStore, facts: Facts) -> None:
        assert facts.state is not None, "a store was looked at"
        self._store = store
        self._log = parts.log
        self._every = parts.checkpoint_every
        self._keep = parts.keep
        self._pipeline = parts.pipeline
        self._emptied = set(facts.state.emptied)
        # Windows from which a start can go on, ascending, and where the state after each is.
        points = facts.restarts()
        self._points = [(point.window_id, _folder(point)) for point in points]
        self._at = points[-1].window_id
        self._digest = facts.digests[self._at]
        self._now = store.load(points[-1].checkpoint)
        self._next: Staged | None = None
        self._known = {(one.window_id, one.attempt) for one in facts.state.checkpoints}
        # A driver that died may have left what it had let go of.
        self._is_tidy = False

    @property
    def floor(self) -> int:
        """The oldest window from which a start may want to go on: the one before the newest, or, as
        a sink's backup is put back, the newest that is `keep` windows old."""
        older = [window_id for window_id, _ in self._points[:-1]]
        enough = [window_id for window_id in older if window_id <= self._at - self._keep]
        return max(enough, default=self._points[0][0])

    def state(self) -> State:
        """The state as the next window's transform gets it."""
        return State(self._now.frame, self._store.key, self._pipeline, self._at)

    def stage(self, window: Window, following: NextState) -> None:
        """Write the state after this window. WrongOutputs where it puts a key twice."""
        self.abandon()
        if window.id in self._emptied:
            self._next = self._store.load(None)
        elif following.is_unchanged:
            self._next = self._now
        else:
            try:
                self._next = self._store.stage(window.id, self.state().after(following))
            except Exception as error:
                said = changes.explained(error, self._pipeline)
                if said is error:
                    raise
                raise said from error

    def abandon(self) -> None:
        """The window could not be held: what was staged for it goes."""
        self._drop(self._next)
        self._next = None

    def held(self, window: Window) -> None:
        """All sinks hold this window: what was staged is the state from now on."""
        assert self._next is not None, "stage() comes first"
        before, self._now, self._next = self._now, self._next, None
        self._at, self._digest = window.id, window.digest
        self._drop(before)

    @property
    def is_due(self) -> bool:
        """Is a checkpoint to be made after the window that was held last?"""
        return self._at % self._every == 0

    def save(self) -> None:
        """Make a checkpoint, if the state was not saved since the last window, and let go of what
        no start can need any more. Fenced for a driver that was overtaken."""
        if self._at > self._points[-1][0]:
            self._save()
            self._is_tidy = False
        if not self._is_tidy:
            floor = self.floor
            self._points = [point for point in self._points if point[0] >= floor]
            self._known = {each for each in self._known if each[0] >= floor}
            self._store.let_go(floor)
            self._is_tidy = True

    def _save(self) -> None:
        if self._now.folder and self._now.folder == self._points[-1][1]:
            # Rows that two checkpoints shared would be lost to both at once.
            self._now = self._store.stage(self._at, self._now.frame)
        saved = self._store.save(self._at, self._digest, self._now)
        self._known.add((saved.window_id, saved.attempt))
        mark = self._log.low_water_mark()
        if mark > self._at:
            evidence = f"the low-water mark is {mark}, past our checkpoint of window {self._at}"
            raise Fenced(pipeline=self._pipeline, evidence=evidence)
        self._points.append((self._at, self._now.folder))

    def others(self) -> int | None:
        """The newest window whose state another driver has saved since our start, past our own."""
        present = self._store.present() - self._known
        return max((window_id for window_id, _ in present if window_id > self._at), default=None)

    def _drop(self, staged: Staged | None) -> None:
        """Unless a checkpoint names it, or it is the state that goes on."""
        spared = {"", self._now.folder, *(folder for _, folder in self._points)}
        if staged is not None and staged.folder not in spared:
            self._store.drop(staged)


def _folder(point: Restart) -> str:
    return point.checkpoint.folder if point.checkpoint is not None else ""
