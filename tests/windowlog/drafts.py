"""Drafts and logs for the tests of the window log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from windowlog.contracts import Storage
from windowlog.log import WindowLog
from windowlog.values import Part, Plan
from windowlog.window import Draft, Window
from windowlog.wiring import InputIdentity, SinkIdentity

PIPELINE = "counts"
NOON = datetime(2024, 2, 29, 12, 0, 0, 123456, tzinfo=UTC)


def draft(window_id: int, *, run_id: str = "run-a", planned_at: datetime | None = None) -> Draft:
    """Window n of input `lines`: the n-th line of in.txt, planned at n seconds past noon."""
    part = Part("in.txt", {"from": window_id - 1, "to": window_id})
    return Draft(
        window_id=window_id,
        planned_at=planned_at or NOON + timedelta(seconds=window_id),
        plans={"lines": Plan((part,), window_id, bytes=10, records=1)},
        inputs={"lines": InputIdentity("files/lines", "/data/in")},
        sinks={"counts": SinkIdentity("duckdb:///counts.duckdb word_counts", "append")},
        run_id=run_id,
    )


def opened(storage: Storage, *, run_id: str = "run-a", pipeline: str = PIPELINE) -> WindowLog:
    """A log over this storage, open and scanned; nothing is created."""
    log = WindowLog(storage)
    log.open(pipeline, run_id)
    log.scan()
    return log


def begun(storage: Storage, windows: int, *, run_id: str = "run-a") -> WindowLog:
    """A log that has these windows, from 1, all appended by this run."""
    log = opened(storage, run_id=run_id)
    log.create()
    for window_id in range(log.newest + 1, windows + 1):
        log.append(draft(window_id, run_id=run_id))
    return log


def records(storage: Storage) -> dict[str, bytes]:
    """All records of a log, path -> bytes."""
    folders = ("headers", "windows", "marks", "skips", "adoptions")
    found = {f"{at}/{name}": storage.within(at).read(name) for at, name in _names(storage, folders)}
    inputs = storage.within("inputs").within("lines")
    return found | {f"inputs/lines/{name}": inputs.read(name) for name in inputs.list()}


def _names(storage: Storage, folders: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(folder, name) for folder in folders for name in storage.within(folder).list()]


def tear(storage: Storage, name: str, folder: str = "windows") -> None:
    """Half of the record is lost."""
    place = storage.within(folder)
    data = place.read(name)
    place.delete(name)
    place.create(name, data[: len(data) // 2])


def at(window: Window) -> float:
    """Seconds past noon."""
    return (window.planned_at - NOON).total_seconds()
