"""ApartContract: a state's store keeps the states of each log to themselves, and hands one on to
another log. A part of StateContract."""

from __future__ import annotations

from uuid import uuid4

from windowed.testing.state_story import StatePlace, StateStory, digest_of, rows_of


class ApartContract(StatePlace):
    """Two pipelines may have one place; and a log that takes over gets the state of the one that
    is lost."""

    def test_two_logs_in_one_place_know_nothing_of_each_other(self, story: StateStory) -> None:
        """Neither their checkpoints, nor what they let go of."""
        other = story.another(log_id=str(uuid4()), pipeline="other")
        ours = story.save(1, ("ours", 1))
        assert other.checkpoints() == ()
        theirs = [story.save(n, ("theirs", n), by=other) for n in (1, 2)]
        staged = story.stage(1, ("theirs", 3), by=other)
        assert story.store.checkpoints() == (ours,)
        story.store.let_go(9)
        assert story.store.checkpoints() == ()
        assert list(other.checkpoints()) == theirs
        assert [rows_of(other.load(one)) for one in theirs] == [[("theirs", 1)], [("theirs", 2)]]
        assert rows_of(staged) == [("theirs", 3)]

    def test_a_state_is_handed_on_to_another_log(self, story: StateStory) -> None:
        """As that log's state after a window of its own; also when it is done twice, as by a
        command that was killed in between."""
        saved, log_id = story.save(7, ("a", 1), ("b", 2)), str(uuid4())
        for _ in range(2):
            story.store.hand_on(saved, log_id, 40, "d" * 64)
        found = story.another(log_id=log_id).checkpoints()
        assert [(one.window_id, one.attempt, one.problem) for one in found] == [
            (40, 0, ""),
            (40, 1, ""),
        ]
        assert {(one.digest, one.rows) for one in found} == {("d" * 64, 2)}
        for one in found:
            assert rows_of(story.another(log_id=log_id).load(one)) == [("a", 1), ("b", 2)]
        assert story.another().checkpoints() == (saved,)

    def test_an_empty_state_is_handed_on(self, story: StateStory) -> None:
        """It has no rows that could be named."""
        saved, log_id = story.save(7), str(uuid4())
        story.store.hand_on(saved, log_id, 40, digest_of(40))
        after = story.another(log_id=log_id)
        assert [(one.rows, one.problem) for one in after.checkpoints()] == [(0, "")]
        assert rows_of(after.load(after.checkpoints()[0])) == []

    def test_the_log_that_takes_over_goes_on_from_what_it_was_handed(
        self, story: StateStory
    ) -> None:
        """It saves states of its own, lets go of the one that it was handed, and removes nothing
        of the log before."""
        saved, log_id = story.save(7, ("a", 1)), str(uuid4())
        before = story.listing()
        story.store.hand_on(saved, log_id, 40, digest_of(40))
        after = story.another(log_id=log_id)
        handed = after.load(after.checkpoints()[0])
        first = after.save(41, digest_of(41), handed)
        after.let_go(41)
        assert rows_of(story.another(log_id=log_id).load(first)) == [("a", 1)]
        second = after.save(42, digest_of(42), after.stage(42, after.load(first).frame))
        after.let_go(42)
        assert after.checkpoints() == (second,)
        assert rows_of(story.another(log_id=log_id).load(second)) == [("a", 1)]
        assert set(before) <= set(story.listing())
        assert story.another().checkpoints() == (saved,)
