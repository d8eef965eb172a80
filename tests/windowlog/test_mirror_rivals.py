"""Others at the same moment, odd errors, and what a person is told: corners of a mirrored log."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path

import pytest

from tests.windowed.worlds import Interloper
from tests.windowlog.drafts import draft
from tests.windowlog.mirrored import World, everything, windows
from windowed.testing.crash import STORAGE_VERBS, Seam
from windowed.testing.faulty import Fault
from windowlog.errors import Fenced, MirrorAway, MirrorBack, StorageFailed
from windowlog.log import WindowLog
from windowlog.storage import MirroredStorage, pair
from windowlog.values import Skip


@pytest.fixture
def world() -> World:
    """Machine one, its folder, and a mirror that is required; nothing is there yet."""
    return World()


@pytest.mark.parametrize("races", [1, 5])
def test_two_machines_begin_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch, races: int
) -> None:
    """Both found nothing; the slower one looks again, and joins. If that never ends it gives up."""
    monkeypatch.setattr(pair, "RACES_MAX", races)
    slow = world.storage("one")
    slow.pair.start()
    world.run(1, "two")
    if races == 1:
        with pytest.raises(Fenced, match="it pairs this log's folder and mirror"):
            slow.begin()
        return
    slow.begin()
    assert everything(world.near("one")) == everything(world.far)


def test_two_machines_are_adopted_at_once() -> None:
    """One of them is."""
    world = World(required=False)
    world.run(1)
    rival = Interloper("near/pairings.create", lambda: world.storage("three").pair.take_over())
    near = Seam(world.near("two"), "near", STORAGE_VERBS, rival)
    with pytest.raises(Fenced, match="it has made a pairing meanwhile"):
        MirroredStorage(near, world.far, required=False).pair.take_over()
    assert world.run(2, "three").newest == 2


def test_who_is_fenced_is_told_which_pipeline_it_is(world: World) -> None:
    """As by the log itself."""
    world.required = False
    world.run(1)
    log = world.driver()
    world.storage("two").pair.take_over()
    with pytest.raises(Fenced, match="Another driver runs pipeline 'counts'"):
        log.append(draft(2))


def test_a_foreign_error_of_the_mirror_is_an_outage_too() -> None:
    """A storage of one's own may raise any OSError."""
    world = World(required=False)
    log = world.run(1)

    def cut(name: str, data: bytes) -> None:
        raise ConnectionResetError("the cable")

    mirror = log.storage.mirror._inner._inner  # type: ignore[attr-defined]
    plans = mirror.within("windows")
    plans.create = cut
    log._windows.mirror._inner = plans  # type: ignore[attr-defined]
    with pytest.warns(MirrorAway, match="the cable"):
        log.append(draft(2))


def test_a_rename_waits_for_the_mirror() -> None:
    """The log never renames; others that use the storage are told."""
    world = World(required=False)
    storage = world.run(1).storage
    world.switch[0] = True
    with pytest.warns(MirrorAway):
        storage.create("a", b"data")
    with pytest.raises(StorageFailed, match="it is away"):
        storage.rename("a", "b")
    assert world.near().list() == ["a"]


def test_how_the_sides_stand_is_said_in_words(world: World) -> None:
    """For `show`."""
    storage = world.storage()
    assert storage.pair.standing() == "not paired yet: the first window does it"
    world.required = False
    storage = world.run(1).storage  # type: ignore[assignment]
    assert storage.pair.standing() == "level"
    world.switch[0] = True
    with pytest.warns(MirrorAway):
        storage.create("a", b"data")
    assert storage.pair.standing() == "away (far: no answer)"


def test_both_folders_are_known_to_those_who_must_not_read_them(tmp_path: Path) -> None:
    """An input that reads files of this machine."""
    storage = WindowLog(tmp_path / "near", mirror=tmp_path / "far").storage
    assert isinstance(storage, MirroredStorage)
    assert storage.folder == str(tmp_path / "near")
    assert storage.mirror.folder == str(tmp_path / "far")  # type: ignore[attr-defined]


def test_a_mirror_that_goes_away_again_while_it_is_brought_level() -> None:
    """At each step of that: the run goes on, and the next look finishes it."""
    for number in itertools.count(1):
        world = World(required=False)
        fault = Fault(0)
        world.far, inner = fault.over(world.far), world.far
        log = world.run(1)
        world.switch[0] = True
        with pytest.warns(MirrorAway):
            log.append(draft(2))
        world.switch[0] = False
        world.now_s = 1000.0
        fault.number = fault._count + number
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            log.append(draft(3))
            assert windows(world.near()) == [1, 2, 3]
            if fault.struck is None:
                break
            world.now_s = 1_000_000.0
            log.append(draft(4))
        assert windows(inner) == [1, 2, 3, 4]
    assert number > 10


def test_it_is_said_when_it_is_back() -> None:
    """Once."""
    world = World(required=False)
    log = world.run(1)
    world.switch[0] = True
    with pytest.warns(MirrorAway):
        log.append(draft(2))
    world.switch[0] = False
    world.now_s = 1000.0
    with pytest.warns(MirrorBack, match="is back, and level"):
        log.append(draft(3))
    log.append(draft(4))


def test_each_outage_is_said() -> None:
    """Also in the words of the one before, in the same line of the same process."""
    world = World(required=False)
    log = world.run(1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for outage in (1, 2):
            for away in (True, False):
                world.switch[0] = away
                log.append(draft(2 * outage + (not away)))
                world.now_s += 1000.0
    said = [warning.category for warning in caught]
    assert said == [MirrorAway, MirrorBack] * 2


def test_what_the_mirror_lost_is_not_removed_here(world: World) -> None:
    """Somebody removed a permission from the mirror: this side's copy is the backup."""
    log = world.run(2)
    log.notes.skip(Skip(2, "lines", "in.txt", "1 line", "unreadable"))
    world.far.within("skips").delete("000000000002.1.json")
    world.driver()
    assert "skips/000000000002.1.json" in everything(world.near())
