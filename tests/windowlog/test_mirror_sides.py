"""Two sides that belong together, or not: docs/mirror.md, the rows about what is named, and about
changes."""

from __future__ import annotations

import copy
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.windowlog.drafts import PIPELINE, begun, draft
from tests.windowlog.mirrored import World, everything, windows
from windowed.testing.crash import Crash
from windowed.testing.faulty import Fault
from windowlog.errors import (
    BadArgument,
    Fenced,
    MirrorAway,
    MirrorMismatch,
    MirrorNotAdopted,
    MirrorUnnamed,
    StorageFailed,
)
from windowlog.log import WindowLog
from windowlog.pairing import Pairing, give_up, look
from windowlog.storage import HdfsStorage, LocalStorage, MemoryStorage, MirroredStorage


@pytest.fixture
def world() -> World:
    """Machine one, its folder, and a mirror that is required; nothing is there yet."""
    return World()


def _opened(storage: Any) -> WindowLog:
    log = WindowLog(storage)
    log.open(PIPELINE, "run-c")
    return log


def test_the_mirror_of_another_log(world: World) -> None:
    """Both are named; a plain log of another pipeline's, too."""
    world.run(1)
    other = World()
    other.folders["one"] = MemoryStorage().within("elsewhere")
    other.run(1)
    world.far = other.far
    with pytest.raises(MirrorMismatch, match="that of another log, memory:/elsewhere"):
        world.driver()
    world.lose()
    begun(world.near(), 2)
    plain = MemoryStorage().within("far")
    begun(plain, 2)
    world.far = plain
    with pytest.raises(MirrorMismatch, match="each has a log of its own"):
        world.driver()


def test_two_mirrors_of_one_folder(world: World) -> None:
    """The second one is empty, or another's: it is refused, whoever runs."""
    log = world.run(1)
    rival = copy.copy(world)
    rival.lose_mirror()
    with pytest.raises(MirrorMismatch, match="it is empty"):
        rival.driver()
    assert log.append(draft(2)).id == 2


@pytest.mark.parametrize("side", ["near", "far"])
def test_a_log_with_a_mirror_is_not_opened_without(world: World, side: str) -> None:
    """One side would fall behind, unseen. Both are named, and how to give the mirror up."""
    world.run(1)
    storage = world.near() if side == "near" else world.far
    with pytest.raises(MirrorUnnamed, match="memory:/one and memory:/far") as caught:
        _opened(storage)
    assert caught.value.choices[0][0].endswith("WindowLog('memory:/one', mirror='memory:/far')")
    assert caught.value.choices[1][1].endswith("adopt MODULE:PIPELINE --mirror")


def test_a_folder_that_was_left_behind(world: World) -> None:
    """The log has gone on elsewhere, by `adopt --folder`: it may have windows that count no
    more."""
    world.required = False
    world.run(2)
    world.storage("two").pair.take_over()
    with pytest.raises(MirrorMismatch, match="move memory:/one away and say"):
        world.driver("one")
    world.lose("one")
    with pytest.raises(MirrorNotAdopted):
        world.driver("one")
    world.required = True
    world.run(3, "two")
    assert world.driver("one").newest == 3


@pytest.mark.parametrize("required", [True, False])
def test_a_log_gets_a_mirror(world: World, required: bool) -> None:
    """All that it has; also when the driver dies at any step of it."""
    for number in range(1, 200):
        world = World(required=required)
        begun(world.near(), 3)
        fault = Fault(number, "before", crash=True)
        storage = MirroredStorage(
            fault.over(world.near()), fault.over(world.far), required=required
        )
        with fault.suffered():
            _opened(storage).scan()
            storage.begin()
        assert world.run(4).newest == 4
        near, far = world.sides()
        assert near == far
        if fault.struck is None:
            return
    pytest.fail("it never came to an end")


def test_a_look_fills_no_mirror(world: World) -> None:
    """The folder may be the wrong one: only a start that was decided fills it."""
    begun(world.near(), 3)
    log = _opened(world.storage())
    assert log.scan().newest == 3
    assert everything(world.far) == {}


def test_a_log_on_the_mirror_gets_a_folder(world: World) -> None:
    """One that was on HDFS alone goes on there, and here too."""
    begun(world.far, 3)
    assert world.run(4).newest == 4
    near, far = world.sides()
    assert near == far


@pytest.mark.parametrize("first", [True, False])
def test_the_choice_may_change(world: World, first: bool) -> None:
    """Once both are level; a driver of the old choice is fenced, and not while the mirror is
    away."""
    world.required = first
    old = world.run(2)
    world.required = not first
    world.switch[0] = True
    with pytest.raises(StorageFailed):
        world.driver()
    world.switch[0] = False
    log = world.driver()
    assert log.newest == 2
    with pytest.raises(Fenced):
        old.append(draft(3))
    again = world.driver()
    assert again.newest == 3
    assert again.append(draft(4)).id == 4
    assert look(world.far).number == 2
    near, far = world.sides()
    assert near == far


def test_a_tail_is_offered_before_the_mirror_is_required(world: World) -> None:
    """What counted here alone is not lost by the change."""
    world.required = False
    log = world.run(1)
    world.switch[0] = True
    with pytest.warns(MirrorAway):
        log.append(draft(2))
    world.switch[0] = False
    world.required = True
    assert world.driver().newest == 2
    assert windows(world.far) == [1, 2]


def test_a_mirror_may_be_given_up(world: World) -> None:
    """The folder is a log by itself; and what was its mirror is refused, should it be named
    again."""
    world.run(2)
    give_up(world.near())
    log = _opened(world.near())
    log.scan()
    assert log.append(draft(3)).id == 3
    with pytest.raises(MirrorMismatch):
        world.driver()
    world.lose_mirror()
    assert world.run(4).newest == 4
    assert windows(world.far) == [1, 2, 3, 4]


def test_a_driver_that_dies_while_it_takes_over_finishes_the_next_time(world: World) -> None:
    """At any step: the command run again, or the next start."""
    for number in range(1, 200):
        world = World(required=False)
        world.run(2).memory("lines").save(2, b"read so far")
        fault = Fault(number, "after", crash=True)
        near, far = fault.over(world.near("two")), fault.over(world.far)
        with fault.suffered():
            MirroredStorage(near, far, required=False).pair.take_over()
        try:
            log = world.driver("two")
        except MirrorNotAdopted:
            world.storage("two").pair.take_over()
            log = world.driver("two")
        assert log.memory("lines").newest() == (2, b"read so far")
        assert log.append(draft(3)).id == 3
        assert everything(world.near("two")) == everything(world.far)
        if fault.struck is None:
            return
    pytest.fail("it never came to an end")


def test_a_filling_that_dies_is_finished_by_the_same_command(world: World) -> None:
    """Half a mirror is not believed: the next start refuses it as the one before."""
    for number in range(1, 200):
        world = World()
        world.run(3)
        world.lose_mirror()
        fault = Fault(number, "after", crash=True)
        with fault.suffered():
            MirroredStorage(fault.over(world.near()), fault.over(world.far)).pair.refill()
        try:
            world.driver()
        except MirrorMismatch:
            world.storage().pair.refill()
        assert world.run(4).newest == 4
        near, far = world.sides()
        assert near == far
        if fault.struck is None:
            return
    pytest.fail("it never came to an end")


def test_arguments_that_cannot_be(tmp_path: Path) -> None:
    """One place twice, or in the other, by a link too; a choice without a mirror; no place."""
    (tmp_path / "link").symlink_to(tmp_path)
    for same in (tmp_path, tmp_path / "link"):
        for mirror in (same / "near", same / "near" / "far", same):
            with pytest.raises(BadArgument, match="another place than the log's own"):
                WindowLog(tmp_path / "near", mirror=str(mirror))
    WindowLog(tmp_path / "near", mirror=str(tmp_path / "near2"))
    with pytest.raises(BadArgument, match="no mirror to do without"):
        WindowLog(tmp_path, mirror_required=False)
    with pytest.raises(BadArgument, match="True or False"):
        WindowLog(tmp_path, mirror="far", mirror_required="yes")  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="webhdfs"):
        WindowLog(tmp_path, mirror="s3a://bucket/x")


def test_a_mirror_is_named_like_a_log(tmp_path: Path) -> None:
    """A folder, a URL, or a storage; nothing is touched."""
    log = WindowLog(tmp_path / "near", mirror="webhdfs://namenode:9870/state/x")
    assert isinstance(log.storage, MirroredStorage)
    assert log.describe() == f"{tmp_path}/near (mirror webhdfs://namenode:9870/state/x)"
    WindowLog(tmp_path / "near", mirror=LocalStorage(tmp_path / "far"))
    WindowLog(tmp_path / "near", mirror=HdfsStorage("webhdfs://namenode:9870/state/x"))
    assert list(tmp_path.iterdir()) == []


def test_a_crash_is_no_outage(world: World) -> None:
    """Nothing catches it and goes on."""
    world.required = False
    world.run(1)
    fault = Fault(1, "before", crash=True)
    storage = MirroredStorage(world.near(), fault.over(world.far), required=False)
    with pytest.raises(Crash):
        _opened(storage)


# As format 1 writes it, for ever; its CRC was worked out with zlib, by hand.
_BODY = (
    b'{"folder": "f",\n "host": "h",\n "local": "/near",\n "mirror": "/far",\n'
    b' "pair": "p",\n "required": true}\n'
)


def test_a_pairing_is_read_as_format_1_wrote_it(world: World) -> None:
    """Byte for byte; the folder's own id, too."""
    line = b"windowlog 1 pairing 3 %d" % len(_BODY)
    record = b"%s %08x\n%s" % (line, zlib.crc32(line + _BODY), _BODY)
    assert Pairing(3, "p", "f", True, "/near", "/far", "h").record() == (
        "000000000003.json",
        record,
    )
    own = b"windowlog 1 folder 0 16"
    body = b'{"folder": "f"}\n'
    pairings = world.near().within("pairings")
    pairings.create("000000000003.json", record)
    pairings.create("000000000000.json", b"%s %08x\n%s" % (own, zlib.crc32(own + body), body))
    side = look(world.near())
    assert side.pairing == Pairing(3, "p", "f", True, "/near", "/far", "h")
    assert (side.folder, side.number, side.header) == ("f", 3, None)
