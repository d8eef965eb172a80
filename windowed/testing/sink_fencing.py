"""FencingContract: no sink takes anything from any memory but the one it was told of. A part of
SinkContract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from windowed.testing.sink_story import SCHEMA, SinkPlace, Story, frame, hold, release
from windowlog.errors import Fenced

_OTHER = "22222222-2222-2222-2222-222222222222"


class FencingContract(SinkPlace):
    """Compare-and-set: log, window, digest and identity are compared, and a loser's rows are
    nowhere."""

    def test_an_adoption_from_another_memory_is_fenced(self, story: Story) -> None:
        """Compare-and-set: neither from nothing, nor from another digest, log or window."""
        now = story.beginning
        wrong = (None, replace(now, digest="0" * 64), replace(now, log_id=_OTHER), None)
        for before in (*wrong, replace(now, window_id=now.window_id + 1)):
            with pytest.raises(Fenced):
                story.sink.adopt(before, replace(now, window_id=7))
        assert story.sink.held() == now

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
        slower = story.open(self.sink(place), run_id=_OTHER)
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
        for other in (replace(second, previous="0" * 64), replace(second, log_id=_OTHER)):
            with pytest.raises(Fenced):
                hold(story.sink, other, ("wrong", 1))
        hold(story.sink, second, ("b", 2))
        story.sink.committed(2)
        story.sink.close()
        assert sorted(self.rows(place)) == [("a", 1), ("b", 2)]

    def test_a_memory_of_another_identity_is_fenced(self, place: Any) -> None:
        """Somebody has pointed the sink at another target, or told it to write in another way."""
        ours = self.sink(place).identity()
        for name, other in (
            ("target", replace(ours, target=f"{ours.target} elsewhere")),
            ("mode", replace(ours, mode=f"{ours.mode} otherwise")),
        ):
            story = Story(self.sink(place))
            sink = story.open(story.sink, name=name)
            moved = replace(story.beginning, identity=other)
            sink.adopt(None, moved)
            with pytest.raises(Fenced):
                hold(sink, story.window(), ("wrong", 1))
            assert sink.held() == moved
            sink.close()
        assert self.rows(place) == []

    def test_an_adoption_between_stage_and_hold_fences(self, story: Story, place: Any) -> None:
        """The memory is moved while a driver has rows in hand; moved back, the window is held
        once."""
        hold(story.sink, story.window(), ("a", 1))
        before, window = story.sink.held(), story.window()
        assert before is not None
        story.sink.stage(window, frame(("late", 1)))
        release(story.sink)
        command = story.open(self.sink(place), run_id=_OTHER)
        after = replace(before, identity=replace(before.identity, mode="otherwise"), run_id=_OTHER)
        command.adopt(before, after)
        assert command.held() == after
        release(command)
        with pytest.raises(Fenced):
            story.sink.hold(window)
        command.adopt(after, before)
        assert command.held() == before
        command.close()
        hold(story.sink, window, ("in time", 1))
        story.sink.committed(2)
        story.sink.close()
        assert sorted(self.rows(place)) == [("a", 1), ("in time", 1)]
