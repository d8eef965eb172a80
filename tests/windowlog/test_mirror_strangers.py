"""What `mirror=` names is another log's, and that shows late, or under an equal number: nothing of
one log comes into the other."""

from __future__ import annotations

import pytest

from tests.windowlog.drafts import begun, draft
from tests.windowlog.mirrored import Mounted, World, everything, windows
from windowlog.contracts import Storage
from windowlog.errors import MirrorAway, MirrorMismatch
from windowlog.log import WindowLog
from windowlog.pairing import Pairing, folder_id, give_up
from windowlog.storage import MemoryStorage
from windowlog.values import Skip


def _another() -> World:
    """Another pipeline's log, its folder and its mirror."""
    other = World(required=False, far=MemoryStorage().within("far of another"))
    other.folders["one"] = MemoryStorage().within("elsewhere")
    return other


def _counted_alone(world: World, log: WindowLog | None) -> WindowLog:
    log = log or world.driver()
    log.append(draft(2))
    return log


@pytest.mark.parametrize("moment", ["start", "run"])
def test_the_mirror_of_another_log_that_was_away(moment: str) -> None:
    """At a start it cannot be looked at, or another one is mounted within the run; each log has one
    pairing, so the numbers are equal. When it is back it is refused, and neither log has anything
    of the other one."""
    world, other = World(required=False), _another()
    behind = [world.far]
    world.far = Mounted(behind)  # type: ignore[assignment]
    log = world.run(1)
    other.run(3)
    ours, theirs = everything(world.near()), everything(other.far)
    world.switch[0] = True
    with pytest.warns(MirrorAway):
        log = _counted_alone(world, log if moment == "run" else None)
    behind.append(other.far)
    world.switch[0] = False
    world.now_s = 1000.0
    with pytest.raises(MirrorMismatch, match="that of another log, memory:/elsewhere"):
        log.append(draft(3))
    assert everything(other.far) == theirs
    assert windows(world.near()) == [1, 2]
    assert ours.items() < everything(world.near()).items()


def test_a_mirror_that_was_paired_anew_under_an_equal_number() -> None:
    """It was emptied under a run, and another log has begun there: our window counts nowhere."""
    world, other = World(), _another()
    other.required = True
    other.run(3)
    behind = [world.far]
    world.far = Mounted(behind)  # type: ignore[assignment]
    log = world.run(3)
    behind.append(other.far)
    with pytest.raises(MirrorMismatch, match="that of another log, memory:/elsewhere"):
        log.append(draft(4))
    assert windows(world.near()) == [1, 2, 3]


def test_a_mirror_that_is_unmounted_under_a_run() -> None:
    """The bare mount point takes the record, and this side must not: mounted again, nothing has
    happened."""
    world = World()
    behind = [world.far]
    world.far = Mounted(behind)  # type: ignore[assignment]
    log = world.run(2)
    behind.append(MemoryStorage().within("far"))
    with pytest.raises(MirrorMismatch, match="not mounted"):
        log.append(draft(3))
    assert windows(world.near()) == [1, 2]
    with pytest.raises(MirrorMismatch, match="not mounted"):
        world.driver()
    behind.pop()
    assert world.run(3).newest == 3
    near, far = world.sides()
    assert near == far


def test_a_given_up_mirror_of_another_log_is_not_offered() -> None:
    """The folder's own pairing says nothing any more; folder and header do."""
    world, other = World(), _another()
    world.run(2)
    give_up(world.near())
    other.run(1)
    world.far = other.far
    with pytest.raises(MirrorMismatch, match="given a mirror up") as caught:
        world.driver()
    assert caught.value.choices == ()


def test_a_refusal_has_copied_nothing() -> None:
    """Two logs whose skips and adoptions have other names, and whose windows differ: that is seen
    before the first copy."""
    world = World(required=False)
    world.run(3).notes.skip(Skip(2, "lines", "in.txt", "1 line", "unreadable"))
    other = MemoryStorage().within("of another history")
    begun(other, 3, run_id="run-x").notes.skip(Skip(1, "lines", "in.txt", "1 line", "unreadable"))
    pairings, stranger = world.far.within("pairings"), MemoryStorage().within("far")
    stranger.within("pairings").create("000000000001.json", pairings.read("000000000001.json"))
    for path, data in everything(other).items():
        folder, _, name = path.rpartition("/")
        stranger.within(folder).create(name, data)
    world.far = stranger
    ours, theirs = world.sides()
    with pytest.raises(MirrorMismatch, match="is another than on the other side"):
        world.driver()
    assert world.sides() == (ours, theirs)


class Named:
    """A storage under another name."""

    def __init__(self, inner: Storage, name: str) -> None:
        self._inner = inner
        self._name = name

    def __getattr__(self, verb: str) -> object:
        if verb == "describe":
            return lambda: self._name
        if verb == "within":
            return lambda path: Named(self._inner.within(path), f"{self._name}/{path}")
        return getattr(self._inner, verb)


@pytest.mark.parametrize("required", [True, False])
def test_one_place_under_two_names_is_no_mirror(required: bool) -> None:
    """A second mount of the same disk, another name of the same machine: by no name can that be
    seen. The first start is refused, and one that a version before this paired."""
    world = World(required=required)
    world.folders["one"] = Named(world.far, "near")  # type: ignore[assignment]
    with pytest.raises(MirrorMismatch, match="it is the same place under another name"):
        world.run(1)
    assert (everything(world.far), world.far.within("pairings").list()) == ({}, [])
    made = Pairing(1, "a pair", folder_id(world.far), required, "near", "far")
    world.far.within("pairings").create(*made.record())
    with pytest.raises(MirrorMismatch, match="Name another place"):
        world.driver()


def test_a_copy_of_the_folder_may_be_made_the_mirror() -> None:
    """Once it is no more taken for the folder, as the refusal says."""
    world = World()
    world.run(2)
    world.lose_mirror()
    for path in ("pairings", "headers", "windows", "marks"):
        source = world.near().within(path)
        for name in source.list():
            world.far.within(path).create(name, source.read(name))
    with pytest.raises(MirrorMismatch, match=r"remove pairings/000000000000\.json"):
        world.driver()
    world.far.within("pairings").delete("000000000000.json")
    world.run(3)
    assert windows(world.far) == windows(world.near()) == [1, 2, 3]
