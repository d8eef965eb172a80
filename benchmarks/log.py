"""The window log after a million windows, after a long history, and with many plans kept: does it
still append and recover as after ten?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks.command import alone
from benchmarks.histories import RUN_ID, Subject, grown, killed
from benchmarks.result import Figure, Grid, Result
from benchmarks.stats import median, percentile
from windowed import Pipeline
from windowed.loop import PURGE_EVERY
from windowlog import WindowLog
from windowlog.values import Part, Plan
from windowlog.window import Draft
from windowlog.wiring import InputIdentity, SinkIdentity

MILLION = 1_000_000
# FileInput folds every 100 windows: a driver dies with at most so many plans not folded.
UNFOLDED = 99


@dataclass(frozen=True, slots=True)
class Sizes:
    """`history` windows ran on one log, `kept` plans are kept in another; of each log so many
    `starts` and `appends` are measured."""

    history: int
    kept: int
    starts: int
    appends: int


FULL = Sizes(history=20_000, kept=10_000, starts=50, appends=500)
QUICK = Sizes(history=1000, kept=1000, starts=20, appends=100)


def measure(sizes: Sizes, folder: Path) -> Result:
    """All logs in turns: first the starts, then appends."""
    subjects = [
        grown(folder, "window 10", 10),
        grown(folder, f"window {MILLION:,}", 10, first=MILLION - 9),
        grown(folder, f"window {sizes.history:,}, grown here", sizes.history),
        grown(folder, f"{sizes.kept:,} plans kept", sizes.kept, keep=sizes.kept),
        killed(folder, f"killed, {UNFOLDED} plans to fold", UNFOLDED),
    ]
    for _ in range(sizes.starts):
        for subject in subjects:
            subject.decide_s.append(_decide(subject.pipeline))
            subject.recover_s.append(_seconds(partial(_open, subject.pipeline.log)))
    for subject in subjects:
        _open(subject.pipeline.log)
    for number in range(sizes.appends):
        for subject in subjects:
            _append(subject, purge=number % PURGE_EVERY == 0)
    return _result(subjects)


def _decide(pipeline: Pipeline) -> float:
    """What a start does before its first window: log, ledgers, decision, inputs."""
    start_s = time.perf_counter()
    with pipeline.open(None):
        return time.perf_counter() - start_s


def _open(log: WindowLog) -> None:
    log.open("history", RUN_ID)
    log.scan()


def _seconds(action: Callable[[], object]) -> float:
    start_s = time.perf_counter()
    action()
    return time.perf_counter() - start_s


def _append(subject: Subject, *, purge: bool) -> None:
    log = subject.pipeline.log
    window_id = log.newest + 1
    draft = Draft(
        window_id,
        datetime.now(UTC),
        {"rows": Plan((Part(f"rows[{window_id}]", {"at": window_id}),), window_id, records=1)},
        {"rows": InputIdentity("rows", "word, count")},
        {"list": SinkIdentity("memory", "append")},
        RUN_ID,
    )
    subject.append_s.append(_seconds(partial(log.append, draft)))
    if purge and not subject.pipeline.keep:
        log.purge(window_id)


def _result(subjects: list[Subject]) -> Result:
    young, *old = subjects
    figures = []
    for subject in old[:2]:
        for what, ours, base in (
            ("append", subject.append_s, young.append_s),
            ("open and scan", subject.recover_s, young.recover_s),
        ):
            pairs = median([one / other for one, other in zip(ours, base, strict=True)])
            figures.append(Figure(f"{what}, {subject.name}", pairs, "of window 10's", 1.2))
    slowest = max(subjects, key=lambda subject: max(subject.decide_s))
    name = f"a start decides ({slowest.name}), longest"
    figures.append(Figure(name, max(slowest.decide_s), "s", 1.0))
    columns = ("log", "append p50", "p99", "open, scan p50", "p99", "decide p50", "max")
    return Result(
        "log",
        "Does a log append and recover as fast after a million windows as after ten?",
        figures,
        [Grid("ms", columns, [_row(subject) for subject in subjects])],
        ["The log at window 1,000,000 began ten windows earlier: numbers are all that differs."],
    )


def _row(subject: Subject) -> tuple[str | float, ...]:
    cells: list[float] = []
    for values in (subject.append_s, subject.recover_s):
        cells += [median(values) * 1000, percentile(values, 99) * 1000]
    decide = subject.decide_s
    return (subject.name, *cells, median(decide) * 1000, max(decide) * 1000)


if __name__ == "__main__":
    alone(measure, full=FULL, quick=QUICK)
