"""What goes wrong in a window, what is tried again, and what the next run finds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.windowed.made import Ear, HeardInput, HeardSink, pipeline, rows, words
from windowed.errors import InUse
from windowed.pipeline import Pipeline
from windowed.testing.clock import ManualClock
from windowed.testing.crash import Crash, crash_everywhere
from windowed.testing.list_sink import ListSink, ListStore
from windowed.testing.rows import CRASH, RowsInput
from windowlog.errors import CommitUnknown, Fenced, NotHeld
from windowlog.log import WindowLog

NOT_HELD = NotHeld(sink="b", window_id=1, reason="a reader locks the table")
FENCED = Fenced(pipeline="made", evidence="the ledger moved")


def test_holding_stops_at_the_first_fence() -> None:
    """A sink after it gets nothing: another driver is further."""
    heard: list[str] = []
    sinks = {"a": HeardSink("a", heard, [FENCED]), "b": HeardSink("b", heard)}
    with pytest.raises(Fenced):
        pipeline(rows(["x"]), sinks).run(None)
    assert "b hold 1" not in heard
    assert not any("committed" in h for h in heard)


def test_a_window_that_was_surely_not_held_is_tried_again() -> None:
    """From reading on; what was staged is thrown away, and a sink that holds it is left alone."""
    heard: list[str] = []
    clock = ManualClock()
    sinks = {"a": HeardSink("a", heard), "b": HeardSink("b", heard, [NOT_HELD, NOT_HELD])}
    source = HeardInput([[("x", 1)]], heard)
    pipeline(source, sinks).run(None, clock=clock)
    assert (words(sinks["a"]), words(sinks["b"])) == (["x"], ["x"])
    assert heard.count("read") == 3
    assert [h for h in heard if "hold" in h or "abandon" in h] == [
        "a hold 1",
        "b hold 1",
        "b abandon 1",
        "b hold 1",
        "b abandon 1",
        "b hold 1",
    ]
    assert clock.waits == [0.5, 1.0]


def test_after_three_tries_a_person_should_look() -> None:
    """The error goes out, and the next run replays the window."""
    sink = HeardSink("b", [], [NOT_HELD] * 3)
    made = pipeline(rows(["x"]), {"b": sink})
    with pytest.raises(NotHeld, match="a reader locks the table"):
        made.run(None, clock=ManualClock())
    assert made.run(None).windows_replayed == 1
    assert words(sink) == ["x"]


def test_an_unknown_commit_is_never_retried_blindly() -> None:
    """It ends the run at once; the ledger says at the next start."""
    unknown = CommitUnknown(sink="b", window_id=1, reason="the server is gone")
    clock, sink = ManualClock(), HeardSink("b", [], [unknown])
    with pytest.raises(CommitUnknown):
        pipeline(rows(["x"]), {"b": sink}).run(None, clock=clock)
    assert (clock.waits, sink.heard.count("b hold 1")) == ([], 1)


def test_a_source_that_changed_stops_the_window_before_any_sink_holds_it() -> None:
    """`verify` comes after the rows were used and before they are kept."""

    class Changed(RowsInput):
        def verify(self, plan: Any, skips: Any) -> None:
            raise OSError("it is another file now")

    sink = ListSink()
    with pytest.raises(OSError, match="another file"):
        pipeline(Changed([[("x", 1)]], schema="word string, count long"), {"out": sink}).run(None)
    assert words(sink) == []


def test_a_failure_closes_everything_and_is_not_hidden() -> None:
    """What closing raises then is not what a person should see."""

    class Stuck(HeardSink):
        def close(self) -> None:
            super().close()
            raise OSError("cannot close")

    heard: list[str] = []
    sinks = {"a": Stuck("a", heard), "b": HeardSink("b", heard, [FENCED])}
    ear = Ear(heard)
    with pytest.raises(Fenced):
        pipeline(HeardInput([[("x", 1)]], heard), sinks).run(None, listeners=[ear])
    assert heard[-5:] == ["failed Fenced", "input close", "a close", "b close", "ended"]


def test_at_a_clean_end_the_first_failing_close_is_raised_after_all_are_closed() -> None:
    """Folding at close is work: its failure must show."""

    class Stuck(HeardSink):
        def close(self) -> None:
            super().close()
            raise OSError(f"{self.name} cannot close")

    heard: list[str] = []
    sinks = {"a": Stuck("a", heard), "b": Stuck("b", heard)}
    with pytest.raises(OSError, match="a cannot close"):
        pipeline(HeardInput([[("x", 1)]], heard), sinks).run(None, listeners=[Ear(heard)])
    assert heard[-4:] == ["input close", "a close", "b close", "ended"]


def test_one_pipeline_object_does_one_thing_at_a_time() -> None:
    """A second run, a look or an open while one goes on: an error that says so, and no harm."""
    made = pipeline(rows(["x"], ["y"]))
    with made.open(None) as run:
        window = run.next()
        assert window is not None
        for use in (made.run, made.preview):
            with pytest.raises(InUse, match="'made' is running"):
                use(None)
        with pytest.raises(InUse):
            made.read_window(None, 1)
        run.hold(window, window.frames["lines"])
    assert made.run(None).windows_run == 1


@pytest.mark.parametrize("sinks", [1, 2])
def test_a_driver_may_die_at_every_moment(sinks: int) -> None:
    """Before and after everything it does: the next run brings every row in, once."""

    def build() -> Pipeline:
        source = rows(["a"], ["b", "c"], [], ["d"])
        return pipeline(source, {f"s{n}": ListSink() for n in range(sinks)})

    def check(made: Pipeline) -> None:
        for sink in made.sinks.values():
            assert isinstance(sink, ListSink)
            assert words(sink) == ["a", "b", "c", "d"]

    assert crash_everywhere(build, check) > 100


def test_a_crash_written_among_the_rows_happens_once() -> None:
    """The shortest test of a restart."""
    sink = ListSink()
    made = pipeline(rows(["a"], CRASH, ["b"]), {"out": sink})
    with pytest.raises(Crash):
        made.run(None)
    assert words(sink) == ["a"]
    made.run(None)
    assert words(sink) == ["a", "b"]


def test_a_second_driver_is_fenced_and_its_rows_are_rolled_back() -> None:
    """Two pipelines over one log and one database; the slower one says what happened."""
    storage, store = WindowLog.in_memory().storage, ListStore()

    def driver(source: RowsInput) -> Pipeline:
        return pipeline(source, {"out": ListSink(store)}, log=WindowLog(storage))

    source = rows(["a"], ["b"], ["c"])
    slow, fast = driver(source), driver(source)
    with slow.open(None) as run:
        window = run.next()
        assert window is not None
        fast.run(None)
        with pytest.raises(Fenced, match="Another driver runs pipeline 'made'"):
            run.hold(window, window.frames["lines"])
    assert words(ListSink(store)) == ["a", "b", "c"]
