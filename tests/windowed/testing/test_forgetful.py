"""ForgetfulStorage: what returned stays, what was not made durable may go or come back."""

from __future__ import annotations

import random
from functools import partial

import pytest

from windowed.testing.forgetful import ForgetfulStorage, History
from windowlog.errors import RecordExists, RecordNotFound


def _newest(path: str, history: History) -> bytes | None:
    return history[-1]


def _at_random(source: random.Random, path: str, history: History) -> bytes | None:
    return source.choice(history)


def test_what_returned_survives_a_power_loss() -> None:
    """Created, renamed and deleted durably, in sub-folders too."""
    storage = ForgetfulStorage()
    inner = storage.within("folder")
    inner.create("kept", b"kept")
    inner.create("moved", b"moved")
    inner.rename("moved", "there")
    inner.create("gone", b"gone")
    inner.delete("gone")
    assert storage.undecided() == {}
    storage.power_loss()
    assert {name: inner.read(name) for name in inner.list()} == {"kept": b"kept", "there": b"moved"}


def test_an_interrupted_creation_shows_and_may_vanish() -> None:
    """Until somebody syncs its name or its folder; syncing another name does not help."""
    for sync, survives in ((None, False), ("other", False), ("a", True), ("", True)):
        storage = ForgetfulStorage()
        storage.create("other", b"")
        storage.halfway.create("a", b"data")
        assert (storage.read("a"), storage.list()) == (b"data", ["a", "other"])
        with pytest.raises(RecordExists):
            storage.create("a", b"")
        if sync is not None:
            storage.sync(sync or None)
        storage.power_loss()
        assert ("a" in storage.list()) == survives, sync


def test_a_deletion_that_is_not_durable_may_come_back() -> None:
    """Until the folder is synced, or it is deleted again durably."""
    for end in (lambda s: None, lambda s: s.sync(), lambda s: s.delete("a")):
        storage = ForgetfulStorage()
        storage.create("a", b"data")
        storage.delete("a", durable=False)
        with pytest.raises(RecordNotFound):
            storage.read("a")
        end(storage)
        came_back = storage.undecided() != {}
        storage.power_loss()
        assert storage.list() == (["a"] if came_back else [])


def test_a_sync_of_one_folder_decides_nothing_in_another() -> None:
    """Each folder is a listing of its own."""
    storage = ForgetfulStorage()
    storage.within("windows").halfway.create("a", b"data")
    storage.sync()
    storage.within("marks").sync()
    assert storage.undecided() == {"forgetful:/windows/a": (None, b"data")}


def test_an_interrupted_sync_decides_nothing() -> None:
    """It had not come to an end."""
    storage = ForgetfulStorage()
    storage.halfway.create("a", b"data")
    storage.halfway.sync()
    storage.halfway.sync("a")
    storage.power_loss()
    assert storage.list() == []


def test_an_interrupted_rename_leaves_both_names_and_loses_none() -> None:
    """Whatever the power cut chooses, the record is there."""
    for choose in (lambda path, history: history[0], _newest):
        storage = ForgetfulStorage()
        storage.create("a", b"data")
        storage.halfway.rename("a", "b")
        assert storage.list() == ["a", "b"]
        storage.power_loss(choose)
        assert storage.read("a") == b"data"


def test_an_interrupted_deletion_is_gone_and_may_come_back() -> None:
    """Even if it was to be durable."""
    storage = ForgetfulStorage()
    storage.create("a", b"data")
    storage.halfway.delete("a")
    assert storage.list() == []
    storage.power_loss()
    assert storage.list() == ["a"]


def test_a_power_loss_may_choose_any_state_since_the_last_sync() -> None:
    """A record created and let go, both not durable: absent, there, absent again."""
    chosen = set()
    for seed in range(20):
        storage = ForgetfulStorage()
        storage.halfway.create("a", b"data")
        storage.delete("a", durable=False)
        assert storage.undecided() == {"forgetful:/a": (None, b"data", None)}
        storage.power_loss(partial(_at_random, random.Random(seed)))
        chosen.add(storage.list() == ["a"])
    assert chosen == {True, False}


def test_a_power_loss_decides_for_good() -> None:
    """What came back is as durable as anything."""
    storage = ForgetfulStorage()
    storage.halfway.create("a", b"data")
    storage.power_loss(_newest)
    storage.power_loss()
    assert storage.read("a") == b"data"
    storage.close()
