"""Kills of drivers of a pipeline with state: each named moment of it once; all moments, and more of
them, in `make soak`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kill import plain_gear, spark_gear
from tests.kill.check import Checker
from tests.kill.source import Violation
from tests.kill.state_variant import OF_A_STATE, StateVariant
from tests.kill.tally import Tally
from tests.kill.world import World
from windowed.testing.services import HdfsService

pytestmark = pytest.mark.kill


def made(folder: Path, web: str = "here", hdfs: str = "here") -> World:
    """Nothing has run yet."""
    variant = StateVariant("duckdb", "upsert", "driver", web, hdfs)
    return World(folder / "world", plain_gear.new_rng(23), variant)


def test_totals_survive_kills(quick_folder: Path) -> None:
    """Each moment of a state and of its sink, and some at random."""
    world = made(quick_folder)
    checker, tally = Checker(world), Tally()
    for moment in (*OF_A_STATE, "before commit", "after commit", "low-water mark written"):
        plain_gear.one_round(world, checker, tally, moment)
    plain_gear.drain(world)
    checker.check()
    checker.finished()
    assert sum(tally.kills.values()) >= len(OF_A_STATE) + 2


def test_totals_on_hdfs_survive_kills(quick_folder: Path, on_hdfs: str) -> None:
    """Without Spark."""
    world = made(quick_folder, on_hdfs, "hdfs://cluster")
    checker, tally = Checker(world), Tally()
    for moment in OF_A_STATE:
        plain_gear.one_round(world, checker, tally, moment)
    plain_gear.drain(world)
    checker.check()
    checker.finished()
    assert tally.kills == dict.fromkeys(OF_A_STATE, 1)


@pytest.mark.spark
def test_totals_of_spark_on_hdfs_survive_a_kill(
    quick_folder: Path, hdfs: HdfsService, on_hdfs: str
) -> None:
    """A kill of a real driver, and a run to the end."""
    assert spark_gear.run(made(quick_folder, on_hdfs, hdfs.hdfs_url), rounds=1).windows > 2


def test_the_check_notices_a_state_that_forgets(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that has no window but the newest."""

    def forgetful(counts: Any, state: Any) -> Any:
        return counts, state.replace(counts)

    monkeypatch.setattr("tests.kill.pipeline.running_totals", forgetful)
    world = made(quick_folder)
    world.produce(lines=40)
    plain_gear.drain(world)
    with pytest.raises(Violation):
        Checker(world).check()
