"""crash_everywhere: what it says while it works, and which moment a failed check is about."""

from __future__ import annotations

import io
import itertools
import sys
from types import SimpleNamespace

import pytest

from tests.windowed.made import pipeline, rows
from windowed import Pipeline
from windowed.testing import ListSink, crash_everywhere
from windowlog.errors import KitError


def build() -> Pipeline:
    """One window."""
    return pipeline(rows(["a"]), {"out": ListSink()})


def nothing(made: Pipeline) -> None:
    """No check."""


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which each look takes two seconds."""
    ticks = itertools.count(0.0, 2.0)
    clock = SimpleNamespace(monotonic=lambda: next(ticks))
    monkeypatch.setattr("windowed.testing.crash.time", clock)


@pytest.mark.usefixtures("seconds")
def test_it_says_now_and_then_how_far_it_is() -> None:
    """The total is what an undisturbed run does, before and after."""
    said: list[str] = []
    moments = crash_everywhere(build, nothing, tell=said.append)
    assert 0 < len(said) < moments
    assert said[-1].endswith(f" of about {moments} moments")
    assert said[0].startswith("crash_everywhere: ")


@pytest.mark.usefixtures("seconds")
@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_is_told_and_a_file_is_not(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line in a log is only noise."""
    stream = _Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    crash_everywhere(build, nothing)
    assert ("of about" in stream.getvalue()) is terminal


def test_a_check_that_is_wrong_without_any_crash_says_so() -> None:
    """It would else be blamed on the first moment."""

    def wrong(made: Pipeline) -> None:
        raise AssertionError("two is not three")

    with pytest.raises(AssertionError) as failed:
        crash_everywhere(build, wrong)
    assert failed.value.__notes__ == ["no driver died: nobody disturbed this run"]


def test_a_check_that_fails_after_a_crash_names_the_moment() -> None:
    """What the driver had just done, or was about to do."""
    calls = itertools.count()

    def second(made: Pipeline) -> None:
        assert next(calls) == 0

    with pytest.raises(AssertionError) as failed:
        crash_everywhere(build, second)
    [note] = failed.value.__notes__
    assert note.startswith("the driver died before ")
    assert note.endswith("(moment 1)")


def test_a_world_that_is_not_made_anew_is_asked_about() -> None:
    """The second pipeline meets what the first one left, and is refused."""
    sink = ListSink()
    with pytest.raises(KitError) as caught:
        crash_everywhere(lambda: pipeline(rows(["a"]), {"out": sink}), nothing)
    notes = caught.value.__notes__
    assert notes[0].startswith("the driver died before ")
    assert notes[1] == "Does build() make everything anew, log and databases too?"
