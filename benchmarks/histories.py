"""Logs with a past, and pipelines that go on with them. All without Spark and with a sink in
memory: what is measured is the log."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.inputs import LINE_BYTES, TablesInput, tables, write_lines
from connectors import FileInput
from windowed import Pipeline, drained
from windowed.testing import ListSink
from windowlog import WindowLog
from windowlog.contracts import Input

RUN_ID = "00000000-0000-4000-8000-000000000000"


@dataclass
class Subject:
    """A pipeline whose log has a past, and what was measured of it."""

    name: str
    pipeline: Pipeline
    decide_s: list[float] = field(default_factory=list)
    recover_s: list[float] = field(default_factory=list)
    append_s: list[float] = field(default_factory=list)


def grown(folder: Path, name: str, windows: int, *, first: int = 1, keep: int = 0) -> Subject:
    """A log on which so many windows ran, one after the other, from window `first` on."""
    rows = tables(1, 1) * windows
    pipeline = _pipeline(folder / name, TablesInput(rows), keep)
    if first != 1:
        pipeline.log.open(pipeline.name, RUN_ID)
        pipeline.log.renew(pipeline.name, RUN_ID, first, {"rows": 0})
        pipeline.log.create()
        pipeline.log.close()
    pipeline.run(None, until=drained(), progress=False)
    return Subject(name, pipeline)


def killed(folder: Path, name: str, windows: int) -> Subject:
    """A log whose driver was killed before its file input folded any of so many plans."""
    source = folder / "in"
    source.mkdir()
    write_lines(source / "lines.txt", windows)
    pipeline = _pipeline(folder / name, _Unfolded(source, max_bytes_per_window=LINE_BYTES), 0)
    pipeline.run(None, until=drained(), progress=False)
    return Subject(name, pipeline)


class _Unfolded(FileInput):
    """FileInput in a driver that was killed: it closes nothing, and so never folds."""

    def close(self) -> None:
        """Nothing."""


def _pipeline(folder: Path, source: Input, keep: int) -> Pipeline:
    return Pipeline(
        "history",
        inputs={"rows": source},
        transform=_unchanged,
        sinks={"list": ListSink()},
        log=WindowLog(folder),
        keep=keep,
    )


def _unchanged(rows: Any) -> Any:
    return rows
