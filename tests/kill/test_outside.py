"""Outside readers never see a part of a window, nor one twice, while its driver is killed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.kill import outside
from tests.kill.outside_reader import check

WHOLE = [(1, 0, 2), (1, 1, 2)]


@pytest.mark.kill
def test_outside_readers_see_whole_windows_while_the_driver_is_killed(quick_folder: Path) -> None:
    """DuckDB and pyarrow, all the time; Spark in `make soak`, during 200 windows."""
    _, told = outside.run(quick_folder, 20, outside.READERS, random.Random(1))
    for reader in told:
        print(reader)
        assert reader["windows"] == 20
        assert reader["looks"] > reader["different"] > 0


@pytest.mark.kill
@pytest.mark.spark
def test_outside_readers_see_whole_windows_while_files_are_joined(quick_folder: Path) -> None:
    """Spark too; and while the driver is killed that joins them."""
    readers = (*outside.READERS, "spark")
    _, told = outside.run(quick_folder, 8, readers, random.Random(2), rollup=2)
    for reader in told:
        print(reader)
        assert reader["windows"] == 8
        assert reader["looks"] >= reader["different"] > 1
    assert list((quick_folder / "out").rglob("*-to-*"))


@pytest.mark.parametrize("rows", [WHOLE[:1], [*WHOLE, *WHOLE], [*WHOLE, (1, 2, 2)], []], ids=str)
def test_a_look_that_is_not_whole_is_noticed(rows: list[tuple[int, int, int]]) -> None:
    """A part of a window, a window twice, a row too many, a window that was there before."""
    assert check(WHOLE, set()) == {1}
    with pytest.raises(AssertionError):
        check(rows, {1})
