"""Two drivers of one pipeline with state: one that was overtaken does no harm, and is told so where
it matters."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import Any, cast

import pytest

from tests.windowed.state.world import SCHEMA, World, by_hand, count, table
from windowed.keeper import Keeper
from windowed.testing.storage_state import StorageState
from windowed.trigger import windows
from windowlog import naming
from windowlog.contracts import Storage
from windowlog.errors import Fenced
from windowlog.log import WindowLog
from windowlog.state_store import StateContext

TEXTS = ("a b", "b", "!a c", "c a", "b b", "!c", "a c", "d")


class _Paused:
    """A driver that stands still before it saves the state after window `at`."""

    def __init__(self, world: World, at: int, every: int = 1, keep: int = 0) -> None:
        self.stack = ExitStack()
        made = world.pipeline(every, transform=None, keep=keep)
        self.run: Any = self.stack.enter_context(made.open(None))
        self.keeper = cast(Any, self.run._loop.keeper)
        self._save: Any = self.keeper.save
        self.keeper.save = lambda: None if self.keeper._at == at else self._save()
        while (window := self.run.next()) is not None:
            outputs, following = count(window.frames["lines"], self.run.state)
            self.run.hold(window, outputs, following)
            if window.id == at:
                break
        self.keeper.save = self._save

    def hold(self) -> None:
        """One window more."""
        window = self.run.next()
        assert window is not None
        outputs, following = count(window.frames["lines"], self.run.state)
        self.run.hold(window, outputs, following)

    def die(self) -> None:
        """Without an end."""
        self.stack.pop_all()


def _go_on(world: World, count: int, **given: Any) -> None:
    world.pipeline(1, **given).run(None, until=windows(count), progress=False)


def test_a_second_driver_is_fenced_at_the_next_window() -> None:
    """It has staged, and saved, and holds nothing that the first one did not."""
    world = World(*TEXTS)
    paused = _Paused(world, 3)
    _go_on(world, 3)
    with pytest.raises(Fenced):
        paused.hold()
    paused.die()
    world.run()
    world.is_right()


def test_one_that_is_paused_before_it_saves_is_fenced_once_plans_are_purged() -> None:
    """The mark is past its window: what it saves is nobody's, and lets go of nothing."""
    world = World(*TEXTS)
    paused = _Paused(world, 3)
    _go_on(world, 3)
    _go_on(world, 1)
    records = world.records()
    assert [window_id for window_id, _ in records] == [6, 7]
    with pytest.raises(Fenced):
        paused.keeper.save()
    paused.die()
    assert {**world.records(), **records} == world.records()
    world.run()
    world.is_right()
    assert [window_id for window_id, _ in world.records()] == [7, 8]


@pytest.mark.parametrize("texts", [TEXTS, ("a", "b", "", "", "", "c", "")])
def test_a_late_record_below_the_mark_is_never_used(texts: tuple[str, ...]) -> None:
    """Even where it names rows that are there: without the fence its plans are gone."""
    world = World(*texts)
    paused = _Paused(world, 3)
    _go_on(world, 3)
    _go_on(world, 1)
    staged = paused.keeper._now
    store = world.state()
    store.open(StateContext(None, "counting", world.log_id, "late"))
    late = store.stage(3, table(("wrong", 1)))
    store.save(3, paused.keeper._digest, late)
    assert staged is not late
    paused.die()
    assert (3, 0) in world.records()
    world.run()
    world.is_right()
    assert (3, 0) not in world.records()


def test_one_that_is_paused_before_it_saves_is_harmless_while_plans_are_kept() -> None:
    """Its checkpoint is right for its window: it stays beside the others."""
    world = World(*TEXTS)
    paused = _Paused(world, 3, keep=100)
    _go_on(world, 2, keep=100)
    paused.keeper.save()
    paused.die()
    assert world.saved(3, 1) == {"b": 2, "c": 1}
    assert list(world.records()) == [(1, 0), (2, 0), (3, 0), (3, 1), (4, 0), (5, 0)]
    for window_id in (3, 4, 5):
        world.damage(window_id)
    world.run(keep=100)
    world.is_right()


def test_one_whose_staged_state_was_removed_is_fenced() -> None:
    """The other one has let go of it: its rows are gone before they were saved."""
    world = World(*TEXTS)
    paused = _Paused(world, 3)
    world.pipeline(1).run(None, until=windows(2), progress=False)
    store = world.state()
    store.open(StateContext(None, "counting", world.log_id, "other"))
    store.let_go(4)
    with pytest.raises(Fenced, match="is gone from"):
        paused.keeper.save()
    paused.die()
    world.run()
    world.is_right()


def test_two_drivers_that_save_one_window_have_a_record_each() -> None:
    """Both are right; the later one counts, and its rows are there."""
    world = World("a b", "b")
    paused = _Paused(world, 2, every=10)
    world.run(10)
    assert list(world.records()) == [(2, 0)]
    paused.keeper.save()
    paused.die()
    assert list(world.records()) == [(2, 0), (2, 1)]
    assert world.saved(2, 0) == world.saved(2, 1) == by_hand(world.windows)[1]
    world.damage(2, 1, what="rows")
    world.add("a")
    world.run(1)
    world.is_right()


class _Vanishing:
    """Records are gone as soon as they are there."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def within(self, folder: str) -> Any:
        """The sub-folder."""
        return _Vanishing(self._inner.within(folder))

    def create(self, name: str, data: bytes) -> None:
        """And delete."""
        self._inner.create(name, data)
        if naming.parse(name) is not None:
            self._inner.delete(name)


class _Between(StorageState):
    """Another driver does something just before a record is created."""

    def __init__(self, storage: Storage, action: Any) -> None:
        super().__init__(SCHEMA, key=["word"], storage=_Interposed(storage, action))


class _Interposed:
    def __init__(self, inner: Any, action: Any) -> None:
        self._inner = inner
        self._action = action

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def within(self, folder: str) -> Any:
        """The sub-folder."""
        return _Interposed(self._inner.within(folder), self._action)

    def create(self, name: str, data: bytes) -> None:
        """After the other one."""
        if naming.parse(name) is not None:
            self._action(self._inner, name)
        self._inner.create(name, data)


def test_two_drivers_that_save_one_window_at_the_same_moment() -> None:
    """One has the name: the other is fenced, and nothing of its own counts."""
    world = World("a b", "b")
    stolen: list[str] = []

    def steal(inner: Storage, name: str) -> None:
        if name == naming.numbered(2) and not stolen:
            stolen.append(name)
            inner.create(name, b"another driver's")

    with suppress(Fenced):
        world.run(1, state=_Between(world.storage, steal))
    assert stolen
    assert list(world.records()) == [(1, 0), (2, 0)]
    world.run(1)
    assert list(world.records()) == [(1, 0), (2, 0), (2, 1)]
    assert world.saved(2, 1) == {"a": 1, "b": 2}
    assert world.held() == by_hand(world.windows)[0]


def test_a_record_that_is_let_go_of_while_it_is_read_back_is_fenced() -> None:
    """Another driver is past it already, by two checkpoints."""
    world = World("a b", "b", "c")
    paused = _Paused(world, 2, every=10)
    paused.keeper._store.storage = _Vanishing(world.storage)
    with pytest.raises(Fenced, match=r"it has let go of 000000000002\.json"):
        paused.keeper.save()
    paused.die()
    world.run()
    world.is_right()


def test_the_mark_is_read_after_the_record_is_made() -> None:
    """The other driver purges in between: a record that was made before the mark is seen by it, and
    one that is made after it sees the mark."""
    world = World(*TEXTS)
    paused = _Paused(world, 3)

    def purge(inner: Storage, name: str) -> None:
        log = WindowLog(world.log)
        log.open("counting", "other")
        log.mark(5)

    store: Any = paused.keeper._store
    store.storage = _Interposed(store.storage, purge)
    with pytest.raises(Fenced, match="the low-water mark is 5, past our checkpoint of window 3"):
        paused.keeper.save()
    paused.die()
    assert isinstance(paused.keeper, Keeper)


def test_a_driver_that_was_paused_removes_nothing_of_the_other() -> None:
    """Neither what it has saved, nor what it has staged."""
    world = World(*TEXTS)
    paused = _Paused(world, 3, keep=100)
    other = _Paused(world, 6, every=10, keep=100)
    records, staged = world.records(), world.staged()
    paused.keeper.save()
    paused.die()
    assert set(records) <= set(world.records())
    assert set(staged) <= set(world.staged())
    other.hold()
    other.keeper.save()
    other.die()
    assert world.saved(7) == by_hand(world.windows[:7])[1]
    world.run(keep=100)
    world.is_right()
