"""Progress: a line that is always up to date on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import io
import sys
import time
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from tests.windowed.made import pipeline, rows
from tests.windowlog.drafts import begun
from windowed.progress import ProgressBar, ProgressLines, Tally, reporter
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Part, Plan
from windowlog.window import Window

BASE = begun(MemoryStorage(), 1).read(1)


def _window(window_id: int, size: int | None = None, records: int | None = None) -> Window:
    part = Part("a", {})
    return replace(BASE, id=window_id, plans={"lines": Plan((part,), 1, size, records)})


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock says: the last entry."""
    said = [100.0]
    monkeypatch.setattr("windowed.progress.time.monotonic", lambda: said[-1])
    return said


def test_a_tally_counts_what_this_run_held(seconds: list[float]) -> None:
    """Sizes only where they are known; a window of an earlier run, told again, is not counted."""
    tally = Tally("counts")
    tally.add(_window(7, 1_000_000))
    for window in (_window(8), _window(9, 21_000_000, 12_345)):
        tally.planned(window, replay=False)
        tally.add(window)
    seconds.append(104.2)
    assert tally.text(_window(9)) == (
        "counts: window 9 held · 2 windows, 21.0 MB, 12,345 records in 4.2 s"
    )


def test_a_window_that_is_told_again_once_a_fault_has_passed_is_counted_once() -> None:
    """Each attempt tells the newest window as committed again: nothing more was held."""
    tally = Tally("counts")
    window = _window(1, records=160)
    tally.planned(window, replay=False)
    for _ in range(4):
        tally.add(window)
    tally.planned(window, replay=True)
    tally.planned(_window(2, records=1), replay=False)
    tally.add(_window(2, records=1))
    assert "· 2 windows, 161 records in" in tally.text(_window(2))


def test_a_tally_without_sizes_says_nothing_of_them(seconds: list[float]) -> None:
    """Not every input knows them."""
    tally = Tally("counts")
    tally.planned(_window(1), replay=False)
    tally.add(_window(1))
    assert tally.text(_window(1)) == "counts: window 1 held · 1 window in 0.0 s"


def test_a_line_comes_when_it_is_time(seconds: list[float]) -> None:
    """Ten seconds apart at least: a log file is read by people."""
    stream = io.StringIO()
    lines = ProgressLines("counts", stream, 10.0)
    for window_id in range(1, 8):
        lines.planned(_window(window_id), replay=False)
        seconds.append(seconds[-1] + 4)
        lines.committed(_window(window_id))
    assert stream.getvalue().splitlines() == [
        "counts: window 3 held · 3 windows in 12.0 s",
        "counts: window 6 held · 6 windows in 24.0 s",
    ]


def test_what_a_run_waits_for_is_said_once(seconds: list[float]) -> None:
    """Until that changes, or a window was held between."""
    stream = io.StringIO()
    lines = ProgressLines("counts", stream, 10.0)
    for names in ([], ["a"], ["a"], ["a", "b", "c", "d", "e"], []):
        lines.waiting(names)
    lines.committed(_window(1))
    lines.waiting(["a"])
    assert stream.getvalue().splitlines() == [
        "counts: waiting for a",
        "counts: waiting for a, b, c and 2 more",
        "counts: waiting for a",
    ]


def test_a_run_too_short_for_a_line_says_one_at_its_end(seconds: list[float]) -> None:
    """How far it came; not again what the last line said, and nothing if there was nothing."""
    stream = io.StringIO()
    lines = ProgressLines("counts", stream, 10.0)
    lines.ended()
    lines.planned(_window(1), replay=False)
    seconds.append(102.5)
    lines.committed(_window(1))
    lines.ended()
    lines.ended()
    seconds.append(seconds[-1] + 10)
    lines.planned(_window(2), replay=False)
    lines.committed(_window(2))
    lines.ended()
    assert stream.getvalue().splitlines() == [
        "counts: window 1 held · 1 window in 2.5 s",
        "counts: window 2 held · 2 windows in 12.5 s",
    ]


def test_a_run_that_failed_says_no_more() -> None:
    """Its error is the last word."""
    stream = io.StringIO()
    lines = ProgressLines("counts", stream, 10.0)
    lines.planned(_window(1), replay=False)
    lines.committed(_window(1))
    lines.stopping("SIGTERM")
    lines.failed(ValueError())
    lines.ended()
    assert " held " not in stream.getvalue()


def test_a_fault_that_may_pass_is_said_with_the_time_of_the_next_attempt() -> None:
    """On both: a service that waits in silence looks well."""
    stream = io.StringIO()
    console, terminal = _terminal()
    for listener in (ProgressLines("counts", stream, 10.0), ProgressBar("counts", console)):
        listener.failed(OSError("disk is away"))
        listener.ended()
        listener.retrying(OSError("disk is away"), 4.0)
    assert stream.getvalue() == "counts: trying again in 4 s: disk is away\n"
    assert "counts: trying again in 4 s: disk is away" in terminal.getvalue()


def _wait_for(text: str, stream: io.StringIO) -> None:
    """It is said by another thread."""
    give_up_s = time.monotonic() + 60
    while text not in stream.getvalue():
        assert time.monotonic() < give_up_s, stream.getvalue()
        time.sleep(0.001)


@pytest.mark.parametrize(
    ("signal", "again"), [("SIGINT", "Ctrl-C again"), ("SIGTERM", "a second signal")]
)
def test_a_signal_is_answered(signal: str, again: str) -> None:
    """What it does, what the next one does, and at the end that it was that."""
    stream = io.StringIO()
    lines = ProgressLines("counts", stream, 10.0)
    lines.planned(_window(8), replay=False)
    lines.committed(_window(8))
    lines.planned(_window(9), replay=False)
    lines.stopping(signal)
    _wait_for("\n", stream)
    lines.committed(_window(9))
    lines.ended()
    first, last = stream.getvalue().splitlines()
    assert first == f"counts: stopping after window 9; {again} stops now"
    assert last.startswith("counts: window 9 held · 2 windows in ")
    assert last.endswith(f"; stopped by {signal}")


def test_a_signal_while_nothing_is_in_flight_names_no_window() -> None:
    """The run waits for new data."""
    stream = io.StringIO()
    lines = ProgressLines("counts", stream, 10.0)
    lines.stopping("SIGTERM")
    _wait_for("\n", stream)
    lines.ended()
    assert stream.getvalue().splitlines() == [
        "counts: stopping; a second signal stops now",
        "counts: nothing new; stopped by SIGTERM",
    ]


def test_a_terminal_answers_a_signal_on_lines_that_stay() -> None:
    """Above the one that is rewritten, and after it."""
    console, stream = _terminal()
    bar = ProgressBar("counts", console)
    bar.planned(_window(1), replay=False)
    bar.stopping("SIGINT")
    _wait_for("Ctrl-C again stops now", stream)
    bar.committed(_window(1))
    bar.failed(ValueError())
    bar.stopping("SIGINT")
    bar.ended()
    assert stream.getvalue().rstrip().endswith("; stopped by SIGINT")


def _terminal() -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100, color_system=None)
    return console, stream


def test_a_terminal_shows_what_is_going_on() -> None:
    """One line, rewritten; at the end it is left as it was."""
    console, stream = _terminal()
    bar = ProgressBar("counts", console)
    bar.planned(_window(1), replay=True)
    bar.committed(_window(1))
    bar.waiting([])
    bar.ended()
    bar.ended()
    hide, show, erase = "\x1b[?25l", "\x1b[?25h", "\r\x1b[1A\x1b[2K"
    shown = stream.getvalue()
    assert shown.startswith(hide)
    assert shown.endswith(f"counts: waiting for new data\n{show}{erase}")


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (lambda bar: bar.planned(_window(2), replay=False), "counts: working on window 2"),
        (lambda bar: bar.planned(_window(2), replay=True), "counts: replaying window 2"),
        (lambda bar: bar.committed(_window(2)), "counts: window 2 held · 0 windows in 0.0 s"),
        (lambda bar: bar.waiting(["a.txt"]), "counts: waiting for a.txt"),
        (lambda bar: bar.waiting([]), "counts: waiting for new data"),
    ],
)
def test_each_moment_has_its_words(told: Any, text: str, seconds: list[float]) -> None:
    """On the terminal's line."""
    console, stream = _terminal()
    bar = ProgressBar("counts", console)
    told(bar)
    bar.ended()
    assert text in stream.getvalue()


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("asked", "terminal", "kind", "every_s"),
    [
        (False, True, None, None),
        (False, False, None, None),
        (None, True, ProgressBar, None),
        (True, True, ProgressBar, None),
        (None, False, ProgressLines, 10.0),
        (True, False, ProgressLines, 0.0),
    ],
)
def test_who_reports(
    asked: bool | None, terminal: bool, kind: Any, every_s: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bar on a terminal, lines elsewhere, nothing when nothing is wanted."""
    monkeypatch.setattr(sys, "stderr", _Terminal() if terminal else io.StringIO())
    made = reporter("counts", asked)
    assert [type(listener) for listener in made] == ([] if kind is None else [kind])
    if every_s is not None:
        assert isinstance(made[0], ProgressLines)
        assert made[0]._every_s == every_s


def test_a_run_reports_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Every window when it was asked for; standard output is the user's."""
    pipeline(rows(["a"], ["b"])).run(None, progress=True)
    said = capsys.readouterr()
    assert said.out == ""
    assert [line.split(" in ")[0] for line in said.err.splitlines()] == [
        "made: window 1 held · 1 window, 1 record",
        "made: window 2 held · 2 windows, 2 records",
    ]
