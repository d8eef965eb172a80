"""Step 0: a refusal counts when a second reading agrees; ledger rows come after the header."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.windowed.made import HeardInput, HeardSink, pipeline, rows
from tests.windowlog.drafts import begun, records
from windowed import opening
from windowed.errors import LedgerLost, LogMismatch
from windowed.parts import Parts
from windowed.read_only import ReadOnlyMemory
from windowed.testing.crash import STORAGE_VERBS, Crash, Fuse, Seam
from windowed.testing.list_sink import ListSink, ListStore
from windowlog.errors import Fenced
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.wiring import Held

PIPELINE = "counts"


class _Meanwhile(ListSink):
    """Before its `held` answers for the n-th time, something happens elsewhere."""

    def __init__(self, at: int, happens: Callable[[], object]) -> None:
        super().__init__(ListStore())
        self._at = at
        self._happens = happens

    def held(self) -> Held | None:
        """As the ledger says, after that."""
        self._at -= 1
        if self._at == 0:
            self._happens()
        return super().held()


def _parts(log: WindowLog, sink: ListSink) -> Parts:
    return Parts(PIPELINE, {"lines": rows()}, {"counts": sink}, log, "MODULE:PIPELINE")


def test_a_refusal_is_raised_when_both_readings_agree() -> None:
    """A log with windows, and a ledger that knows nothing."""
    storage = MemoryStorage()
    begun(storage, 2)
    before = records(storage)
    with pytest.raises(LedgerLost):
        opening.decide_start(_parts(WindowLog(storage), ListSink()), "run-b")
    assert records(storage) == before


def test_a_refusal_is_a_fence_when_the_log_has_moved_between_the_readings() -> None:
    """Another driver is alive: what looked lost was only early."""
    storage = MemoryStorage()
    begun(storage, 2)
    sink = _Meanwhile(2, lambda: begun(storage, 3))
    with pytest.raises(Fenced, match="changed while this start was reading"):
        opening.decide_start(_parts(WindowLog(storage), sink), "run-b")


def test_a_refusal_is_a_fence_when_another_driver_has_begun_the_log() -> None:
    """Its ledger row names a header that was not there when we looked for one."""
    storage = MemoryStorage()

    def begin() -> None:
        log = begun(storage, 0)
        row = Held(log.header.log_id, 0, log.header.digest, "run-a", sink.identity())
        sink.store.memory[PIPELINE, "counts"] = row

    sink = _Meanwhile(1, begin)
    with pytest.raises(Fenced):
        opening.decide_start(_parts(WindowLog(storage), sink), "run-b")
    log = WindowLog(MemoryStorage())
    with pytest.raises(LogMismatch):
        opening.decide_start(_parts(log, ListSink(sink.store)), "run-c")


def test_the_header_is_created_before_any_ledger_row() -> None:
    """A driver may die before each thing it does: a row never names a log that is not there."""
    moments = 0
    for at in range(1, 1000):
        storage, store, fuse = MemoryStorage(), ListStore(), Fuse(at)
        sinks = {"one": ListSink(store), "two": ListSink(store)}
        made = pipeline(
            rows(["a"]), sinks, log=WindowLog(Seam(storage, "log", STORAGE_VERBS, fuse))
        )
        try:
            made.run(None)
        except Crash:
            moments += 1
            assert not store.memory or storage.within("headers").list()
        else:
            break
    assert moments > 5


def test_sinks_are_enrolled_once_and_only_those_without_a_row() -> None:
    """A start that died between two rows goes on with the one that lacks."""
    heard: list[str] = []

    class Adopting(HeardSink):
        dies = False

        def adopt(self, before: Held | None, after: Held) -> None:
            if self.dies:
                raise Crash("between two rows")
            self.heard.append(f"{self.name} {before} -> {after.window_id}")
            super().adopt(before, after)

    one, two = Adopting("one", heard), Adopting("two", heard)
    two.dies = True
    made = pipeline(HeardInput([[("a", 1)]], []), {"one": one, "two": two})
    with pytest.raises(Crash):
        made.run(None)
    two.dies = False
    made.run(None)
    made.run(None)
    assert [h for h in heard if "->" in h] == ["one None -> 0", "two None -> 0"]


def test_a_memory_to_look_at_cannot_be_changed() -> None:
    """It gives what is there, and keeps nothing."""
    log = begun(MemoryStorage(), 1)
    real = log.memory("lines")
    look = ReadOnlyMemory(real)
    look.save(1, b"one")
    assert (look.newest(), real.newest()) == (None, None)
    real.save(1, b"one")
    look.save(2, b"two")
    assert look.newest() == (1, b"one")
