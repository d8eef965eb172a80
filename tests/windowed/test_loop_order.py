"""What a run does in one fixed order, and what it closes."""

from __future__ import annotations

import pyarrow

from windowed import Listener, Pipeline
from windowed.testing import ListSink, RowsInput
from windowlog import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.window import Window


class _Closing(MemoryStorage):
    """Counts how often it is closed."""

    closed = 0

    def close(self) -> None:
        """Once more."""
        self.closed += 1
        super().close()


class _Order(Listener):
    def __init__(self) -> None:
        self.sinks: list[str] = []

    def held(self, window: Window, sink: str) -> None:
        self.sinks.append(sink)


def _run(storage: MemoryStorage, *sinks: str) -> list[str]:
    """One window: which sinks held it, in this order."""
    heard = _Order()

    def same(lines: pyarrow.Table) -> pyarrow.Table:
        return lines

    Pipeline(
        "ordered",
        inputs={"lines": RowsInput([[("a",)]], schema="value string")},
        transform=same,
        sinks={name: ListSink() for name in sinks},
        log=WindowLog(storage),
    ).run(None, progress=False, listeners=[heard])
    return heard.sinks


def test_sinks_hold_in_one_order_however_they_are_written_down() -> None:
    """By name: two drivers never wait for each other's ledgers crosswise."""
    assert _run(MemoryStorage(), "c", "a", "b") == ["a", "b", "c"]


def test_the_log_is_closed_at_the_end() -> None:
    """As inputs and sinks are: a storage may have connections."""
    storage = _Closing()
    _run(storage, "a")
    assert storage.closed == 1
