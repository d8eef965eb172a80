"""The world of the search is a storage like the others, and a power cut takes what it may."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from tests.windowed.search.promises import Alone
from tests.windowed.search.seams import SeamStorage
from tests.windowed.search.world import Action, World, act, cut_power
from windowlog.contracts import Storage
from windowlog.errors import KitError
from windowlog.storage.memory import MemoryStorage

NAMES = ("one", "two", "three")


def _said(call: Callable[[], object]) -> object:
    try:
        return call()
    except KitError as error:
        return type(error)


def _verbs(storage: Storage, name: str, other: str, data: bytes) -> list[Callable[[], object]]:
    return [
        lambda: storage.create(name, data),
        lambda: storage.read(name),
        lambda: storage.rename(name, other),
        lambda: storage.delete(name),
        lambda: storage.delete(name, durable=False),
        lambda: storage.sync(name),
        lambda: storage.sync(),
        lambda: storage.list(),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_it_says_what_the_memory_storage_says(seed: int) -> None:
    """A long random walk over a few names, with every verb."""
    random_source = random.Random(seed)
    ours, model = SeamStorage(Alone(World()).perform, "folder"), MemoryStorage()
    for step in range(500):
        name, other = random_source.sample(NAMES, k=2)
        verb = random_source.randrange(8)
        said = [
            _said(_verbs(storage, name, other, b"%d" % step)[verb]) for storage in (ours, model)
        ]
        assert said[0] == said[1]


def _left(world: World, folder: str = "folder") -> set[tuple[tuple[str, bytes], ...]]:
    return {tuple(sorted(left.folder(folder).items())) for left in cut_power(world)}


def test_a_creation_that_was_not_finished_may_be_lost() -> None:
    """Readers see it before it is durable; once it is, it stays."""
    world, _ = act(World(), Action("begin", "folder", "one", b"data"))
    assert world.folder("folder") == {"one": b"data"}
    assert _left(world) == {(), (("one", b"data"),)}
    world, _ = act(world, Action("finish", "folder", "one"))
    assert _left(world) == {(("one", b"data"),)}


def test_a_plan_that_was_not_finished_may_be_torn() -> None:
    """Of plans alone half of the bytes may be left."""
    world, _ = act(World(), Action("begin", "log/windows", "one", b"data"))
    whole, half = (("one", b"data"),), (("one", b"da"),)
    assert _left(world, "log/windows") == {(), whole, half}


def test_a_deletion_may_come_undone_until_the_folder_is_synced() -> None:
    """As Storage.delete(durable=False) says."""
    world, _ = act(World(), Action("begin", "folder", "one", b"data"))
    world, _ = act(world, Action("finish", "folder", "one"))
    world, _ = act(world, Action("delete", "folder", "one"))
    assert _left(world) == {(), (("one", b"data"),)}
    world, _ = act(world, Action("sync folder", "folder"))
    assert _left(world) == {()}
