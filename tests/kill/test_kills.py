"""A few rounds of each gear; `make kill ROUNDS=n` runs as many as one has time for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.kill import plain_gear, spark_gear
from tests.kill.check import Checker
from tests.kill.files_variant import LAYOUTS, FilesVariant
from tests.kill.moments import MOMENTS
from tests.kill.source import Violation
from tests.kill.variants import MODES, Variant, connected
from tests.kill.world import World


def test_a_driver_killed_without_spark_leaves_exactly_the_plans_it_held(tmp_path: Path) -> None:
    """Forty kills at named and random moments; each state equals an independent count."""
    tally = plain_gear.run(World(tmp_path / "world", plain_gear.new_rng(20)), rounds=40)
    assert tally.interrupted > 20
    assert len(tally.kills) > len(MOMENTS) / 2


@pytest.mark.spark
def test_a_spark_driver_killed_leaves_exactly_the_plans_it_held(tmp_path: Path) -> None:
    """Two kills of a real driver, and a run to the end."""
    tally = spark_gear.run(World(tmp_path / "world", plain_gear.new_rng(3)), rounds=2)
    assert tally.windows > 2


@pytest.mark.parametrize("database", ["duckdb", "sqlite"])
@pytest.mark.parametrize("mode", sorted(MODES))
def test_every_mode_survives_kills(tmp_path: Path, database: str, mode: str) -> None:
    """On each database: named moments and random ones."""
    world = World(tmp_path / "world", plain_gear.new_rng(11), Variant(database, mode))
    tally = plain_gear.run(world, rounds=4)
    assert tally.interrupted > 0


@pytest.mark.spark
@pytest.mark.parametrize("database", ["duckdb", pytest.param("sqlite", marks=pytest.mark.soak)])
def test_rows_that_tasks_wrote_survive_kills(tmp_path: Path, database: str) -> None:
    """The load through executors, on each database: a kill, and a run to the end."""
    variant = Variant(database, "accumulate", "executors")
    world = World(tmp_path / "world", plain_gear.new_rng(5), variant)
    tally = spark_gear.run(world, rounds=1)
    assert tally.windows > 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_survive_kills(quick_folder: Path, layout: str) -> None:
    """Each layout: what is visible after each kill are whole windows (files, where they appear one
    by one), once, and all that were told."""
    world = World(quick_folder / "world", plain_gear.new_rng(13), FilesVariant(layout))
    tally = plain_gear.run(world, rounds=5)
    assert tally.interrupted > 0
    assert tally.windows > 2


@pytest.mark.spark
@pytest.mark.parametrize("layout", ["windows", pytest.param("files", marks=pytest.mark.soak)])
def test_files_that_spark_wrote_survive_kills(quick_folder: Path, layout: str) -> None:
    """A kill of a real driver, and a run to the end."""
    world = World(quick_folder / "world", plain_gear.new_rng(2), FilesVariant(layout))
    assert spark_gear.run(world, rounds=1).windows > 2


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "rolled"])
def test_the_check_notices_files_that_are_lost_or_doubled(quick_folder: Path, layout: str) -> None:
    """And such as are none of the sink's."""
    world = World(quick_folder / "world", plain_gear.new_rng(7), FilesVariant(layout))
    checker = Checker(world)
    world.produce(lines=100)
    plain_gear.drain(world)
    assert checker.check()[0] > 1
    oldest = min(path for path in (world.root / "out").rglob("part-*") if path.is_file())
    for ending in ("-00001-000", "-one"):
        other = oldest.with_name(oldest.name.replace("-00000-000", ending))
        shutil.copy(oldest, other)
        with pytest.raises(Violation):
            checker.check()
        other.unlink()
    checker.check()
    oldest.unlink()
    with pytest.raises(Violation):
        checker.check()


def test_the_check_notices_a_lost_row_and_a_doubled_one(tmp_path: Path) -> None:
    """The check is no rubber stamp: a count changed by hand is a violation."""
    world = World(tmp_path / "world", plain_gear.new_rng(7))
    plain_gear.run(world, rounds=3)
    with connected(world.root, "duckdb") as connection:
        connection.execute("UPDATE word_counts SET count = count + 1 WHERE word = 'the'")
    with pytest.raises(Violation, match="'the'"):
        Checker(world).check()


def test_the_check_notices_a_window_that_was_read_before_it_was_logged(tmp_path: Path) -> None:
    """A driver died between the two, and the log ends where the sink does."""
    world = World(tmp_path / "world", plain_gear.new_rng(7))
    world.produce(lines=10)
    plain_gear.drain(world)
    checker = Checker(world)
    assert checker.check_killed_at("committed told") == checker.check()
    with pytest.raises(Violation, match="killed at 'read' of window"):
        checker.check_killed_at("read")
