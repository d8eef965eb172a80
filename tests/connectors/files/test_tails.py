"""When an unterminated line is quiet, by a clock that the test moves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from connectors.files.identity import FileId
from connectors.files.tails import Tails

FILE, OTHER = FileId(1, 2, 3), FileId(1, 4, 5)


class _Clock:
    """Seconds since 2001."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> datetime:
        return datetime(2001, 1, 1, tzinfo=UTC) + timedelta(seconds=self.now_s)

    def ns(self, at_s: float) -> int:
        """A file's time."""
        return int((datetime(2001, 1, 1, tzinfo=UTC).timestamp() + at_s) * 1e9)


def test_a_line_is_quiet_by_its_files_time() -> None:
    """From exactly `quiet_s` on; a process that has just begun knows it at once."""
    clock = _Clock()
    tails = Tails(2, take=True, clock=clock)
    assert tails.quiet(FILE, 0, 9, clock.ns(98))
    assert not tails.quiet(FILE, 0, 9, clock.ns(98.5))


def test_a_line_is_quiet_once_it_was_watched_for_long_enough() -> None:
    """Where its time lies in the future: from exactly `quiet_s` on, and for this state only."""
    clock = _Clock()
    tails = Tails(2, take=True, clock=clock)
    future = clock.ns(10_000)
    tails.unready(FILE, 0, 9, future)
    clock.now_s += 1.5
    tails.unready(FILE, 0, 9, future)  # a second look does not begin anew
    assert not tails.quiet(FILE, 0, 9, future)
    clock.now_s += 0.5
    assert tails.quiet(FILE, 0, 9, future)
    assert not tails.quiet(FILE, 0, 10, future)
    assert not tails.quiet(FILE, 1, 9, future)
    assert not tails.quiet(FILE, 0, 9, future + 1)
    assert not tails.quiet(OTHER, 0, 9, future)


def test_growth_begins_the_watch_anew() -> None:
    """Somebody is writing."""
    clock = _Clock()
    tails = Tails(2, take=True, clock=clock)
    future = clock.ns(10_000)
    tails.unready(FILE, 0, 9, future)
    clock.now_s += 1.5
    tails.unready(FILE, 0, 10, future)
    clock.now_s += 1.5
    assert not tails.quiet(FILE, 0, 10, future)


def test_a_clock_that_is_set_back_begins_the_watch_anew() -> None:
    """It delays, and no more."""
    clock = _Clock()
    tails = Tails(2, take=True, clock=clock)
    future = clock.ns(10_000)
    tails.unready(FILE, 0, 9, future)
    clock.now_s -= 50
    assert not tails.quiet(FILE, 0, 9, future)
    clock.now_s += 2
    assert tails.quiet(FILE, 0, 9, future)


def test_a_file_is_settled_until_it_changes_or_is_quiet() -> None:
    """So that a folder of idle files is not read again and again."""
    clock = _Clock()
    tails = Tails(2, take=True, clock=clock)
    assert not tails.settled(FILE, 0, 9, clock.ns(100))
    tails.unready(FILE, 0, 9, clock.ns(100))
    assert tails.settled(FILE, 0, 9, clock.ns(100))
    assert not tails.settled(FILE, 0, 10, clock.ns(100))
    assert not tails.settled(FILE, 0, 9, clock.ns(101))
    clock.now_s += 2
    assert not tails.settled(FILE, 0, 9, clock.ns(100))


def test_what_is_never_taken_stays_settled() -> None:
    """`last_line="wait"`."""
    clock = _Clock()
    tails = Tails(2, take=False, clock=clock)
    tails.unready(FILE, 0, 9, clock.ns(100))
    clock.now_s += 1e6
    assert tails.settled(FILE, 0, 9, clock.ns(100))


def test_without_waiting_everything_is_quiet_at_once() -> None:
    """`quiet_s=0`, also with a time in the future."""
    clock = _Clock()
    assert Tails(0, take=True, clock=clock).quiet(FILE, 0, 9, clock.ns(10_000))


def test_only_files_that_are_there_are_remembered() -> None:
    """The memory does not grow with history."""
    clock = _Clock()
    tails = Tails(2, take=False, clock=clock)
    for file_id in (FILE, OTHER):
        tails.unready(file_id, 0, 9, clock.ns(100))
    tails.keep({OTHER})
    assert not tails.settled(FILE, 0, 9, clock.ns(100))
    assert tails.settled(OTHER, 0, 9, clock.ns(100))
