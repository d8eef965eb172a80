"""What may stand in a folder already, and which places are refused: the second table of
docs/file_sink.md."""

from __future__ import annotations

import os
import shutil
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from file_sink import FileSink
from file_sink.errors import FolderTaken, ManifestDamaged, RowsLost
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_pyarrow
from windowed import Pipeline
from windowed.errors import LedgerLost, TargetLost
from windowed.testing import RowsInput
from windowlog import WindowLog
from windowlog.contracts import SinkContext
from windowlog.errors import KitError


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_foreign_files_are_never_touched(tmp_path: Path, layout: str) -> None:
    """In the folder, and beside a window's files in theirs."""
    path = tmp_path / "out"
    path.mkdir()
    (path / "README").write_text("mine")
    (path / "part-0.parquet.bak").write_text("mine too")
    bench = Bench(path, layout=layout)
    bench.publish(words(("a", 1)))
    beside = path / ("window_id=00000001" if layout == "windows" else ".") / "notes"
    beside.write_text("and mine")
    bench.die()
    bench.sink.committed(1)
    bench.publish(words(("b", 2)))
    texts = [(path / "README"), (path / "part-0.parquet.bak"), beside]
    assert [text.read_text() for text in texts] == ["mine", "mine too", "and mine"]


def test_a_foreign_folder_where_a_window_goes_is_refused(tmp_path: Path) -> None:
    """Nothing is touched; once it is moved away, the window is published."""
    bench = Bench(tmp_path / "out")
    bench.hold(words(("a", 1)))
    foreign = bench.path / "window_id=00000001"
    foreign.mkdir()
    (foreign / "x.parquet").write_text("foreign")
    for _ in range(2):
        with pytest.raises(RowsLost, match=r"(?s)window_id=00000001 differs in .*Move it away"):
            bench.sink.committed(1)
        bench.die()
    assert (foreign / "x.parquet").read_text() == "foreign"
    shutil.rmtree(foreign)
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("a", 1)]


def test_a_foreign_file_where_a_file_goes_is_refused(tmp_path: Path) -> None:
    """Layout `files`: not overwritten either."""
    bench = Bench(tmp_path / "out", layout="files", format="text")
    bench.hold(words(("a", 1)).select(["word"]))
    foreign = bench.path / "part-00000001-00000-000.txt"
    foreign.write_text("foreign\n")
    with pytest.raises(RowsLost, match="other bytes"):
        bench.sink.committed(1)
    assert foreign.read_text() == "foreign\n"
    foreign.unlink()
    bench.sink.committed(1)
    assert foreign.read_text() == "a\n"


@pytest.mark.parametrize("layout", ["windows", "files"])
@pytest.mark.parametrize("change", ["gone", "changed", "one more"])
def test_staged_rows_that_are_gone_or_changed_are_an_error(
    tmp_path: Path, layout: str, change: str
) -> None:
    """By hand, or by a backup of one folder: found by the next driver, and nothing is published."""
    bench = Bench(tmp_path / "out", layout=layout, format="json")
    bench.hold(words(("a", 1)))
    [file] = (tmp_path / "out.staging" / "staged").glob("*/*.json")
    if change == "gone":
        file.unlink()
    elif change == "changed":
        file.write_text('{"word":"b","n":1}\n')
    else:
        (file.parent / "more.json").write_text("{}")
    bench.die()
    if change == "one more" and layout == "files":
        bench.sink.committed(1)  # only what the manifest names is published
        assert len(bench.published()) == 1
        return
    with pytest.raises(RowsLost):
        bench.sink.committed(1)
    assert bench.published() == []


def test_a_window_written_again_is_published_in_the_place_of_a_lost_one(tmp_path: Path) -> None:
    """`adopt` moves the memory back, and the lost window is not asked for any more."""
    bench = Bench(tmp_path / "out")
    bench.publish(words(("a", 1)))
    before = bench.sink.held()
    window = bench.hold(words(("lost", 2)))
    shutil.rmtree(tmp_path / "out.staging" / "staged")
    bench.die()
    with pytest.raises(RowsLost):
        bench.sink.committed(2)
    assert before is not None
    bench.sink.adopt(bench.sink.held(), before)
    bench.sink.prepare(words().schema)
    bench.sink.stage(window, words(("again", 2)))
    bench.sink.hold(window)
    bench.sink.committed(2)
    assert sorted(rows_by_pyarrow(bench.path)) == [("a", 1), ("again", 2)]


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_window_that_is_there_is_not_adopted_again(tmp_path: Path, layout: str) -> None:
    """The memory is gone, the windows are there: a sink that begins anew would double them."""
    bench = Bench(tmp_path / "out", layout=layout, partition_by=["word"])
    bench.publish(words(("a", 1)))
    bench.publish(words(("b", 2)))
    shutil.rmtree(tmp_path / "out.staging")
    bench.die()
    assert bench.sink.held() is None
    for window_id in (0, 1):
        with pytest.raises(FolderTaken, match="windows up to 2 are in it"):
            bench.sink.adopt(None, replace(bench.story.beginning, window_id=window_id))
    bench.sink.adopt(None, replace(bench.story.beginning, window_id=2))


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_foreign_file_that_goes_while_the_folder_is_listed_hides_no_window(
    tmp_path: Path, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program's temporary file: the folder was taken for an empty one, and windows that are
    there were adopted again."""
    bench = Bench(tmp_path / "out", layout=layout)
    bench.publish(words(("a", 1)))
    shutil.rmtree(tmp_path / "out.staging")
    bench.die()
    foreign, scandir = bench.path / "zz", os.scandir

    def listed(folder: str) -> Any:
        found = list(scandir(folder))
        foreign.unlink(missing_ok=True)
        return nullcontext(found)

    foreign.write_text("soon gone")
    monkeypatch.setattr(os, "scandir", listed)
    with pytest.raises(FolderTaken, match="windows up to 1 are in it"):
        bench.sink.adopt(None, bench.story.beginning)


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_a_damaged_manifest_is_an_error_that_says_what_to_do(tmp_path: Path, damage: str) -> None:
    """It is left as it is: to begin anew would publish windows twice."""
    bench = Bench(tmp_path / "out")
    bench.publish(words(("a", 1)))
    manifest = tmp_path / "out.staging" / "manifests" / "000000000001.json"
    data = manifest.read_bytes()
    if damage == "gone":
        manifest.unlink()
    else:
        manifest.write_bytes(data[:-9] if damage == "cut" else data.replace(b"word", b"w0rd"))
        if damage == "flipped":
            manifest.write_bytes(data.replace(b'"rows": 1', b'"rows": 2'))
    bench.die()
    with pytest.raises(ManifestDamaged, match=r"out\.staging is damaged.*adopt"):
        bench.sink.held()


def test_a_folder_of_another_pipeline_is_refused(tmp_path: Path) -> None:
    """Whatever its log."""
    bench = Bench(tmp_path / "out")
    bench.publish(words(("a", 1)))
    other = bench.make()
    other.open(SinkContext("another", "out", "log", "run"))
    for ask in (other.held, other.target):
        with pytest.raises(FolderTaken, match="of sink out of pipeline 'contract'"):
            ask()


def pipeline(base: Path, windows: list[Any], **sinks: FileSink) -> Pipeline:
    """Rows into files, the log beside."""
    return Pipeline(
        "files",
        inputs={"rows": RowsInput(windows, schema="word string, n bigint")},
        transform=lambda rows: rows,
        sinks=sinks,
        log=WindowLog(base / "log"),
    )


@pytest.mark.parametrize("second", ["out", "out/inner", "out.staging", "out.staging/staged"])
def test_two_sinks_on_one_folder_are_refused(tmp_path: Path, second: str) -> None:
    """Also one inside the other: before anything is written, whichever comes first."""
    for names in (("a", "b"), ("b", "a")):
        sinks = {names[0]: FileSink(tmp_path / "out"), names[1]: FileSink(tmp_path / second)}
        with pytest.raises(FolderTaken, match="Give each sink a folder of its own"):
            pipeline(tmp_path, [[("a", 1)]], **sinks).run(None, progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_two_sinks_on_two_folders_are_two_sinks(tmp_path: Path) -> None:
    """Also where one name begins with the other."""
    sinks = {"a": FileSink(tmp_path / "out"), "b": FileSink(tmp_path / "out2", layout="files")}
    pipeline(tmp_path, [[("a", 1)]], **sinks).run(None, progress=False)
    assert rows_by_pyarrow(tmp_path / "out") == rows_by_pyarrow(tmp_path / "out2") == [("a", 1)]


def test_a_folder_that_is_gone_is_refused(tmp_path: Path) -> None:
    """By the table of recovery; and without its memory the sink is as good as lost."""
    windows: list[Any] = [[("a", 1)]]
    pipeline(tmp_path, windows, out=FileSink(tmp_path / "out")).run(None, progress=False)
    windows.append([("b", 2)])
    shutil.move(tmp_path / "out", tmp_path / "away")
    with pytest.raises(TargetLost, match=f"folder {tmp_path}/out"):
        pipeline(tmp_path, windows, out=FileSink(tmp_path / "out")).run(None, progress=False)
    shutil.move(tmp_path / "away", tmp_path / "out")
    shutil.move(tmp_path / "out.staging", tmp_path / "away")
    with pytest.raises(LedgerLost):
        pipeline(tmp_path, windows, out=FileSink(tmp_path / "out")).run(None, progress=False)


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_folder_that_goes_in_a_run_is_named(tmp_path: Path, layout: str) -> None:
    """It is never made anew by who publishes; put back, the window is published."""
    bench = Bench(tmp_path / "out", layout=layout)
    bench.publish(words(("a", 1)))
    window = bench.hold(words(("b", 2)))
    bench.path.rename(tmp_path / "elsewhere")
    with pytest.raises(RowsLost, match="out is gone"):
        bench.sink.committed(window.id)
    (tmp_path / "elsewhere").rename(bench.path)
    bench.sink.committed(window.id)
    assert sorted(rows_by_pyarrow(bench.path)) == [("a", 1), ("b", 2)]


def test_both_folders_may_be_moved_together(tmp_path: Path) -> None:
    """The memory names the folder, not where it is."""
    windows: list[Any] = [[("a", 1)]]
    pipeline(tmp_path, windows, out=FileSink(tmp_path / "out")).run(None, progress=False)
    (tmp_path / "new").mkdir()
    for name in ("out", "out.staging"):
        shutil.move(tmp_path / name, tmp_path / "new" / name)
    windows.append([("b", 2)])
    moved = FileSink(tmp_path / "new" / "out")
    pipeline(tmp_path, windows, out=moved).run(None, progress=False)
    assert sorted(rows_by_pyarrow(tmp_path / "new" / "out")) == [("a", 1), ("b", 2)]


def test_a_renamed_sink_goes_on_in_its_folder(tmp_path: Path) -> None:
    """Each name has a memory of its own, and the one that was left behind is fenced."""
    bench = Bench(tmp_path / "out")
    bench.publish(words(("a", 1)))
    old = bench.sink.held()
    assert old is not None
    retired = replace(old, digest="0" * 64)
    bench.sink.adopt(old, retired)
    bench.sink.close()
    renamed = bench.story.open(bench.make(), name="new")
    assert (renamed.held(), renamed.target().other_sinks) == (None, ("out",))
    assert renamed.target().other_windows == (1,)
    renamed.adopt(None, old)
    bench.die()
    assert bench.sink.held() == retired
    window = bench.story.window()
    bench.sink.prepare(words().schema)
    bench.sink.stage(window, words(("old", 2)))
    with pytest.raises(KitError, match="Another driver"):
        bench.sink.hold(window)
    renamed.prepare(words().schema)
    renamed.stage(window, words(("new", 2)))
    renamed.hold(window)
    renamed.committed(2)
    assert sorted(rows_by_pyarrow(bench.path)) == [("a", 1), ("new", 2)]
