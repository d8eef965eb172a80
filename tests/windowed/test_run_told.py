"""What a run says: its summary, its listeners, and what it says of a transform."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.windowed.made import Ear, HeardSink, On, pipeline, rows, words
from windowed import Summary
from windowed.errors import WrongOutputs
from windowed.testing.list_sink import ListSink
from windowlog.errors import CommitUnknown

UNKNOWN = CommitUnknown(sink="s", window_id=1, reason="the server is gone")


def test_a_summary_counts_windows_and_records() -> None:
    """In numbers, and in words for a log."""
    made = pipeline(rows(["a"], ["b", "c"], []))
    summary = made.run(None)
    assert (summary.pipeline, summary.window_ids) == ("made", range(1, 4))
    assert (summary.windows_run, summary.windows_replayed) == (3, 0)
    assert (summary.records, summary.bytes) == (3, 0)
    assert re.fullmatch(r"made: windows 1 to 3 in \d+\.\d s", str(summary))
    assert str(made.run(None)) == "made: nothing new"


@pytest.mark.parametrize(
    ("ids", "run", "replayed", "text"),
    [
        (range(0), 0, 0, "p: nothing new"),
        (range(7, 8), 1, 0, "p: window 7 in 2.5 s"),
        (range(7, 8), 1, 1, "p: window 7, replayed in 2.5 s"),
        (range(7, 10), 3, 2, "p: windows 7 to 9, 2 of them replayed in 2.5 s"),
        (range(7, 9), 2, 2, "p: windows 7 to 8, replayed in 2.5 s"),
    ],
)
def test_a_summary_reads_well(ids: range, run: int, replayed: int, text: str) -> None:
    """One window, several, none."""
    said = Summary("p", ids, run, replayed, 0, 0, {"hold": 1.5}, elapsed_s=2.5)
    assert str(said) == text
    assert str(replace(said, stopped=True)) == f"{text}; it was stopped"


def test_the_time_of_a_summary_is_all_of_it() -> None:
    """From the first look to the last hold, and not only inside the steps: as the progress says."""
    summary = pipeline(rows(["a"], ["b"])).run(None)
    assert sum(summary.seconds.values()) < summary.elapsed_s


def test_listeners_are_told_in_their_order() -> None:
    """Each of everything, the first one first."""
    heard: list[str] = []
    ears = [Ear(heard, "one"), Ear(heard, "two")]
    made = pipeline(rows(["a"]), {"s": HeardSink("s", [], [UNKNOWN])})
    with pytest.raises(CommitUnknown):
        made.run(None, listeners=ears)
    made.run(None, listeners=ears)
    told = ["planned 1", "failed CommitUnknown", "ended"]
    told += ["replay 1", "held 1 s", "committed 1", "ended"]
    assert heard == [f"{name} {text}" for text in told for name in ("one", "two")]


def test_an_exception_in_a_listener_ends_the_run() -> None:
    """Nothing is swallowed; the window is whole, or replayed."""
    sink = ListSink()

    def broken() -> None:
        raise ValueError("a bad listener")

    made = pipeline(rows(["a"], ["b"]), {"out": sink})
    with pytest.raises(ValueError, match="a bad listener"):
        made.run(None, listeners=[On(held=broken)])
    made.run(None)
    assert words(sink) == ["a", "b"]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, "NoneType for sink out"),
        ("rows", "str for sink out"),
        ({}, r"frames for \[\]"),
        ({"out": None}, "NoneType for sink out"),
        ({"other": 1}, r"frames for \['other'\]"),
        ({"out": 1, 7: 2}, r"frames for \['7', 'out'\]"),
    ],
)
def test_a_transform_must_return_frames_for_the_sinks(result: Any, message: str) -> None:
    """The window is not written, and replayed when that is corrected."""
    sink, source = ListSink(), rows(["a"])
    made = pipeline(source, {"out": sink}, transform=lambda lines: result)
    with pytest.raises(WrongOutputs, match=message):
        made.run(None)
    assert words(sink) == []
    made.transform = lambda lines: lines
    assert made.run(None).windows_replayed == 1
    assert words(sink) == ["a"]
