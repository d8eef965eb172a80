"""A roll-up among others: readers, foreign files, persons, backups and drivers, step against
step."""

from __future__ import annotations

import os
import shutil
import stat
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from file_sink.errors import FolderTaken, RollUpRefused
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_pyarrow
from tests.file_sink.test_fencing import Paused
from tests.file_sink.test_rollup import filled, roll_up, rows
from windowlog.errors import KitError, StorageFailed


def other(bench: Bench) -> Bench:
    """Another driver at the same folder."""
    twin = Bench.__new__(Bench)
    twin.path, twin.story = bench.path, bench.story
    twin.arguments = {k: v for k, v in bench.arguments.items() if k != "storage"}
    twin.die()
    return twin


def old_trees(bench: Bench) -> list[str]:
    """What roll-ups have left beside the published folder."""
    rolled = bench.path.with_name("out.staging") / "rolled"
    return sorted(path.name for path in rolled.iterdir()) if rolled.is_dir() else []


def test_foreign_files_are_named_and_nothing_is_joined(tmp_path: Path) -> None:
    """They would not stay what they are."""
    bench = filled(tmp_path / "out", 3)
    (bench.path / "README").write_text("ours")
    before = bench.published()
    with pytest.raises(RollUpRefused, match="README in it is not this sink's"):
        roll_up(bench)
    assert bench.published() == before


@pytest.mark.parametrize("moment", ["exchange rolled", "sync rolled", "create manifests"])
@pytest.mark.parametrize("after", [False, True])
def test_a_foreign_file_that_comes_meanwhile_is_never_lost(
    tmp_path: Path, moment: str, after: bool
) -> None:
    """Right before the switch, too, when nobody looks any more: it moves along. ‡"""
    tree = Paused()
    bench = filled(tmp_path / "out", 3, storage=tree)

    def drop() -> None:
        (bench.path / "late").mkdir()
        (bench.path / "late" / "file").write_text("rows")

    tree.at(moment, drop, after=after)
    with suppress(RollUpRefused):
        roll_up(bench)
    assert (bench.path / "late" / "file").read_text() == "rows"
    bench.die()
    bench.sink.committed(99)
    assert (bench.path / "late" / "file").read_text() == "rows"


def test_a_foreign_file_whose_name_is_taken_stays_where_it_is(tmp_path: Path) -> None:
    """Both came in the same moment: neither is overwritten, and neither is removed."""
    tree = Paused()
    bench = filled(tmp_path / "out", 3, storage=tree)

    def later() -> None:
        (bench.path / "file").write_text("new folder")

    def late() -> None:
        (bench.path / "file").write_text("old folder")
        tree.at("sync rolled", later)

    tree.at("exchange rolled", late)
    roll_up(bench)
    bench.die()
    bench.sink.committed(99)
    texts = sorted(path.read_text() for path in tmp_path.rglob("file"))
    assert texts == ["new folder", "old folder"]


def test_windows_that_were_taken_away_do_not_come_back(tmp_path: Path) -> None:
    """Before a roll-up, and are not missed."""
    bench = filled(tmp_path / "out", 5, layout="files")
    for path in bench.published()[:2]:
        (bench.path / path).unlink()
    roll_up(bench)
    assert sorted(n for _, n in rows_by_pyarrow(bench.path)) == [3, 4, 5]


@pytest.mark.parametrize("moment", ["create manifests", "rename rolled", "sync rolled"])
@pytest.mark.parametrize("layout", ["windows", "files"])
def test_windows_that_are_taken_away_meanwhile_do_not_come_back(
    tmp_path: Path, layout: str, moment: str
) -> None:
    """Between the twin and the switch: nothing is joined, and said again it is. ‡"""
    tree = Paused()
    bench = filled(tmp_path / "out", 5, layout=layout, storage=tree)

    def take() -> None:
        gone = bench.path / bench.published()[1]
        gone.unlink()
        if layout == "windows":
            gone.parent.rmdir()

    tree.at(moment, take)
    with pytest.raises(RollUpRefused, match="came or went"):
        roll_up(bench)
    assert sorted(n for _, n in rows_by_pyarrow(bench.path)) == [1, 3, 4, 5]
    assert roll_up(bench) == ["4 files become 1 (4 rows)"]
    assert sorted(n for _, n in rows_by_pyarrow(bench.path)) == [1, 3, 4, 5]


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_windows_that_are_published_meanwhile_move_along(tmp_path: Path, layout: str) -> None:
    """While files are joined, a driver goes on."""
    tree = Paused()
    bench = filled(tmp_path / "out", 4, layout=layout, partition_by=["word"], storage=tree)
    driver = other(bench)
    driver.sink.prepare(words().schema)
    driver.sink.committed(4)

    def go_on() -> None:
        driver.publish(words(("new", 5), ("w1", 6)))

    tree.at("sync rolled", go_on)
    roll_up(bench)
    assert any("-to-" in path for path in bench.published())
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4) + Counter([("new", 5), ("w1", 6)])


def test_a_joined_file_may_be_taken_away(tmp_path: Path) -> None:
    """Like any other one: the next start and the next roll-up do not miss it."""
    bench = filled(tmp_path / "out", 4)
    roll_up(bench)
    shutil.rmtree(bench.path / "window_id=00000004")
    bench.die()
    bench.sink.committed(99)
    bench.sink.prepare(words().schema)
    bench.publish(words(("x", 5)))
    bench.publish(words(("y", 6)))
    roll_up(bench)
    assert sorted(rows_by_pyarrow(bench.path)) == [("x", 5), ("y", 6)]


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_window_that_was_joined_is_not_adopted_again(tmp_path: Path, layout: str) -> None:
    """A memory that is moved back would write it a second time."""
    bench = filled(tmp_path / "out", 4, layout=layout)
    early = bench.story.beginning
    roll_up(bench)
    bench.die()
    with pytest.raises(FolderTaken, match="windows up to 4 are in it"):
        bench.sink.adopt(bench.sink.held(), early)


@pytest.mark.parametrize("moment", ["rename rolled", "exchange rolled"])
def test_a_roll_up_that_was_taken_back_never_happens(tmp_path: Path, moment: str) -> None:
    """A person moves the memory back while a driver is about to switch: what that person took away
    stays away, and what is written again is there once. ‡"""
    tree = Paused()
    bench = filled(tmp_path / "out", 4, storage=tree)
    command = other(bench)

    def take_back() -> None:
        for number in (1, 2, 3, 4):
            (bench.path / f"window_id={number:08d}").rename(tmp_path / f"{number}")
        command.sink.adopt(command.sink.held(), bench.story.beginning)
        command.sink.prepare(words().schema)
        for number in (1, 2, 3, 4):
            window = bench.story.log.read(number)
            command.sink.stage(window, words(("again", number)))
            command.sink.hold(window)
            command.sink.committed(number)

    tree.at(moment, take_back)
    with suppress(KitError):
        roll_up(bench)
    again = Counter(("again", number) for number in (1, 2, 3, 4))
    assert Counter(rows_by_pyarrow(bench.path)) == again
    command.sink.committed(4)
    assert Counter(rows_by_pyarrow(bench.path)) == again


@pytest.mark.parametrize("done", [False, True], ids=["before the switch", "after it"])
def test_a_backup_of_both_folders_has_every_row_once(tmp_path: Path, done: bool) -> None:
    """Copied while a roll-up was half done: it is finished in the copy."""
    tree = Paused()
    bench = filled(tmp_path / "out", 4, storage=tree)

    def copy() -> None:
        for name in ("out", "out.staging"):
            shutil.copytree(tmp_path / name, tmp_path / "copy" / name)

    tree.at("exchange rolled", copy, after=done)
    roll_up(bench)
    restored = other(bench)
    restored.path = tmp_path / "copy" / "out"
    restored.die()
    restored.sink.committed(99)
    restored.sink.prepare(words().schema)
    restored.publish(words(("w2", 5)))
    assert Counter(rows_by_pyarrow(restored.path)) == rows(5)
    restored.die()
    restored.sink.committed(99)
    assert old_trees(restored) == []
    assert Counter(rows_by_pyarrow(restored.path)) == rows(5)


@pytest.mark.parametrize(
    "moment",
    ["exchange staged", "link rolled", "create manifests", "rename rolled", "exchange rolled"],
)
def test_of_two_roll_ups_each_row_is_there_once(tmp_path: Path, moment: str) -> None:
    """The second one takes the first one's twin for a dead one's, or finishes it. ‡"""
    tree = Paused()
    bench = filled(tmp_path / "out", 4, storage=tree)

    def second() -> None:
        with suppress(RollUpRefused):
            roll_up(other(bench))
        assert Counter(rows_by_pyarrow(bench.path)) == rows(4)

    tree.at(moment, second)
    with suppress(RollUpRefused):
        roll_up(bench)
    assert bench.published() == ["window_id=00000004/part-00000001-to-00000004-000.snappy.parquet"]
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)


def test_a_twin_whose_bytes_were_changed_is_not_shown(tmp_path: Path) -> None:
    """By a hand, while no driver ran: who finishes another's roll-up reads the joined files."""
    tree = Paused()
    bench = filled(tmp_path / "out", 4, storage=tree)

    def die() -> None:
        raise KeyboardInterrupt

    tree.at("rename rolled twin", die)
    with pytest.raises(KeyboardInterrupt):
        roll_up(bench)
    (joined,) = bench.path.with_name("out.staging").rglob("*-to-*")
    joined.write_bytes(b"other bytes")
    bench.die()
    bench.sink.committed(99)
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)


def test_rights_are_those_that_the_folder_had(tmp_path: Path) -> None:
    """Who could read before can read after, and nobody else."""
    bench = filled(tmp_path / "out", 3, layout="files", partition_by=["word"])
    os.chmod(bench.path, 0o2770)
    for path in bench.path.rglob("*"):
        os.chmod(path, 0o750 if path.is_dir() else 0o640)
    bench.publish(words(("w1", 4)))
    roll_up(bench)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in [bench.path, *bench.path.rglob("*")]}
    assert modes["out"] == 0o2770
    assert modes["word=w1"] == 0o750
    assert modes["part-00000001-to-00000004-000.snappy.parquet"] == 0o640


def test_a_right_that_is_taken_meanwhile_stops_no_driver(tmp_path: Path) -> None:
    """The exchange fails: readers keep what they have, and windows go on."""
    tree = Paused()
    bench = filled(tmp_path / "out", 3, storage=tree)

    def refuse() -> None:
        raise StorageFailed(where="the disk", reason="no right", remedy="A test took it.")

    tree.at("exchange rolled", refuse)
    with pytest.raises(RollUpRefused, match=r"could not be exchanged .*no right"):
        roll_up(bench)
    bench.publish(words(("w1", 4)))
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)


def test_one_old_folder_is_kept_at_most(tmp_path: Path) -> None:
    """Until the next roll-up or start, for who still reads from it by an open folder."""
    bench = filled(tmp_path / "out", 2)
    for _ in range(4):
        bench.publish(words(("x", 0)))
        bench.publish(words(("x", 0)))
        roll_up(bench)
        assert len(old_trees(bench)) == 1
    bench.die()
    bench.sink.committed(99)
    assert old_trees(bench) == []
    assert [path.split("/")[0] for path in bench.staging()] == ["manifests", "marks"]
