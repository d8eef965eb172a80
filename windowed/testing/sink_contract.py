"""SinkContract: the tests that every sink passes. An author subclasses it.

class TestMySink(SinkContract):
    @pytest.fixture
    def place(self, tmp_path):
        return tmp_path                     # where an empty target is to be

    def sink(self, place):
        return MySink(place)                # as another process would make it

    def rows(self, place):
        return [("a", 1)]                   # what a reader sees there now, in any order
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pyarrow
import pytest

from windowlog.contracts import Sink, SinkContext
from windowlog.errors import Fenced, KitError
from windowlog.log import WindowLog
from windowlog.values import Plan, Skip
from windowlog.window import Draft, Window
from windowlog.wiring import Held, InputIdentity

SCHEMA = pyarrow.schema([("word", pyarrow.string()), ("n", pyarrow.int64())])
_RUN = "11111111-1111-1111-1111-111111111111"
_OTHER_RUN = "22222222-2222-2222-2222-222222222222"


def frame(*rows: tuple[str, int]) -> pyarrow.Table:
    """Rows as a frame of SCHEMA."""
    words, numbers = [row[0] for row in rows], [row[1] for row in rows]
    return pyarrow.table({"word": words, "n": numbers}, schema=SCHEMA)


class Story:
    """Windows of one log, as a loop would give them to a sink."""

    def __init__(self, sink: Sink, run_id: str = _RUN) -> None:
        self.log = WindowLog.in_memory()
        self.log.open("contract", run_id)
        self.log.create()
        self.log.scan()
        self.sink = sink
        self.run_id = run_id

    @property
    def beginning(self) -> Held:
        """The memory of a sink that holds nothing yet."""
        header = self.log.header
        identity = self.sink.identity()
        return Held(header.log_id, header.first - 1, header.digest, self.run_id, identity)

    def open(self, sink: Sink, name: str = "out", run_id: str | None = None) -> Sink:
        """Open a sink of this story."""
        context = SinkContext("contract", name, self.log.header.log_id, run_id or self.run_id)
        sink.open(context)
        return sink

    def window(self) -> Window:
        """The next window."""
        position = self.log.newest + 1
        identity = InputIdentity("rows", "here")
        return self.log.append(
            Draft(
                window_id=position,
                planned_at=datetime(2001, 2, 3, tzinfo=UTC),
                plans={"lines": Plan((), position)},
                inputs={"lines": identity},
                sinks={"out": self.sink.identity()},
                run_id=self.run_id,
            )
        )


def hold(sink: Sink, window: Window, *rows: tuple[str, int]) -> None:
    """Prepare, stage and hold."""
    sink.prepare(SCHEMA)
    sink.stage(window, frame(*rows))
    sink.hold(window)


class SinkContract:
    """What windowlog.contracts.Sink promises, on frames of `word string, n bigint`."""

    @pytest.fixture
    def place(self) -> Any:
        """Where an empty target is to be. Yours to give."""
        raise NotImplementedError("give a fixture `place`")

    def sink(self, place: Any) -> Sink:
        """A new sink on this place, as another process would make it. Yours to give."""
        raise NotImplementedError("give a method `sink`")

    def rows(self, place: Any) -> list[tuple[str, int]]:
        """What a reader sees. Yours to give."""
        raise NotImplementedError("give a method `rows`")

    @pytest.fixture
    def story(self, place: Any) -> Iterator[Story]:
        """A sink that is open and enrolled, and holds nothing yet."""
        story = Story(self.sink(place))
        story.open(story.sink)
        story.sink.adopt(None, story.beginning)
        yield story
        story.sink.close()

    def test_it_is_a_sink_and_knows_its_identity_unopened(self, place: Any) -> None:
        """Target and mode are the same before it is opened, and in another process."""
        first, second = self.sink(place), self.sink(place)
        assert isinstance(first, Sink)
        assert first.identity() == second.identity()

    def test_opening_and_asking_creates_nothing(self, place: Any) -> None:
        """No memory, no rows, no target made by looking."""
        story = Story(self.sink(place))
        sink = story.open(story.sink)
        assert sink.held() is None
        before = sink.target()
        sink.close()
        again = story.open(self.sink(place))
        assert (again.held(), again.target()) == (None, before)
        assert self.rows(place) == []
        again.close()

    def test_it_remembers_what_it_was_told_to_adopt(self, story: Story, place: Any) -> None:
        """Also when another process asks."""
        assert story.sink.held() == story.beginning
        story.sink.close()
        again = story.open(self.sink(place))
        assert again.held() == story.beginning
        again.close()
        assert self.rows(place) == []

    def test_an_adoption_from_another_memory_is_fenced(self, story: Story) -> None:
        """Compare-and-set: neither from nothing, nor from another digest, log or window."""
        now = story.beginning
        wrong = (None, replace(now, digest="0" * 64), replace(now, log_id=_RUN), None)
        for before in (*wrong, replace(now, window_id=now.window_id + 1)):
            with pytest.raises(Fenced):
                story.sink.adopt(before, replace(now, window_id=7))
        assert story.sink.held() == now

    def test_a_held_window_is_there_for_everybody(self, story: Story, place: Any) -> None:
        """Rows and memory together, also after a new start."""
        first, second = story.window(), story.window()
        hold(story.sink, first, ("a", 1), ("b", 2))
        hold(story.sink, second, ("c", 3))
        held = story.sink.held()
        assert held is not None
        assert (held.window_id, held.digest, held.run_id) == (2, second.digest, story.run_id)
        assert held.positions == {"lines": 2}
        story.sink.committed(2)
        story.sink.close()
        assert sorted(self.rows(place)) == [("a", 1), ("b", 2), ("c", 3)]
        assert story.open(self.sink(place)).held() == held

    def test_what_is_only_staged_is_seen_by_nobody(self, story: Story, place: Any) -> None:
        """Neither after abandon, nor after a crash, and the window can be staged again."""
        window = story.window()
        story.sink.prepare(SCHEMA)
        story.sink.stage(window, frame(("lost", 1)))
        story.sink.abandon(window)
        story.sink.abandon(window)
        story.sink.stage(window, frame(("lost", 2)))
        story.sink.close()
        assert self.rows(place) == []
        again = story.open(self.sink(place))
        hold(again, window, ("kept", 3))
        again.committed(1)
        again.close()
        assert self.rows(place) == [("kept", 3)]

    def test_a_window_out_of_order_is_fenced_and_rolled_back(
        self, story: Story, place: Any
    ) -> None:
        """n+1 before n."""
        story.window()
        with pytest.raises(Fenced):
            hold(story.sink, story.window(), ("wrong", 1))
        story.sink.close()
        assert self.rows(place) == []

    def test_a_second_driver_is_fenced_and_its_rows_rolled_back(
        self, story: Story, place: Any
    ) -> None:
        """The slower of two drivers that replay one window, with other rows even."""
        window = story.window()
        slower = story.open(self.sink(place), run_id=_OTHER_RUN)
        slower.prepare(SCHEMA)
        slower.stage(window, frame(("slower", 1)))
        release(slower)
        hold(story.sink, window, ("faster", 1))
        release(story.sink)
        with pytest.raises(Fenced):
            slower.hold(window)
        slower.close()
        story.sink.committed(1)
        story.sink.close()
        assert self.rows(place) == [("faster", 1)]

    def test_the_right_number_with_another_digest_is_fenced(self, story: Story, place: Any) -> None:
        """A restored backup gives a paused driver the number it waits for, with other rows
        behind."""
        hold(story.sink, story.window(), ("a", 1))
        second = story.window()
        for other in (replace(second, previous="0" * 64), replace(second, log_id=_OTHER_RUN)):
            with pytest.raises(Fenced):
                hold(story.sink, other, ("wrong", 1))
        hold(story.sink, second, ("b", 2))
        story.sink.committed(2)
        story.sink.close()
        assert sorted(self.rows(place)) == [("a", 1), ("b", 2)]

    def test_an_empty_window_is_held(self, story: Story, place: Any) -> None:
        """Without a row, and the next one with."""
        hold(story.sink, story.window())
        hold(story.sink, story.window(), ("a", 1))
        story.sink.committed(2)
        story.sink.close()
        assert self.rows(place) == [("a", 1)]

    def test_preparing_again_changes_nothing(self, story: Story, place: Any) -> None:
        """Idempotent, before and after rows, also by another process."""
        hold(story.sink, story.window(), ("a", 1))
        story.sink.prepare(SCHEMA)
        story.sink.close()
        again = story.open(self.sink(place))
        again.prepare(SCHEMA)
        again.committed(1)
        again.close()
        assert self.rows(place) == [("a", 1)]

    def test_it_keeps_how_many_skips_a_window_was_read_with(self, story: Story) -> None:
        """So that a start can name the sinks that held it with fewer."""
        window = replace(story.window(), skips=(Skip(1, "lines", "x", "1 byte", "gone", 1),))
        hold(story.sink, window, ("a", 1))
        held = story.sink.held()
        assert held is not None
        assert held.skips == 1

    def test_it_goes_on_after_a_wait(self, story: Story, place: Any) -> None:
        """Also when the wait came between stage and hold."""
        hold(story.sink, story.window(), ("a", 1))
        release(story.sink)
        second = story.window()
        story.sink.stage(second, frame(("b", 2)))
        release(story.sink)
        story.sink.hold(second)
        story.sink.committed(2)
        story.sink.close()
        assert sorted(self.rows(place)) == [("a", 1), ("b", 2)]

    def test_two_sinks_in_one_place_have_a_memory_each(self, story: Story, place: Any) -> None:
        """And each names the other as one that fills the same target."""
        hold(story.sink, story.window(), ("a", 1))
        release(story.sink)
        other = story.open(self.sink(place), name="other")
        assert other.held() is None
        assert other.target().other_sinks == ("out",)
        other.close()

    def test_closing_is_legal_at_any_time(self, place: Any) -> None:
        """Unopened, twice, and after a failure."""
        sink = self.sink(place)
        sink.close()
        story = Story(sink)
        story.open(sink)
        with pytest.raises(KitError):
            sink.adopt(story.beginning, story.beginning)
        sink.close()
        sink.close()


class SparkSinkContract(SinkContract):
    """SinkContract, and one test more: for a sink that takes DataFrames. Give a fixture `spark`."""

    def test_a_dataframe_is_held_as_a_table_is(self, story: Story, place: Any, spark: Any) -> None:
        """The same rows, whoever computes them."""
        window, rows = story.window(), [("a", 1), ("b", 2)]
        story.sink.prepare(SCHEMA)
        story.sink.stage(window, spark.createDataFrame(rows, "word string, n bigint"))
        story.sink.hold(window)
        story.sink.committed(1)
        story.sink.close()
        assert sorted(self.rows(place)) == rows


def release(sink: Sink) -> None:
    """As the loop does before it waits: let others in."""
    idle = getattr(sink, "idle", None)
    if idle is not None:
        idle()
