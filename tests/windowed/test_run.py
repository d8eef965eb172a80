"""A run: until when, how often, what passes and what does not, and how it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.windowed.made import Ear, HeardSink, On, pipeline, rows, words
from windowed import Listener, drained, every, forever, windows
from windowed.errors import TimedOut
from windowed.testing.clock import ManualClock
from windowed.testing.list_sink import ListSink
from windowed.testing.rows import RowsInput
from windowlog.errors import CommitUnknown, Fenced, NotHeld, PreviousFailure, StorageFailed
from windowlog.values import Bounds

UNKNOWN = CommitUnknown(sink="s", window_id=1, reason="the server is gone")


class Arriving(RowsInput):
    """Rows that come in with time: `arrive` is called at each wait of the clock."""

    def __init__(self, windows: list[Any]) -> None:
        super().__init__(windows, schema="word string, count long")
        self.late: list[str] = []
        self.looks = 0

    def bounds(self) -> Bounds:
        """Count the looks."""
        self.looks += 1
        return super().bounds()

    def waiting(self, bounds: Bounds) -> list[str]:
        """What is there and cannot be read yet."""
        return list(self.late)

    def arrive(self, word: str) -> None:
        """One more window."""
        self.windows.append([(word, 1)])


def _at_waits(*actions: Callable[[], object]) -> ManualClock:
    """A clock whose n-th wait does the n-th action."""
    left = list(actions)

    def on_wait(clock: ManualClock) -> None:
        assert left, "the run waits more often than it should"
        left.pop(0)()

    return ManualClock(on_wait=on_wait)


def test_drained_takes_what_was_there_when_the_run_began() -> None:
    """What comes in while it works is for the next run."""
    source, sink = Arriving([[("a", 1)], [("b", 1)]]), ListSink()
    made = pipeline(source, {"out": sink})
    late = On(held=lambda: source.arrive("late"))
    summary = made.run(None, until=drained(), listeners=[late])
    assert (words(sink), summary.windows_run, source.looks) == (["a", "b"], 2, 1)


def test_drained_waits_for_what_cannot_be_read_yet() -> None:
    """And says for what, each time."""
    source, ear = Arriving([[("a", 1)]]), Ear()
    source.late = ["b.txt"]
    clock = _at_waits(lambda: None, source.late.clear)
    pipeline(source).run(None, clock=clock, listeners=[ear])
    assert [h for h in ear.heard if "waiting" in h] == ["waiting b.txt", "waiting b.txt"]
    assert clock.waits == [0.5, 0.5]


def test_windows_counts_only_new_ones() -> None:
    """A replayed window was counted by the run that planned it."""
    sink = HeardSink("s", [], [UNKNOWN])
    made = pipeline(rows(["a"], ["b"], ["c"], ["d"]), {"s": sink})
    with pytest.raises(CommitUnknown):
        made.run(None)
    summary = made.run(None, until=windows(2))
    assert (words(sink), summary.windows_run, summary.windows_replayed) == (["a", "b", "c"], 3, 1)


def test_windows_waits_for_more_to_come() -> None:
    """Looking twice a second."""
    source, sink, ear = Arriving([[("a", 1)]]), ListSink(), Ear()
    clock = _at_waits(lambda: None, lambda: source.arrive("b"))
    made = pipeline(source, {"out": sink})
    made.run(None, until=windows(2), clock=clock, listeners=[ear])
    assert words(sink) == ["a", "b"]
    assert [h for h in ear.heard if "waiting" in h] == ["waiting", "waiting"]


def test_windows_gives_up_after_its_time() -> None:
    """All windows that ran are whole; the error says how many, of how many."""
    sink = ListSink()
    made = pipeline(rows(["a"]), {"out": sink})
    with pytest.raises(TimedOut, match=r"run 3 windows in 10 s and ran 1"):
        made.run(None, until=windows(3, timeout_s=10), clock=ManualClock())
    assert words(sink) == ["a"]
    made.run(None)


def test_forever_goes_on_until_it_is_stopped() -> None:
    """And ends well."""
    source, sink = Arriving([[("a", 1)]]), ListSink()
    made = pipeline(source, {"out": sink})
    run: list[Any] = []
    reached = threading.Event()

    def stop() -> None:
        assert reached.wait(60)
        run[0].stop()

    clock = _at_waits(lambda: source.arrive("b"), stop)
    run.append(made.start(None, until=forever(), clock=clock))
    reached.set()
    assert run[0].wait().windows_run == 2
    assert words(sink) == ["a", "b"]


@pytest.mark.parametrize(
    "error",
    [
        UNKNOWN,
        NotHeld(sink="s", window_id=1, reason="locked"),
        PreviousFailure(what="the log", reason="disk full"),
        StorageFailed(where="/state", reason="disk full", remedy="Make room."),
        ConnectionResetError("the broker is gone"),
    ],
)
def test_forever_waits_out_what_passes(error: Exception) -> None:
    """The window that failed is replayed, once the fault has gone."""
    sink, ear, on = HeardSink("s", [], [error] * 3), Ear(), On()
    made = pipeline(rows(["a"]), {"s": sink})
    run = made._run(None, forever(), None, [ear, on], False, ManualClock())
    on.actions["committed"] = run.stop
    assert (run.execute().windows_run, words(sink)) == (1, ["a"])
    assert f"failed {type(error).__name__}" in ear.heard


def test_pauses_between_retries_grow_to_a_minute() -> None:
    """1, 2, 4 … s; and ten failures without a window held are not passing."""
    sink = HeardSink("s", [], [UNKNOWN] * 99)
    clock = ManualClock()
    with pytest.raises(CommitUnknown):
        pipeline(rows(["a"]), {"s": sink}).run(None, until=forever(), clock=clock)
    assert clock.waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_each_retry_is_told_before_its_pause() -> None:
    """With the fault and the seconds; the last failure is only the run's error."""
    told: list[tuple[str, float]] = []

    class Attempts(Listener):
        def retrying(self, error: Exception, pause_s: float) -> None:
            told.append((type(error).__name__, pause_s))

    made = pipeline(rows(["a"]), {"s": HeardSink("s", [], [UNKNOWN] * 99)})
    with pytest.raises(CommitUnknown):
        made.run(None, until=forever(), clock=ManualClock(), listeners=[Attempts()])
    assert told == [("CommitUnknown", n) for n in (1, 2, 4, 8, 16, 32, 60, 60, 60)]


def test_a_window_held_begins_the_count_of_failures_anew() -> None:
    """A fault each window or two is a bad network, not a broken job."""
    fails: list[Exception | None] = []
    for _ in range(15):
        fails += [UNKNOWN, None]
    sink = HeardSink("s", [], fails)
    clock = ManualClock()
    made = pipeline(rows(*[[str(n)] for n in range(15)]), {"s": sink})
    run = made._run(None, forever(), None, [], False, clock)
    clock._on_wait = lambda clock: run.stop() if len(words(sink)) == 15 else None
    run.execute()
    assert len(words(sink)) == 15
    assert set(clock.waits[:-1]) == {1.0}


@pytest.mark.parametrize(
    "error", [Fenced(pipeline="made", evidence="another"), ValueError("a bad transform")]
)
def test_forever_does_not_wait_out_what_does_not_pass(error: Exception) -> None:
    """A fence, a mistake in the transform: a person must look."""
    clock = ManualClock()
    made = pipeline(rows(["a"]), {"s": HeardSink("s", [], [error])})
    with pytest.raises(type(error)):
        made.run(None, until=forever(), clock=clock)
    assert clock.waits == []


def test_drained_waits_nothing_out() -> None:
    """Cron or Airflow start it again."""
    clock = ManualClock()
    made = pipeline(rows(["a"]), {"s": HeardSink("s", [], [UNKNOWN])})
    with pytest.raises(CommitUnknown):
        made.run(None, until=drained(), clock=clock)
    assert clock.waits == []


def test_a_stop_during_a_pause_ends_the_run() -> None:
    """Without another try."""
    heard: list[str] = []
    sink = HeardSink("s", heard, [UNKNOWN] * 9)
    made = pipeline(rows(["a"]), {"s": sink})
    clock = ManualClock()
    run = made._run(None, forever(), None, [], False, clock)
    clock._on_wait = lambda clock: run.stop()
    assert run.execute().windows_run == 0
    assert heard.count("s hold 1") == 1


def test_windows_begin_on_multiples_of_the_trigger() -> None:
    """One that took longer is followed at once, and the beat goes on from there."""
    clock = ManualClock()
    starts: list[float] = []
    took = iter([3.0, 25.0, 1.0, 1.0])

    def planned() -> None:
        starts.append(clock.monotonic_s())
        clock.advance(next(took))

    made = pipeline(rows(["a"], ["b"], ["c"], ["d"]))
    made.run(None, trigger=every(10), clock=clock, listeners=[On(planned=planned)])
    assert starts == [0.0, 10.0, 35.0, 45.0]


def test_a_backlog_is_planned_from_one_look() -> None:
    """A listing of a large folder costs more than a small window."""
    source = Arriving([[(str(n), 1)] for n in range(50)])
    pipeline(source).run(None, until=windows(50), clock=ManualClock())
    assert source.looks == 1


def test_an_old_look_is_renewed() -> None:
    """What has come in since is seen after five seconds at the latest."""
    source, clock = Arriving([[(str(n), 1)] for n in range(6)]), ManualClock()
    slow = On(committed=lambda: clock.advance(2))
    pipeline(source).run(None, until=windows(6), clock=clock, listeners=[slow])
    assert source.looks == 2


def test_a_run_in_a_thread_can_be_stopped_and_waited_for() -> None:
    """It finishes the window in flight, and no other."""
    sink = ListSink()
    made = pipeline(rows(["a"], ["b"], ["c"]), {"out": sink})
    inside, go_on = threading.Event(), threading.Event()

    def planned() -> None:
        inside.set()
        assert go_on.wait(60)

    run = made.start(None, listeners=[On(planned=planned)])
    assert inside.wait(60)
    assert run.progress.windows_run == 0
    run.stop()
    go_on.set()
    assert (run.wait().windows_run, words(sink)) == (1, ["a"])
    assert run.progress.windows_run == 1


def test_a_run_in_a_thread_hands_its_error_to_wait() -> None:
    """The very same error."""
    failure = ValueError("a bad transform")

    def bad(lines: Any) -> Any:
        raise failure

    run = pipeline(rows(["a"]), transform=bad).start(None)
    with pytest.raises(ValueError, match="a bad transform") as caught:
        run.wait()
    assert caught.value is failure
