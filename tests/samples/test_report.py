"""What the sample shows at its end: windows, and one sentence."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from samples.wordcount.report import Report
from tests.windowlog.drafts import begun
from windowed import Summary
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Part, Plan

WINDOW = replace(
    begun(MemoryStorage(), 1).read(1),
    id=4,
    plans={"lines": Plan((Part("a", {}),), 1, 19_400, None)},
)


def _shown(place: Path, summary: Summary, *replays: bool) -> str:
    stream = io.StringIO()
    report = Report(Console(file=stream, width=100))
    for replay in replays:
        report.planned(WINDOW, replay=replay)
    report.show(summary, f"duckdb:///{place}/x.duckdb")
    return stream.getvalue()


def test_a_run_that_found_nothing_says_what_that_means(tmp_path: Path) -> None:
    """It is the second run, which would else count everything again."""
    shown = _shown(tmp_path, Summary("wordcount", range(0), 0, 0, 0, 0))
    assert shown.endswith("wordcount: nothing new: so nothing was counted twice.\n")


@pytest.mark.parametrize("replays", [[False], [False, True]])
def test_windows_are_shown_and_replays_where_there_are_any(
    tmp_path: Path, replays: list[bool]
) -> None:
    """Each column has a name; a small window has a size too."""
    summary = Summary("wordcount", range(4, 5), 1, 0, 0, 0, elapsed_s=2.5)
    shown = _shown(tmp_path, summary, *replays)
    header = [cell.strip() for cell in shown.splitlines()[1].strip("┃").split("┃")]
    assert header == ["window", "planned at", "files", "size"] + ["replayed"] * any(replays)
    assert shown.count("19.4 kB") == len(replays)
    assert shown.count("yes") == sum(replays)
    assert shown.endswith("wordcount: window 4 in 2.5 s.\n")
