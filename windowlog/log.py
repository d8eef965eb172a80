"""WindowLog: the durable sequence of windows.

    headers/000000000001.json      log id, pipeline, first window: created before the first plan
    windows/000000000042.json      plan 42 (…042.1.json: a second attempt, beside a torn one)
    marks/000000000040.json        low-water mark: below it nothing is believed or resumed (I8)
    skips/000000000042.1.json      the first permission beside plan 42
    adoptions/000000000042.1.json  the first decision about an input beside plan 42
    inputs/lines/000000000040.json what input `lines` remembers after window 40

A log may be opened by two drivers at once; each record is created exclusively, so at most one of
them owns window n. Nothing is locked: a lock that outlives a killed driver is worse than a fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from windowlog import codec, naming, state
from windowlog.contracts import Storage
from windowlog.errors import (
    Fenced,
    LogUnusable,
    PlanTooLarge,
    PreviousFailure,
    RecordNotFound,
    RecordTorn,
    WrongPipeline,
)
from windowlog.exclusive import create_exclusively
from windowlog.header import NO_HEADER, new_header, stored_header
from windowlog.judging import check_alone
from windowlog.marks import Marks
from windowlog.memory import LogMemory
from windowlog.notes import Notes
from windowlog.plan_names import PlanNames
from windowlog.state import LogState
from windowlog.storage import Place, open_sides
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Json, Plan
from windowlog.window import Draft, Window, from_json, to_json
from windowlog.wiring import Header

# A plan is read at each start and kept in the driver's memory: 64 MiB of JSON is some 200,000 files
# in one window.
RECORD_BYTES_MAX = 64 * 2**20


class WindowLog:
    """Which window covers what, durably.

    `where` is a folder (created with the first window) or a Storage; so is `mirror`, which has it
    all a second time (docs/mirror.md). Nothing is touched on construction. `open` first, then
    `scan`, then the others; `open` again after any failure (I7).
    """

    def __init__(
        self, where: Place, *, mirror: Place | None = None, mirror_required: bool = True
    ) -> None:
        self.storage = open_sides(where, mirror, required=mirror_required)
        self._windows = self.storage.within(naming.WINDOWS)
        self._marks = Marks(self.storage.within(naming.MARKS))
        self._headers = self.storage.within(naming.HEADERS)
        self.notes = Notes(self.storage)
        self._header: Header | None = None
        self._header_bytes = b""
        self._state: LogState | None = None
        self._attempts: dict[int, int] = {}
        self._names = PlanNames(self._windows, self.notes)
        self._failure: str | None = None

    @classmethod
    def in_memory(cls) -> WindowLog:
        """A log that lives as long as this object: for unit tests."""
        return cls(MemoryStorage())

    def describe(self) -> str:
        """Where the log is, for messages."""
        return self.storage.describe()

    def open(self, pipeline: str, run_id: str) -> Header:
        """Read the header, or make one up in memory only: a refusal must leave nothing behind."""
        check_alone(self.storage)
        self._failure = self._state = None
        self._attempts = {}
        first = self._newest_header()
        if first is None:
            return self.renew(pipeline, run_id, 1, {})
        self._header = stored_header(self._headers, first, self.describe())
        if self._header.pipeline != pipeline:
            found = self._header.pipeline
            raise WrongPipeline(where=self.describe(), found=found, wanted=pipeline)
        return self._header

    def _newest_header(self) -> int | None:
        self._headers.sync()
        return max(naming.attempts(self._headers.list()), default=None)

    def overtaken(self) -> bool:
        """True when there was no header at `open`, and another driver has created it since."""
        return not self.header.exists and self._newest_header() is not None

    def renew(
        self, pipeline: str, run_id: str, first: int, positions: Mapping[str, Json]
    ) -> Header:
        """Give the log a new header under a new id, in memory until `create`. The highest `first`
        counts."""
        self._header, self._header_bytes = new_header(pipeline, run_id, first, positions)
        return self._header

    @property
    def header(self) -> Header:
        """The header of the open log."""
        assert self._header is not None, "open() comes first"
        return self._header

    def create(self) -> None:
        """Create the header exclusively, if it is not there yet. Fenced if another driver was
        faster."""
        if self.header.exists:
            return
        self._create(self._headers, self.header.first, 0, self._header_bytes)
        self._header = replace(self.header, exists=True)

    def scan(self) -> LogState:
        """List, find the newest intact window, and believe it only once it is durable (I1)."""
        self._windows.sync()
        names = self._names.refresh()
        mark = self.low_water_mark()
        if not self.header.exists and names:
            if self.overtaken():
                raise self._fenced(f"it has begun the log {self.describe()}")
            reason = "it holds windows, but its header is missing"
            raise LogUnusable(where=self.describe(), reason=reason, remedy=NO_HEADER)
        self._attempts = state.believed(names, mark)
        self._names.let_go(mark)
        newest = self._newest_intact()
        if newest is not None:
            with self._unless_purged(newest.id):
                self._windows.sync(naming.numbered(newest.id, self._attempts[newest.id]))
        self._state = state.derive(self.header.first, mark, self._attempts, newest)
        return self._state

    def _newest_intact(self) -> Window | None:
        for window_id in reversed(self._attempts):
            try:
                return self.read(window_id)
            except RecordTorn:
                continue
        return None

    def read(self, window_id: int) -> Window:
        """Plan `window_id` with its skips. RecordNotFound, RecordTorn or NewerFormat if it is not.

        Fenced when it was purged meanwhile: below the mark a record is not ours."""
        attempt = self._attempts.get(window_id)
        if attempt is None:
            raise RecordNotFound(name=f"window {window_id}", where=self.describe())
        name = naming.numbered(window_id, attempt)
        with self._unless_purged(window_id):
            data = self._windows.read(name)
        body = codec.decode(data, kind="window", record_id=window_id, name=name)
        window = from_json(body, digest=codec.digest(data))
        if window.log_id != self.header.log_id:
            raise RecordTorn(name=name, expected=f"log {self.header.log_id}", found=window.log_id)
        with self._unless_purged(window_id):
            skips = self.notes.skips(window_id)
        self._fence(window_id)
        return replace(window, skips=skips)

    def append(self, draft: Draft) -> Window:
        """Fix the next window for ever: adds the previous digest, clamps `planned_at`.

        Fenced when another driver owns this window, or when we turn out to be below the mark. After
        any other failure the log must be opened anew: whether the record is there is then found by
        looking."""
        last = self._last()
        assert draft.window_id == last.newest + 1, "windows are dense"
        moment = draft.planned_at
        if last.window is not None:
            moment = max(moment, last.window.planned_at)
        previous = last.window.digest if last.window is not None else self.header.digest
        body = to_json(draft, log_id=self.header.log_id, previous=previous, planned_at=moment)
        data = codec.encode("window", draft.window_id, body)
        if len(data) > RECORD_BYTES_MAX:
            raise PlanTooLarge(window_id=draft.window_id, size=len(data), limit=RECORD_BYTES_MAX)
        # A torn record stays where it is: setting it aside by rename took a good record away.
        attempt = self._attempts[draft.window_id] + 1 if last.torn else 0
        self._create(self._windows, draft.window_id, attempt, data)
        self._names.add(naming.numbered(draft.window_id, attempt))
        self._attempts[draft.window_id] = attempt
        # What is handed on is what was written, not what was meant.
        written = codec.decode(data, kind="window", record_id=draft.window_id, name="draft")
        window = from_json(written, digest=codec.digest(data))
        self._state = replace(last, newest=window.id, torn=False, window=window)
        # The record stays, fenced or not: others may have seen it; below the mark it is debris.
        self._fence(window.id)
        return window

    @property
    def newest(self) -> int:
        """L: the newest window; first - 1 before the first one."""
        return self._last().newest

    @property
    def begun(self) -> bool:
        """True once the log has a window."""
        return self._last().newest >= self.header.first

    def low_water_mark(self) -> int:
        """Below it nothing is believed. One small listing: a mark lets go of the one before it."""
        return self._marks.newest(self.header.first)

    def purge(self, floor: int, at_once: int | None = None) -> int:
        """Let go of the plans below `floor`, the mark first; spares the newest plan (I5).

        Deletes at most `at_once` records (None: all), and says how many. What stays, also after an
        interruption, is debris, which `sweep` or the next purge deletes."""
        last = self._last()
        floor = min(floor, last.newest)
        if floor > last.mark:
            reached = self._marks.advance(floor)
            if reached > floor:
                raise self._fenced(f"the low-water mark is already {reached}, past {floor}")
            self._state = replace(last, mark=floor, oldest=max(floor, last.oldest))
            self._attempts = {w: a for w, a in self._attempts.items() if w >= floor}
            self._names.let_go(floor)
        return self.sweep(at_once)

    def sweep(self, at_once: int | None = None) -> int:
        """Delete debris below the mark, oldest first, at most `at_once` records; how many went."""
        self._last()
        return self._names.sweep(at_once)

    def mark(self, floor: int) -> None:
        """Create the low-water mark `floor`; nothing happens if it is there already."""
        self._marks.create(floor)

    def plans_after(self, name: str, window_id: int) -> Iterator[tuple[int, Plan]]:
        """What windowlog.contracts.InputContext.plans_after promises, for input `name`."""
        last = self._last()
        start = self.header.first - 1
        if window_id <= start and name in self.header.positions:
            yield start, Plan((), self.header.positions[name])
        for at in range(max(window_id, last.mark - 1, start), last.newest + 1):
            if at > window_id and at >= last.mark and name in (plans := self.read(at).plans):
                yield at, plans[name]
            with self._unless_purged(at):
                adoptions = self.notes.adoptions(at)
            for adoption in adoptions:
                if adoption.input == name:
                    yield at, Plan((), adoption.end)

    def memory(self, name: str) -> LogMemory:
        """The durable records of input `name`."""
        return LogMemory(self.storage.within(naming.INPUTS).within(name))

    def close(self) -> None:
        """Release what the storage holds. The log must be opened anew afterwards."""
        self._state = None
        self.storage.close()

    def _last(self) -> LogState:
        if self._failure is not None:
            raise PreviousFailure(what=f"The window log {self.describe()}", reason=self._failure)
        assert self._state is not None, "scan() comes first"
        return self._state

    def _create(self, storage: Storage, record_id: int, attempt: int, data: bytes) -> None:
        name = naming.numbered(record_id, attempt)
        try:
            ours = create_exclusively(storage, name, data)
        except BaseException as failure:
            self._failure = str(failure) or type(failure).__name__
            raise
        if not ours:
            raise self._fenced(f"it has created {name} in {storage.describe()}")

    @contextmanager
    def _unless_purged(self, window_id: int) -> Iterator[None]:
        """A record that was listed and is gone: purged by another driver, or lost."""
        try:
            yield
        except RecordNotFound:
            self._fence(window_id)
            raise

    def _fence(self, window_id: int) -> None:
        mark = self.low_water_mark()
        if window_id < mark:
            evidence = f"the low-water mark has moved to {mark}, past our window {window_id}"
            raise self._fenced(evidence)

    def _fenced(self, evidence: str) -> Fenced:
        return Fenced(pipeline=self.header.pipeline, evidence=evidence)
