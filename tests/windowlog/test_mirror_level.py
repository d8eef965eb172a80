"""Two sides are brought level: before anything is believed, durably, and in an order in which a
reader of the mirror never finds a log that is damaged."""

from __future__ import annotations

import itertools
import warnings

import pytest

from tests.windowlog.drafts import PIPELINE, begun, draft
from tests.windowlog.mirrored import World, everything, windows
from windowed.testing.faulty import Fault
from windowed.testing.forgetful import ForgetfulStorage
from windowlog.contracts import Storage
from windowlog.errors import MirrorAway, MirrorMismatch, StorageFailed
from windowlog.log import WindowLog
from windowlog.pairing import folder_id, look
from windowlog.storage import MemoryStorage, MirroredStorage


def _copy(side: dict[str, bytes]) -> Storage:
    """A storage that has these records."""
    storage = MemoryStorage()
    for path, data in side.items():
        folder: Storage = storage
        *folders, name = path.split("/")
        for each in folders:
            folder = folder.within(each)
        folder.create(name, data)
    return storage


@pytest.mark.parametrize("required", [True, False])
def test_a_record_that_comes_meanwhile_is_on_both_sides_before_it_is_believed(
    required: bool,
) -> None:
    """A driver that died between the two sides of it, after our look at the folder."""
    world = World(required=required)
    world.run(1)
    storage = world.storage()
    plans = storage.within("windows")
    plans.sync()
    first = world.far if required else world.near()
    first.within("windows").create("000000000002.json", b"a plan")
    plans.sync("000000000002.json")
    assert windows(world.near()) == windows(world.far) == [1, 2]


def test_a_folder_that_has_joined_is_known_at_the_next_start() -> None:
    """It has its copy of the pairing, and is not taken for a stranger's."""
    world = World()
    world.run(2, "one")
    world.driver("two")
    assert look(world.near("two")).number == 1
    assert world.run(3, "two").newest == 3
    assert look(world.far).number == 1


def test_a_change_of_the_choice_is_never_made_without_the_mirror() -> None:
    """While it is required that is so for the change, too, at whatever step it goes away."""
    for number in itertools.count(1):
        world = World()
        world.run(2)
        fault = Fault(number)
        storage = MirroredStorage(world.near(), fault.over(world.far), required=False)
        log = WindowLog(storage)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                log.open(PIPELINE, "run-b")
                log.scan()
                storage.begin()
            except StorageFailed:
                assert storage.pair.away is None
        if storage.pair.away is not None:
            made = look(world.far).pairing
            assert made is not None
            assert not made.required
        if fault.struck is None:
            break
    assert number > 10


def test_a_folder_with_another_ones_pairing_does_not_go_alone() -> None:
    """Somebody copied records from one machine to another, but for the folder's id."""
    world = World(required=False)
    world.run(1)
    one, two = world.near("one").within("pairings"), world.near("two").within("pairings")
    two.create("000000000001.json", one.read("000000000001.json"))
    folder_id(world.near("two"))
    world.switch[0] = True
    with pytest.raises(StorageFailed):
        world.driver("two")


@pytest.mark.parametrize("required", [True, False])
def test_what_was_believed_outlives_a_power_cut(required: bool) -> None:
    """A driver dies half way through each step; another one reads what it left; then the power of
    both sides is cut."""
    for number in itertools.count(1):
        near, far = ForgetfulStorage(), ForgetfulStorage()
        fault = Fault(number, "midway", crash=True)
        left, right = fault.over(near.within("near")), fault.over(far.within("far"))
        left._half, right._half = near.halfway.within("near"), far.halfway.within("far")
        world = World(required=required, far=far.within("far"))
        world.folders["one"] = near.within("near")
        with fault.suffered():
            storage = MirroredStorage(left, right, required=required)
            log = WindowLog(storage)
            log.open(PIPELINE, "run-a")
            log.scan()
            storage.begin()
            log.create()
            for window_id in (1, 2, 3):
                log.append(draft(window_id))
                log.purge(window_id)
        other = world.driver()
        believed = other.newest, other.low_water_mark()
        near.power_loss()
        far.power_loss()
        log = world.driver()
        assert (log.newest, log.low_water_mark()) == believed
        for side in (world.near(), world.far):
            kept = [window_id for window_id in windows(side) if window_id >= believed[1]]
            assert kept == list(range(believed[1], believed[0] + 1))
        if fault.struck is None:
            break
    assert number > 20


def test_a_mirror_with_an_older_pairing_is_an_older_copy() -> None:
    """The folder has seen a newer one."""
    world = World()
    world.run(2)
    name = "000000000002.json"
    world.required = False
    world.driver()
    world.far.within("pairings").delete(name)
    with pytest.raises(MirrorMismatch, match="older copy"):
        world.driver()


def test_a_log_that_was_never_paired_does_not_join() -> None:
    """Another job's folder, or one from before the mirror."""
    world = World()
    world.run(2)
    begun(world.near("two"), 1)
    with pytest.raises(MirrorMismatch, match="was never a part of what the mirror has"):
        world.driver("two")
    assert windows(world.near("two")) == [1]


def test_at_no_step_is_the_mirror_a_damaged_log() -> None:
    """A tail with a purge in it is offered, and the driver dies at each step of that: what stands
    on the mirror then is a log without holes."""
    for number in itertools.count(1):
        world = World(required=False)
        log = world.run(1)
        world.switch[0] = True
        with pytest.warns(MirrorAway):
            log.append(draft(2))
        for window_id in range(3, 6):
            log.append(draft(window_id))
            log.purge(window_id - 1)
        world.switch[0] = False
        fault = Fault(number, "before", crash=True)
        storage = MirroredStorage(
            world.near(), fault.over(world.far), required=False, clock_s=lambda: 0.0
        )
        with fault.suffered():
            storage.pair.start()
            storage.pair.level_all()
        plain = WindowLog(_copy(everything(world.far)))
        plain.open(PIPELINE, "run-b")
        assert plain.scan().damaged == (), fault.struck
        if fault.struck is None:
            break
    assert number > 10


def test_a_folder_whose_joining_was_cut_short_joins_again() -> None:
    """At any step: also when the header is here and the pairing is not yet."""
    for number in itertools.count(1):
        world = World()
        world.run(2)
        fault = Fault(number, "after", crash=True)
        storage = MirroredStorage(fault.over(world.near("two")), fault.over(world.far))
        with fault.suffered():
            log = WindowLog(storage)
            log.open(PIPELINE, "run-b")
            log.scan()
            storage.begin()
        assert world.run(3, "two").newest == 3
        assert everything(world.near("two")) == everything(world.far)
        if fault.struck is None:
            break
    assert number > 10
