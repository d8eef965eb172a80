"""StateContract: the tests that every store of a state passes. An author subclasses it.

class TestMyState(StateContract):
    @pytest.fixture
    def place(self, tmp_path):
        return tmp_path                     # where an empty store is to be

    def store(self, place, schema=SCHEMA):
        return MyState(place, schema, key=["word"])     # as another process would make it

    def listing(self, place):
        return [str(p.relative_to(place)) for p in place.rglob("*") if p.is_file()]

    def damage(self, place, name):
        …                                   # change a byte in the middle of place / name

    def lose(self, place, name):
        (place / name).unlink()
"""

from __future__ import annotations

from typing import Any

import pytest

from windowed.testing.state_apart import ApartContract
from windowed.testing.state_story import StateStory, digest_of, rows_of
from windowed.testing.state_sweeping import SweepingContract
from windowlog.errors import Fenced
from windowlog.state_store import StateStore

# What a file format may change on its way.
ODD = [("", 0), ("a\nb", -1), ("ü", 2**62), ("NULL", None), (None, 1)]
OTHER_SCHEMA = "word string, n int"


class StateContract(SweepingContract, ApartContract):
    """What windowlog.state_store.StateStore promises, on frames of `word string, n bigint`."""

    def test_it_is_a_store_and_says_where(self, place: Any) -> None:
        """Also before it is opened: messages, and the checks of a pipeline, ask then."""
        first, second = self.store(place), self.store(place)
        assert isinstance(first, StateStore)
        assert first.key == ("word",)
        assert first.describe()
        assert first.describe() == second.describe()
        assert list(first.folders()) == list(second.folders())

    def test_opening_and_looking_creates_nothing(self, story: StateStory) -> None:
        """A refusal must leave nothing behind."""
        assert story.store.checkpoints() == ()
        assert rows_of(story.store.load(None)) == []
        story.store.close()
        assert story.listing() == []

    def test_the_empty_state_has_its_columns(self, story: StateStory) -> None:
        """The first window's transform uses them; rows that are put on it are all there is."""
        empty = story.store.load(None)
        assert empty.folder == ""
        assert rows_of(empty) == []
        saved = story.store.save(0, digest_of(0), empty)
        assert (saved.folder, saved.rows, saved.problem) == ("", 0, "")
        assert rows_of(story.another().load(saved)) == []

    def test_a_staged_state_is_read_as_often_as_one_likes(self, story: StateStory) -> None:
        """By a window's transform, and by the state that follows."""
        staged = story.stage(1, *ODD)
        assert staged.folder
        assert rows_of(staged) == rows_of(staged) == sorted(ODD, key=repr)

    def test_a_state_needs_nothing_of_the_one_that_it_was_made_of(self, story: StateStory) -> None:
        """That is dropped once the window is held."""
        first = story.stage(1, ("a", 1), ("b", 2))
        second = story.store.stage(2, first.frame)
        story.store.drop(first)
        assert rows_of(second) == [("a", 1), ("b", 2)]
        saved = story.store.save(2, digest_of(2), second)
        assert rows_of(story.another().load(saved)) == [("a", 1), ("b", 2)]

    def test_a_saved_state_is_there_for_the_next_driver(self, story: StateStory) -> None:
        """With its window, digest and number of rows; and all of the rows."""
        saved = story.save(3, *ODD)
        assert (saved.window_id, saved.attempt, saved.digest) == (3, 0, digest_of(3))
        assert (saved.rows, saved.problem) == (len(ODD), "")
        story.store.close()
        after = story.another()
        assert after.checkpoints() == (saved,)
        assert rows_of(after.load(saved)) == sorted(ODD, key=repr)

    def test_what_is_only_staged_is_no_checkpoint(self, story: StateStory) -> None:
        """It is lost with its driver, and made again."""
        saved = story.save(1, ("a", 1))
        story.stage(2, ("lost", 2))
        story.store.close()
        assert story.another().checkpoints() == (saved,)

    def test_a_state_without_rows_is_saved(self, story: StateStory) -> None:
        """After one with rows: a transform may delete all of them."""
        story.save(1, ("a", 1))
        saved = story.save(2)
        assert (saved.folder, saved.rows) == ("", 0)
        after = story.another()
        assert [one.problem for one in after.checkpoints()] == ["", ""]
        assert rows_of(after.load(saved)) == []

    def test_an_unchanged_state_is_saved_again(self, story: StateStory) -> None:
        """The second record names the first one's rows: nothing but the record is written."""
        staged = story.stage(1, ("a", 1))
        first = story.store.save(1, digest_of(1), staged)
        before = story.listing()
        second = story.store.save(2, digest_of(2), staged)
        assert (second.folder, second.rows) == (first.folder, 1)
        assert [n for n in story.listing() if n not in before] == [story.record(second)]
        after = story.another()
        third = after.save(3, digest_of(3), after.load(second))
        assert after.checkpoints() == (first, second, third)
        assert rows_of(story.another().load(third)) == [("a", 1)]

    def test_records_come_by_window_and_attempt(self, story: StateStory) -> None:
        """Whatever the order in which they were made; those of one window stand side by side."""
        for window_id in (10, 9, 100, 9, 9):
            story.save(window_id, ("a", window_id))
        found = [(one.window_id, one.attempt) for one in story.another().checkpoints()]
        assert found == [(9, 0), (9, 1), (9, 2), (10, 0), (100, 0)]

    def test_it_goes_on_after_it_was_closed(self, story: StateStory, place: Any) -> None:
        """The same object, opened again by the next run; and closing is legal at any time."""
        self.store(place).close()
        store = story.store
        story.save(1, ("a", 1))
        store.close()
        store.close()
        story.open(store)
        story.save(2, ("b", 2))
        found = [rows_of(store.load(one)) for one in store.checkpoints()]
        assert found == [[("a", 1)], [("b", 2)]]

    @pytest.mark.parametrize("how", ["damage", "lose"])
    def test_a_checkpoint_whose_rows_are_spoilt_has_a_problem(
        self, story: StateStory, place: Any, how: str
    ) -> None:
        """In words, and alone: those beside it can be used."""
        good, bad = story.save(1, ("a", 1)), story.save(2, ("b", 2))
        getattr(self, how)(place, story.rows(bad)[0])
        found = story.another().checkpoints()
        assert [(one.window_id, one.attempt) for one in found] == [(1, 0), (2, 0)]
        assert found[0] == good
        assert found[1].problem
        assert rows_of(story.another().load(good)) == [("a", 1)]

    def test_a_damaged_record_has_a_problem(self, story: StateStory, place: Any) -> None:
        """One that was lost is no record at all."""
        good, bad, lost = (story.save(n, ("a", n)) for n in (1, 2, 3))
        self.damage(place, story.record(bad))
        self.lose(place, story.record(lost))
        found = story.another().checkpoints()
        assert [(one.window_id, one.attempt) for one in found] == [(1, 0), (2, 0)]
        assert found[0] == good
        assert found[1].problem

    @pytest.mark.parametrize("what", ["rows", "record"])
    def test_an_attempt_stands_beside_a_damaged_one(
        self, story: StateStory, place: Any, what: str
    ) -> None:
        """A replay makes the state anew; what was damaged stays as it is."""
        bad = story.save(5, ("a", 1))
        self.damage(place, story.rows(bad)[0] if what == "rows" else story.record(bad))
        again = story.another()
        good = story.save(5, ("a", 1), by=again)
        found = story.another().checkpoints()
        assert [(one.window_id, one.attempt) for one in found] == [(5, 0), (5, 1)]
        assert (bool(found[0].problem), found[1]) == (True, good)
        assert rows_of(again.load(good)) == [("a", 1)]

    def test_a_state_of_other_columns_has_a_problem(self, story: StateStory) -> None:
        """The pipeline was edited: what was saved before fits it no more; back it does again."""
        saved = story.save(1, ("a", 1))
        found = story.another(schema=OTHER_SCHEMA).checkpoints()
        assert [one.window_id for one in found] == [1]
        assert "columns" in found[0].problem
        assert story.another().checkpoints() == (saved,)

    def test_what_another_driver_has_removed_is_not_saved(self, story: StateStory) -> None:
        """A driver that was paused since the window was held: Fenced, and no record."""
        staged = story.stage(1, ("a", 1))
        other = story.another()
        story.save(2, ("b", 2), by=other)
        other.let_go(2)
        with pytest.raises(Fenced):
            story.store.save(1, digest_of(1), staged)
        assert [one.window_id for one in story.another().checkpoints()] == [2]
