"""Kills of drivers whose log, files or spool are on a real HDFS: a few of them; all moments in
`make soak`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.kill import plain_gear, spark_gear
from tests.kill.check import Checker
from tests.kill.hdfs_variant import HDFS_LAYOUTS, HdfsVariant
from tests.kill.source import Violation
from tests.kill.spool_variant import SpoolVariant
from tests.kill.tally import Tally
from tests.kill.world import World
from tests.windowlog.storage.hdfs_world import ask

if TYPE_CHECKING:
    from windowed.testing.services import HdfsService

pytestmark = pytest.mark.kill
MOMENTS = {
    "windows": ["log linked", "staged", "manifest written", "moved", "told"],
    "files": ["files synced", "first of several renames", "last rename", "manifest purged"],
    "partitions": ["partition folder made", "a rename among others"],
}


@pytest.mark.parametrize("layout", HDFS_LAYOUTS)
def test_log_and_files_on_hdfs_survive_kills(
    quick_folder: Path, hdfs: HdfsService, on_hdfs: str, layout: str
) -> None:
    """Published is exactly what is held, whole and once, but for a window that was held and not
    told yet. Killed once at each of these moments."""
    variant = HdfsVariant(layout, on_hdfs, hdfs.hdfs_url)
    world = World(quick_folder / "world", plain_gear.new_rng(17), variant)
    checker, tally = Checker(world), Tally()
    for moment in MOMENTS[layout]:
        plain_gear.one_round(world, checker, tally, moment)
    assert tally.kills == dict.fromkeys(MOMENTS[layout], 1)
    world.produce(lines=5)
    plain_gear.drain(world)
    checker.check()
    checker.finished()
    assert checker.held > len(MOMENTS[layout])


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.parametrize("layout", HDFS_LAYOUTS)
def test_files_that_spark_wrote_on_hdfs_survive_kills(
    quick_folder: Path, hdfs: HdfsService, on_hdfs: str, layout: str
) -> None:
    """A kill of a real driver, and a run to the end."""
    variant = HdfsVariant(layout, on_hdfs, hdfs.hdfs_url)
    world = World(quick_folder / "world", plain_gear.new_rng(2), variant)
    assert spark_gear.run(world, rounds=1).windows > 1


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.parametrize("database", ["duckdb", "sqlite"])
def test_a_spool_on_hdfs_survives_kills(tmp_path: Path, on_hdfs: str, database: str) -> None:
    """A kill of a real driver, and a run to the end; what was left goes with the next one."""
    variant = SpoolVariant(database, "accumulate", "executors", on_hdfs)
    world = World(tmp_path / "world", plain_gear.new_rng(2), variant)
    assert spark_gear.run(world, rounds=2).windows > 1
    world.produce(lines=20)
    spark_gear.drain(world)
    assert variant.left() + variant.copies(world.root) == []


def test_the_check_notices_a_window_that_is_lost_on_hdfs(
    quick_folder: Path, hdfs: HdfsService, on_hdfs: str
) -> None:
    """The copies are those of now: a window that is moved away by hand is a violation."""
    world = World(
        quick_folder / "world",
        plain_gear.new_rng(7),
        HdfsVariant("windows", on_hdfs, hdfs.hdfs_url),
    )
    checker = Checker(world)
    world.produce(lines=100)
    plain_gear.drain(world)
    assert checker.check()[0] > 1
    window = f"{on_hdfs}/out/window_id=00000001"
    ask(window, "PUT", "RENAME", destination=f"{urlsplit(on_hdfs).path}/away")
    with pytest.raises(Violation):
        checker.check()
