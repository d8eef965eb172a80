"""MemoryStorage: what the contract leaves open."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windowlog.errors import BadArgument
from windowlog.storage import MemoryStorage


def test_two_storages_of_one_sub_folder_share_its_records() -> None:
    """As two handles on one folder do; another object is another place."""
    storage = MemoryStorage()
    storage.within("windows").create("1", b"data")
    assert storage.within("windows").read("1") == b"data"
    assert MemoryStorage().within("windows").list() == []


class _Lock:
    """Counts who takes it."""

    def __init__(self) -> None:
        self.taken = 0

    def __enter__(self) -> None:
        self.taken += 1

    def __exit__(self, *_: object) -> None:
        pass


def test_every_verb_takes_the_lock_of_the_whole_tree() -> None:
    """A race between threads shows too seldom to be a test."""
    storage, lock = MemoryStorage(), _Lock()
    storage._lock = lock  # type: ignore[assignment]
    inner = storage.within("windows")
    verbs: list[Callable[[], object]] = [
        lambda: inner.create("1", b"data"),
        lambda: inner.read("1"),
        inner.list,
        lambda: inner.sync("1"),
        lambda: inner.rename("1", "2"),
        lambda: inner.delete("2"),
    ]
    for number, verb in enumerate(verbs, start=1):
        verb()
        assert lock.taken == number


def test_a_record_does_not_change_with_the_buffer_it_came_from() -> None:
    """Once created it is fixed."""
    storage, buffer = MemoryStorage(), bytearray(b"data")
    storage.create("1", buffer)  # type: ignore[arg-type]
    buffer[:] = b"else"
    assert storage.read("1") == b"data"


def test_a_folder_that_cannot_be_is_refused_as_one() -> None:
    """The message names the argument."""
    with pytest.raises(BadArgument, match="folder='a/b'"):
        MemoryStorage().within("a/b")
