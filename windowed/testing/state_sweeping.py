"""SweepingContract: what a state's store removes, and what it spares. A part of StateContract."""

from __future__ import annotations

from windowed.testing.state_story import StatePlace, StateStory, digest_of, rows_of


class SweepingContract(StatePlace):
    """Nothing that grows, and nothing that another driver may want."""

    def test_what_is_dropped_is_gone(self, story: StateStory) -> None:
        """All of it, and nothing else; what is gone already, and the empty state, are dropped
        without a word."""
        saved = story.save(1, ("a", 1))
        before = story.listing()
        staged, other = story.stage(2, ("b", 2)), story.stage(2, ("c", 3))
        story.store.drop(staged)
        assert rows_of(other) == [("c", 3)]
        story.store.drop(other)
        story.store.drop(other)
        story.store.drop(story.stage(2))
        story.store.drop(story.store.load(None))
        assert story.listing() == before
        assert story.another().checkpoints() == (saved,)

    def test_checkpoints_before_the_floor_go(self, story: StateStory) -> None:
        """Records and rows of windows before it, damaged ones and all attempts too; from it on
        all stay."""
        for window_id in (1, 2, 2):
            story.save(window_id, ("old", window_id))
        kept = [story.save(n, ("new", n)) for n in (3, 3, 4)]
        wanted = sorted(name for one in kept for name in [story.record(one), *story.rows(one)])
        story.store.let_go(3)
        assert story.listing() == wanted
        assert list(story.another().checkpoints()) == kept

    def test_a_damaged_checkpoint_before_the_floor_goes_too(self, story: StateStory) -> None:
        """Its rows as well, whatever its record says."""
        bad, torn = story.save(1, ("a", 1)), story.save(2, ("b", 2))
        self.damage(story.place, story.rows(bad)[0])
        self.damage(story.place, story.record(torn))
        kept = story.save(3, ("c", 3))
        story.store.let_go(3)
        assert story.listing() == sorted([story.record(kept), *story.rows(kept)])

    def test_letting_go_again_changes_nothing(self, story: StateStory) -> None:
        """Nor of a floor that was reached already, nor of an empty place."""
        story.store.let_go(5)
        story.save(1, ("a", 1))
        kept = story.save(2, ("b", 2))
        for floor in (2, 2, 1):
            story.store.let_go(floor)
        assert story.another().checkpoints() == (kept,)

    def test_rows_that_a_kept_record_names_stay(self, story: StateStory) -> None:
        """They are as old as the state has been unchanged."""
        staged = story.stage(1, ("a", 1))
        for window_id in (1, 2, 3):
            last = story.store.save(window_id, digest_of(window_id), staged)
        story.store.let_go(3)
        after = story.another()
        assert after.checkpoints() == (last,)
        assert rows_of(after.load(last)) == [("a", 1)]

    def test_what_drivers_left_staged_before_the_floor_goes(self, story: StateStory) -> None:
        """A crash leaves it; nobody else would remove it, ever."""
        story.stage(1, ("lost", 1))
        story.store.close()
        after = story.another()
        kept = story.save(2, ("a", 1), by=after)
        after.let_go(2)
        assert story.listing() == sorted([story.record(kept), *story.rows(kept)])

    def test_what_others_staged_since_stays(self, story: StateStory) -> None:
        """Another driver may be at work: of the floor's own window, and later ones."""
        other = story.another()
        staged = [story.stage(n, ("theirs", n), by=other) for n in (5, 6)]
        story.save(5, ("ours", 5))
        story.store.let_go(5)
        assert [rows_of(one) for one in staged] == [[("theirs", 5)], [("theirs", 6)]]
        saved = other.save(6, digest_of(6), staged[1])
        assert rows_of(story.another().load(saved)) == [("theirs", 6)]

    def test_what_others_saved_since_stays(self, story: StateStory) -> None:
        """A driver that was overtaken lets go of what it knows to be old, and of nothing more."""
        story.save(3, ("ours", 3))
        other = story.another()
        theirs = [story.save(n, ("theirs", n), by=other) for n in (4, 5)]
        story.store.let_go(3)
        assert list(story.another().checkpoints())[1:] == theirs

    def test_nothing_grows(self, story: StateStory) -> None:
        """Two checkpoints are kept, as a run does; windows between them stage, and are dropped."""
        sizes, now, saved = [], story.store.load(None), [0]
        for window_id in range(1, 13):
            staged = story.stage(window_id, ("a", window_id))
            if now.folder and window_id - 1 not in saved:
                story.store.drop(now)
            now = staged
            if window_id % 2 == 0:
                story.store.save(window_id, digest_of(window_id), now)
                saved.append(window_id)
                story.store.let_go(saved[-2])
            sizes.append(len(story.listing()))
        assert max(sizes[6:]) == max(sizes[:6])
        assert [one.window_id for one in story.another().checkpoints()] == [10, 12]
