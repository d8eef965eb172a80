"""Folders of somebody else, or of another layout, beside which no reader could read the sink's."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from file_sink import FileSink
from file_sink.errors import FolderUnsuitable
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_pyarrow
from tests.file_sink.test_folders import pipeline

FILES_BY_WORD: dict[str, Any] = {"layout": "files", "partition_by": ["word"]}


def fill(folder: Path) -> None:
    """Something foreign is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x").write_text("foreign")


@pytest.mark.parametrize(
    ("arguments", "there", "said"),
    [
        ({"partition_by": ["word"]}, ["word=a", "word=b"],
         r"word=a and 1 more .*another folder; or layout='files' with partition_by=\['word'\]"),
        ({}, ["day=1"], r"day=1 .*another folder; or layout='files' with partition_by=\['day'\]"),
        ({}, ["_day=1"], r"_day=1 .*layout 'windows'"),
        ({}, ["archive"], r"archive .*Choose another folder; or move them away"),
        ({}, ["day=1", "hour=1"], r"day=1 and 1 more .*Choose another folder; or move them away"),
        (FILES_BY_WORD, ["window_id=00000001"],
         r"window_id=00000001 .*layout 'files' with .*stay with layout='windows'"),
        (FILES_BY_WORD, ["word=a", "day=1"], r"the folder day=1 is in it"),
        ({"layout": "files"}, ["window_id=00000001"], r"stay with layout='windows'"),
        ({"layout": "files"}, ["day=1"], r"with partition_by=\['day'\]"),
    ],
)  # fmt: skip
def test_folders_that_readers_cannot_read_beside_the_sinks_are_refused(
    tmp_path: Path, arguments: dict[str, Any], there: list[str], said: str
) -> None:
    """Before anything is written, by a first start and by one that goes on; until they are gone."""
    windows: list[Any] = [[("a", 1)]]
    for name in there:
        fill(tmp_path / "out" / name)
    sink = FileSink(tmp_path / "out", **arguments)
    with pytest.raises(FolderUnsuitable, match=said):
        pipeline(tmp_path, windows, out=sink).run(None, progress=False)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(there)
    assert not (tmp_path / "out.staging").exists()
    shutil.rmtree(tmp_path / "out")
    for _ in range(2):
        pipeline(tmp_path, windows, out=sink).run(None, progress=False)
    fill(tmp_path / "out" / there[-1])
    windows.append([("b", 2)])
    with pytest.raises(FolderUnsuitable, match=f"{there[-1]} is in it"):
        pipeline(tmp_path, windows, out=sink).run(None, progress=False)
    (tmp_path / "out" / there[-1] / "x").unlink()  # an empty folder disturbs nobody
    pipeline(tmp_path, windows, out=sink).run(None, progress=False)
    assert sum("part-" in path.name for path in (tmp_path / "out").rglob("*.parquet")) == 2


@pytest.mark.parametrize(
    ("arguments", "there"),
    [
        ({}, "_temporary/x"), ({}, ".hidden/x"), ({}, "README"),
        (FILES_BY_WORD, "word=z/x"), (FILES_BY_WORD, "WORD=z/x"), ({"layout": "files"}, "old/x"),
    ],
)  # fmt: skip
def test_what_disturbs_no_reader_may_be_there(
    tmp_path: Path, arguments: dict[str, Any], there: str
) -> None:
    """Partitions like the sink's own, what readers leave out, files."""
    foreign = tmp_path / "out" / there
    foreign.parent.mkdir(parents=True)
    foreign.write_text("mine")
    bench = Bench(tmp_path / "out", **arguments)
    bench.publish(words(("a", 1)))
    bench.die()
    bench.publish(words(("b", 2)))
    assert foreign.read_text() == "mine"


def test_another_layout_is_not_adopted_beside_the_windows_before(tmp_path: Path) -> None:
    """`adopt --from now` would leave a folder that no reader can read. The same layout goes on."""
    bench = Bench(tmp_path / "out")
    bench.publish(words(("a", 1)))
    before = bench.sink.held()
    assert before is not None
    bench.arguments = FILES_BY_WORD
    bench.die()
    with pytest.raises(FolderUnsuitable, match=r"window_id=00000001 is in it.*stay with layout"):
        bench.sink.adopt(before, replace(before, identity=bench.sink.identity()))
    assert bench.sink.held() == before
    bench.arguments = {}
    bench.die()
    bench.publish(words(("b", 2)))
    assert sorted(rows_by_pyarrow(bench.path)) == [("a", 1), ("b", 2)]
