"""A driver of the search: the real Loop over seams, in a process without time or chance."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from itertools import count
from types import SimpleNamespace

import pyarrow
import pytest

from tests.windowed.search.manifest_sink import ManifestSink
from tests.windowed.search.numbers import Numbers
from tests.windowed.search.seams import LedgerSeam, Perform, SeamStorage
from windowed import loop as loop_module
from windowed.listener import Listener
from windowed.loop import Loop
from windowed.opening import opened
from windowed.parts import Parts
from windowed.state import Made
from windowed.testing.clock import START, ManualClock
from windowed.testing.list_sink import ListSink
from windowed.testing.storage_state import StorageState
from windowlog import checkpoints as checkpoints_module
from windowlog import header as header_module
from windowlog import marks as marks_module
from windowlog.contracts import Sink
from windowlog.errors import RecordExists, RecordNotFound
from windowlog.log import WindowLog
from windowlog.window import Window

PIPELINE = "searched"
INPUT = "numbers"
STATE = "state"
SEEN = "seen long"


@dataclass(frozen=True)
class Setting:
    """What all drivers of one search are made of. `sinks` name -> class: a ListSink is put behind a
    seam, a ManifestSink gets a folder. With `checkpoint_every` there is a state, which has how many
    numbers there were before. Put another class in, or apply a `patch`, to take a safeguard
    out."""

    count: int
    sinks: Mapping[str, type[ListSink | ManifestSink]]
    folds_every: int | None = None
    checkpoint_every: int | None = None
    listens: bool = False
    loop: type[Loop] = Loop
    log: type[WindowLog] = WindowLog
    log_storage: type[SeamStorage] = SeamStorage
    state: type[StorageState] = StorageState
    patch: Callable[[pytest.MonkeyPatch], None] = field(default=lambda patch: None)


def drive(setting: Setting, run_id: str, take: int, perform: Perform) -> None:
    """One run from its start to its end: until nothing is new."""
    sinks: dict[str, Sink] = {}
    for name, kind in setting.sinks.items():
        if issubclass(kind, ListSink):
            sinks[name] = LedgerSeam(perform, name, kind)
        else:
            sinks[name] = kind(SeamStorage(perform, name))
    source = Numbers(setting.count, take, folds_every=setting.folds_every)
    log = setting.log(setting.log_storage(perform, "log"))
    parts = Parts(PIPELINE, {INPUT: source}, sinks, log, "MODULE:PIPELINE")
    if setting.checkpoint_every is not None:
        store = setting.state(SEEN, storage=SeamStorage(perform, STATE))
        parts = replace(parts, store=store, checkpoint_every=setting.checkpoint_every)
    listener = Told(perform) if setting.listens else Listener()
    made = setting.loop(parts, None, run_id, ManualClock(), listener)
    with identified(run_id), opened(made) as loop:
        bounds = loop.bounds()
        while window := loop.next(lambda: bounds):
            loop.work(window, partial(_outputs, loop, window))


def _outputs(loop: Loop, window: Window) -> Made:
    frame, state = loop.read(window)[INPUT], loop.state
    if state is None:
        return Made(dict.fromkeys(loop.parts.sinks, frame))
    assert isinstance(frame, pyarrow.Table), "without Spark"
    assert isinstance(state.frame, pyarrow.Table), "without Spark"
    seen = sum(state.frame["seen"].to_pylist())
    after = pyarrow.table({"seen": [seen + frame.num_rows]}, schema=state.frame.schema)
    told = frame.append_column("seen", pyarrow.array([seen] * frame.num_rows, pyarrow.int64()))
    return Made(dict.fromkeys(loop.parts.sinks, told), state.replace(after))


def program(setting: Setting, run_id: str, take: int) -> Callable[[Perform], None]:
    """`drive` as a function of `perform`."""
    return partial(drive, setting, run_id, take)


class ReadSink(ManifestSink):
    """A sink whose readers take away what was published before the mark: `000000000003.taken`."""

    def __init__(self, storage: SeamStorage) -> None:
        super().__init__(storage)
        self._readers = storage.within("files")

    def purge(self, floor: int) -> None:
        """And the readers come."""
        super().purge(floor)
        for name in self._readers.list():
            if "." not in name and int(name) < floor:
                with suppress(RecordExists, RecordNotFound):
                    self._readers.move(name, f"{name}.taken")


class Told(Listener):
    """A listener in the world outside: it must hear of a new window once at the most."""

    def __init__(self, perform: Perform) -> None:
        self._outside = SeamStorage(perform, "told")

    def planned(self, window: Window, *, replay: bool) -> None:
        """Write it down, in one step."""
        if not replay:
            try:
                self._outside.begin(str(window.id), b"")
            except RecordExists as twice:
                raise AssertionError(f"window {window.id} was told as new twice") from twice


class _Stopped(datetime):
    """Time stands still: two runs that do the same write the same."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> _Stopped:
        moment = START.astimezone(tz or UTC)
        return cls.fromtimestamp(moment.timestamp(), tz or UTC)


@contextmanager
def identified(run_id: str) -> Iterator[None]:
    """A log that this run begins has an id made of the run's, what it stages is counted: no chance
    is left."""
    tokens = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uuid, "uuid4", lambda: f"log of {run_id}")
        token = lambda: SimpleNamespace(hex=f"{next(tokens):032x}")  # noqa: E731
        patch.setattr(checkpoints_module, "uuid4", token)
        yield


@contextmanager
def prepared(setting: Setting) -> Iterator[None]:
    """Purge after each window, no time, and what the setting patches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop_module, "PURGE_EVERY", 1)
        patch.setattr(marks_module, "datetime", _Stopped)
        patch.setattr(header_module, "datetime", _Stopped)
        setting.patch(patch)
        yield
