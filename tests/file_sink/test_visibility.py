"""What a reader sees, step by step: the first table of docs/file_sink.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from file_sink.local_tree import LocalTree
from tests.file_sink.bench import OTHER_RUN, Bench, words
from tests.file_sink.readers import rows_by_duckdb, rows_by_pyarrow
from windowlog.errors import Fenced

PART = "part-{0:08d}-00000-{1:03d}.snappy.parquet"


def in_window(window_id: int, number: int = 0) -> str:
    """The path of a file in layout `windows`."""
    return f"window_id={window_id:08d}/{PART.format(window_id, number)}"


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_readers_see_only_whole_windows_at_every_step(tmp_path: Path, layout: str) -> None:
    """Nothing while it is staged or held, all of it once it is committed."""
    bench = Bench(tmp_path / "out", layout=layout)
    bench.publish(words(("a", 1)))
    window = bench.stage(words(("b", 2)))
    assert rows_by_pyarrow(bench.path) == [("a", 1)]
    bench.sink.hold(window)
    assert rows_by_pyarrow(bench.path) == [("a", 1)]
    bench.sink.committed(window.id)
    for reader in (rows_by_pyarrow, rows_by_duckdb):
        assert sorted(reader(bench.path)) == [("a", 1), ("b", 2)]


def test_a_window_is_one_folder(tmp_path: Path) -> None:
    """Named so that readers take it for a column; nothing else is in the folder."""
    bench = Bench(tmp_path / "out", max_records_per_file=2)
    bench.publish(words(("a", 1), ("b", 2), ("c", 3)))
    bench.publish(words(("d", 4)))
    assert bench.published() == [in_window(1), in_window(1, 1), in_window(2)]
    found = rows_by_duckdb(bench.path, "window_id::int, word")
    assert sorted(found) == [(1, "a"), (1, "b"), (1, "c"), (2, "d")]


def test_files_have_names_without_chance(tmp_path: Path) -> None:
    """Layout `files`, partitions by Hive's rules: window, task, number."""
    bench = Bench(tmp_path / "out", layout="files", partition_by="word", format="json")
    bench.publish(words(("a/b", 1), ("", 2), ("c", 3)))
    assert bench.published() == [
        "word=__HIVE_DEFAULT_PARTITION__/part-00000001-00000-000.json",
        "word=a%2Fb/part-00000001-00000-000.json",
        "word=c/part-00000001-00000-000.json",
    ]


class StopsAfter(LocalTree):
    """A tree whose driver dies before rename number `last` into the published folder."""

    def __init__(self, last: int, path: Path) -> None:
        super().__init__()
        self.left = last
        self.path = str(path)

    def rename(self, source: str, target: str) -> None:
        """Counted, if it makes something visible."""
        if target.startswith(f"{self.path}/"):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
        super().rename(source, target)


@pytest.mark.parametrize("renamed", [0, 1, 2])
def test_the_rest_of_a_window_follows_before_anything_newer(tmp_path: Path, renamed: int) -> None:
    """A driver dies between two renames: the next start goes on with the third file."""
    path = tmp_path / "out"
    arguments = {"layout": "files", "format": "json", "max_records_per_file": 1}
    bench = Bench(path, storage=StopsAfter(renamed, path), **arguments)
    window = bench.hold(words(("a", 1), ("b", 2), ("c", 3)))
    with pytest.raises(KeyboardInterrupt):
        bench.sink.committed(window.id)
    assert len(bench.published()) == renamed
    bench.arguments["storage"] = LocalTree()
    bench.die()
    bench.hold(words(("d", 4)))
    bench.sink.committed(window.id)
    assert [name[-8:] for name in bench.published()] == ["000.json", "001.json", "002.json"]
    bench.sink.committed(2)
    assert len(bench.published()) == 4


def test_files_appear_one_by_one_and_all_of_them(tmp_path: Path) -> None:
    """What docs/file_sink.md says of layout `files`: for a moment some of them are seen."""
    path = tmp_path / "out"
    seen: list[int] = []

    class Looking(LocalTree):
        def rename(self, source: str, target: str) -> None:
            super().rename(source, target)
            seen.append(len(bench.published()))

    bench = Bench(path, storage=Looking(), layout="files", max_records_per_file=1)
    bench.publish(words(("a", 1), ("b", 2), ("c", 3)))
    assert seen == [1, 2, 3]


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_an_empty_window_is_held_and_publishes_nothing(tmp_path: Path, layout: str) -> None:
    """The folder is there, for readers, and nothing in it."""
    bench = Bench(tmp_path / "out", layout=layout)
    bench.publish(words())
    held = bench.sink.held()
    assert held is not None
    assert (held.window_id, bench.path.is_dir(), bench.published()) == (1, True, [])


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_held_window_is_published_by_the_next_start_without_new_data(
    tmp_path: Path, layout: str
) -> None:
    """The driver died after the manifest: being told again is enough."""
    bench = Bench(tmp_path / "out", layout=layout)
    bench.hold(words(("a", 1)))
    bench.die()
    assert bench.published() == []
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("a", 1)]


def test_a_window_that_another_sink_lacks_is_not_published(tmp_path: Path) -> None:
    """I4: told of window 1, it keeps window 2 to itself, and its rows safe."""
    bench = Bench(tmp_path / "out")
    bench.hold(words(("a", 1)))
    bench.hold(words(("b", 2)))
    bench.die()
    bench.sink.committed(1)
    assert bench.published() == [in_window(1)]
    bench.sink.committed(2)
    assert bench.published() == [in_window(1), in_window(2)]


def test_what_a_dead_driver_staged_is_swept_once_its_window_is_held(tmp_path: Path) -> None:
    """Until then it may be a living rival's, who could still hold it."""
    bench = Bench(tmp_path / "out")
    dead = bench.sink
    window = bench.stage(words(("dead", 1)))
    bench.sink = bench.make()
    bench.story.open(bench.sink, run_id=OTHER_RUN)
    bench.sink.committed(0)
    assert len([p for p in bench.staging() if p.startswith("staged/")]) == 1
    bench.sink.stage(window, words(("alive", 1)))
    bench.sink.hold(window)
    bench.sink.committed(1)
    assert [p for p in bench.staging() if p.startswith("staged/")] == []
    with pytest.raises(Fenced):
        dead.hold(window)
    assert rows_by_pyarrow(bench.path) == [("alive", 1)]


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_what_is_published_already_is_recognised(tmp_path: Path, layout: str) -> None:
    """The driver died after the last rename, before the mark."""
    bench = Bench(tmp_path / "out", layout=layout)
    bench.hold(words(("a", 1)))
    [staged] = (tmp_path / "out.staging" / "staged").iterdir()
    if layout == "windows":
        staged.rename(bench.path / "window_id=00000001")
    else:
        [file] = staged.iterdir()
        file.rename(bench.path / file.name)
    bench.die()
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("a", 1)]


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_published_window_may_be_taken_away(tmp_path: Path, layout: str) -> None:
    """A reader moves what it has read; the sink never looks back."""
    bench = Bench(tmp_path / "out", layout=layout)
    bench.publish(words(("a", 1)))
    for file in [p for p in bench.path.rglob("*") if p.is_file()]:
        file.unlink()
    bench.die()
    bench.sink.committed(1)
    bench.publish(words(("b", 2)))
    assert rows_by_pyarrow(bench.path) == [("b", 2)]
