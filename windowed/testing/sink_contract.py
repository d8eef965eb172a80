"""SinkContract: the tests that every sink passes, those of fencing among them. An author
subclasses it.

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

from dataclasses import replace
from typing import Any

import pytest

from windowed.testing.sink_fencing import FencingContract
from windowed.testing.sink_story import SCHEMA, Story, frame, hold, release
from windowlog.contracts import Sink
from windowlog.errors import KitError
from windowlog.values import Skip


class SinkContract(FencingContract):
    """What windowlog.contracts.Sink promises, on frames of `word string, n bigint`."""

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
