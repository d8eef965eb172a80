"""Kills of drivers whose log has a mirror on a real HDFS: a few of them; all moments in
`make soak`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kill import plain_gear, spark_gear
from tests.kill.check import Checker
from tests.kill.losses import lose
from tests.kill.mirror_variant import AWAY, MIRROR, MirrorVariant
from tests.kill.source import Violation
from tests.kill.tally import Tally
from tests.kill.world import World
from tests.windowlog.storage.hdfs_world import ask

pytestmark = pytest.mark.kill
MOMENTS = [f"{MIRROR}log synced", "log synced", "after commit"]


def made(folder: Path, web: str, required: str) -> World:
    """Nothing has run yet."""
    variant = MirrorVariant("duckdb", "accumulate", "driver", required, web)
    return World(folder / "world", plain_gear.new_rng(19), variant)


@pytest.mark.parametrize("required", ["required", "optional"])
def test_a_driver_killed_between_two_sides_leaves_what_the_next_one_makes_level(
    quick_folder: Path, on_hdfs: str, required: str
) -> None:
    """Then either side is lost, or away, and a run goes on as docs/mirror.md says."""
    world = made(quick_folder, on_hdfs, required)
    checker, tally = Checker(world), Tally()
    for moment in MOMENTS:
        plain_gear.one_round(world, checker, tally, moment)
    assert tally.kills == dict.fromkeys(MOMENTS, 1)
    for side in world.variant.sides:
        lose(world, checker, tally, side)
        if side == AWAY:
            plain_gear.one_round(world, checker, tally, "log synced")
            lose(world, checker, tally, side)
        plain_gear.drain(world)
        checker.check()
        checker.finished()
    assert tally.lost == dict.fromkeys(world.variant.sides, 1)


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.parametrize("required", ["required", "optional"])
def test_a_spark_driver_whose_log_has_a_mirror_survives_kills(
    quick_folder: Path, on_hdfs: str, required: str
) -> None:
    """A kill of a real driver, and a run to the end."""
    assert spark_gear.run(made(quick_folder, on_hdfs, required), rounds=1).windows > 2


def test_the_check_notices_sides_that_are_not_level(quick_folder: Path, on_hdfs: str) -> None:
    """A plan that the mirror lost, and one that was changed there."""
    world = made(quick_folder, on_hdfs, "required")
    checker = Checker(world)
    world.produce(lines=100)
    plain_gear.drain(world)
    held, _ = checker.check()
    checker.finished()
    plan = f"{on_hdfs}/state/windows/{held:012d}.json"
    ask(plan, "DELETE", "DELETE")
    with pytest.raises(AssertionError, match=f"{held:012d}"):
        checker.check()
    ask(plan, "PUT", "CREATE", b"else\n{}")
    with pytest.raises(Violation, match="changed"):
        checker.check()
