"""Joined files, and a memory that is older than they are: by a backup, or by a person's word."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from file_sink.errors import FolderTaken, RowsLost
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_pyarrow
from tests.file_sink.test_rollup import filled, roll_up, rows

layouts = pytest.mark.parametrize("layout", ["windows", "files"])


def put_back(bench: Bench, backup: Path) -> None:
    """The staging folder alone, while no driver runs."""
    staging = bench.path.with_name("out.staging")
    shutil.rmtree(staging)
    shutil.copytree(backup, staging)
    bench.die()
    bench.sink.prepare(words().schema)


@layouts
def test_a_held_window_of_an_older_staging_folder_is_not_published_beside_joined_rows(
    tmp_path: Path, layout: str
) -> None:
    """Its own name is free again: the joined file has its rows. ‡"""
    bench = filled(tmp_path / "out", 1, layout=layout)
    bench.hold(words(("w2", 2)))
    shutil.copytree(bench.path.with_name("out.staging"), tmp_path / "backup")
    bench.sink.committed(2)
    bench.publish(words(("w0", 3)))
    roll_up(bench)
    put_back(bench, tmp_path / "backup")
    with pytest.raises(RowsLost, match=r"-to-00000003-000\S* has rows of it already"):
        bench.sink.committed(99)
    assert Counter(rows_by_pyarrow(bench.path)) == rows(3)


@layouts
@pytest.mark.parametrize("window_id", [2, 3])
def test_a_window_that_is_replayed_is_not_published_beside_joined_rows(
    tmp_path: Path, layout: str, window_id: int
) -> None:
    """The memory is older than the folder, and the run writes again what is there. ‡"""
    bench = filled(tmp_path / "out", window_id - 1, layout=layout)
    shutil.copytree(bench.path.with_name("out.staging"), tmp_path / "backup")
    for number in range(window_id, 5):
        bench.publish(words((f"w{number % 3}", number)))
    roll_up(bench)
    put_back(bench, tmp_path / "backup")
    window = bench.story.log.read(window_id)
    bench.sink.stage(window, words((f"w{window_id % 3}", window_id)))
    bench.sink.hold(window)
    with pytest.raises(RowsLost, match="has rows of it already"):
        bench.sink.committed(window_id)
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)


@layouts
def test_a_window_that_is_replayed_is_not_published_beside_rows_of_its_own(
    tmp_path: Path, layout: str
) -> None:
    """The memory is older than the folder, and the window has other rows this time: these are in
    other partitions, so that no name of theirs was taken, and both stood there."""
    bench = Bench(tmp_path / "out", layout=layout, partition_by=["word"])
    bench.publish(words(("a", 1)))
    shutil.copytree(bench.path.with_name("out.staging"), tmp_path / "backup")
    bench.publish(words(("b", 2)))
    put_back(bench, tmp_path / "backup")
    window = bench.story.log.read(2)
    bench.sink.stage(window, words(("c", 3)))
    bench.sink.hold(window)
    with pytest.raises(RowsLost, match=r"word=b/part-00000002\S* has rows of it already"):
        bench.sink.committed(2)
    assert sorted(path.rpartition("word=")[2][0] for path in bench.published()) == ["a", "b"]


@layouts
def test_the_advice_about_joined_windows_loses_no_row(tmp_path: Path, layout: str) -> None:
    """Windows 1 to 4 are in one file, and the sink is to go on with 3: 1 and 2 must not be moved
    away with it unless they are written again. ‡"""
    bench = filled(tmp_path / "out", 2, layout=layout)
    middle = bench.sink.held()
    assert middle is not None
    for number in (3, 4):
        bench.publish(words((f"w{number % 3}", number)))
    roll_up(bench)
    bench.die()
    with pytest.raises(FolderTaken, match="move away all from window 1 on") as refused:
        bench.sink.adopt(bench.sink.held(), middle)
    assert "-to-00000004-000.snappy.parquet has the rows of windows 1 to 4" in str(refused.value)
    for path in bench.path.iterdir():
        path.rename(tmp_path / path.name)
    bench.sink.adopt(bench.sink.held(), bench.story.beginning)


def test_the_advice_looks_at_every_partition(tmp_path: Path) -> None:
    """Windows 2 to 5 of one and 1 to 7 of another: from 4 on is from 1 on."""
    bench = filled(tmp_path / "out", 3, layout="files", partition_by=["word"])
    middle = bench.sink.held()
    assert middle is not None
    for number in range(4, 8):
        bench.publish(words((f"w{number % 3}", number)))
    roll_up(bench)
    bench.die()
    with pytest.raises(FolderTaken, match="move away all from window 1 on"):
        bench.sink.adopt(bench.sink.held(), middle)
