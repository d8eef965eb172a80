"""Faults of the outside around a roll-up: a driver goes on, and readers keep what they have."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Thread, current_thread
from typing import Any

import pytest

from file_sink import choosing
from file_sink.errors import NotRolledUp, RollUpRefused
from file_sink.joining import LeftAlone
from file_sink.joining_parquet import ParquetJoiner
from file_sink.rollup import RollUp
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_pyarrow
from tests.file_sink.test_fencing import Paused
from tests.file_sink.test_rollup import filled, roll_up, rows
from tests.file_sink.test_rollup_drivers import begun
from tests.file_sink.test_rollup_runs import publish, threads
from tests.file_sink.world import WatchedTree
from windowlog.errors import StorageFailed

__all__ = ["threads"]  # a fixture


class Faulty(WatchedTree):
    """A tree on which steps fail that have all these words in their names, while there are any."""

    def __init__(self, words: str = "") -> None:
        super().__init__(self._step)
        self.words = words
        self.count = 0

    def _step(self, name: str, action: Callable[[], Any]) -> Any:
        if self.words and all(word in name for word in self.words.split()):
            self.count += 1
            raise StorageFailed(where=name, reason="a fault", remedy="A test put it there.")
        return action()


def test_a_foreign_file_that_was_moved_away_as_told_stays_away(tmp_path: Path) -> None:
    """It came between the look and the twin: the twin has no second name of it, which a sweep would
    bring over for ever."""
    bench = filled(tmp_path / "out", 3)
    _, deed = bench.sink.roll_up()
    foreign = bench.path / "README"
    foreign.write_text("ours")
    assert deed is not None
    with pytest.raises(RollUpRefused, match="came or went"):
        deed()
    foreign.rename(tmp_path / "README")
    assert roll_up(bench) == ["3 files become 1 (3 rows)"]
    bench.die()
    bench.sink.committed(99)
    assert not foreign.exists()
    assert Counter(rows_by_pyarrow(bench.path)) == rows(3)


@pytest.mark.parametrize("step", ["link rolled", "list", "like rolled"])
def test_a_twin_that_cannot_be_completed_hinders_no_window(
    tmp_path: Path, threads: list[Thread], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A full disk, a folder that may not be read, a right that may not be given: in the run's own
    part of a roll-up."""
    tree, complete = Faulty(), RollUp.complete
    bench = Bench(tmp_path / "out", rollup=2, storage=tree)

    def failing(self: RollUp, built: Any) -> Any:
        tree.words = step
        try:
            return complete(self, built)
        finally:
            tree.words = ""

    with monkeypatch.context() as patch:
        patch.setattr(RollUp, "complete", failing)
        with pytest.warns(NotRolledUp, match="a fault"):
            publish(bench, range(1, 10), threads)
    assert tree.count > 1
    assert len(bench.published()) == 9
    publish(bench, range(10, 14), threads)
    assert len(bench.published()) < 8
    assert Counter(rows_by_pyarrow(bench.path)) == rows(13)


def test_a_failed_sync_beside_a_run_does_not_end_it(
    tmp_path: Path, threads: list[Thread], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full for the twin: it is believed no more, and the run's own files are. ‡"""
    bench, fsync = Bench(tmp_path / "out", rollup=2, layout="files"), os.fsync
    failed: list[int] = []

    def full(descriptor: int) -> None:
        if current_thread().name == "roll-up":
            failed.append(descriptor)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.warns(NotRolledUp, match="No space left"):
            publish(bench, range(1, 10), threads)
    assert len(failed) == 1, "nothing is synced after a failure"
    publish(bench, range(10, 13), threads)
    assert len(bench.published()) == 12
    bench.sink.close()
    bench.die()
    publish(bench, range(13, 18), threads)
    assert len(bench.published()) < 10
    assert Counter(rows_by_pyarrow(bench.path)) == rows(17)


@pytest.mark.parametrize("step", ["fingerprint rolled", "list out/_foreign"])
def test_a_held_roll_up_that_cannot_be_looked_at_refuses_no_start(
    tmp_path: Path, step: str
) -> None:
    """It is settled without a switch, for ever: readers have all rows."""
    tree = Paused()
    bench = filled(tmp_path / "out", 4, storage=tree)
    begun(bench, tree)
    (bench.path / "_foreign").mkdir()
    bench.arguments = {"storage": Faulty(step)}
    bench.die()
    bench.sink.committed(99)
    bench.sink.prepare(words().schema)
    bench.publish(words(("w2", 5)))
    assert bench.arguments["storage"].count > 0
    assert Counter(rows_by_pyarrow(bench.path)) == rows(5)
    assert not any("-to-" in path for path in bench.published())


def test_a_roll_up_that_was_begun_is_settled_before_anything_is_swept(tmp_path: Path) -> None:
    """By the next command, too: what a manifest names is finished, not swept."""
    tree = Paused()
    bench = filled(tmp_path / "out", 4, storage=tree)
    begun(bench, tree)
    (joined,) = bench.path.with_name("out.staging").rglob("*-to-*")
    twin = joined.stat().st_ino
    roll_up(bench)
    (published,) = bench.path.rglob("*.parquet")
    assert published.stat().st_ino == twin
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)


def test_a_foreign_file_that_cannot_be_brought_over_stops_nobody(tmp_path: Path) -> None:
    """It came in the very moment of the switch: it stays beside the folder, and comes later."""
    tree = Paused()
    bench = filled(tmp_path / "out", 4, storage=tree)

    def come() -> None:
        (bench.path / "_late").write_text("late")

    tree.at("exchange rolled", come)
    faulty = Faulty("rename /_late")
    tree._moment = lambda name, action: faulty._step(name, lambda: tree._step(name, action))
    roll_up(bench)
    assert faulty.count == 1
    assert not (bench.path / "_late").exists()
    faulty.words = ""
    bench.die()
    bench.sink.committed(99)
    assert (bench.path / "_late").read_text() == "late"
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)


def test_a_joined_file_that_is_not_as_it_should_be_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked at before anything is switched: a refusal, and all rows stay."""
    bench = filled(tmp_path / "out", 4)
    _, deed = bench.sink.roll_up()

    def other(*_: Any) -> Any:
        raise LeftAlone("it is of another kind")

    monkeypatch.setattr(ParquetJoiner, "inspect", other)
    assert deed is not None
    with pytest.raises(RollUpRefused, match="of another kind"):
        deed()
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)


def test_a_switch_that_fails_in_a_run_is_told(tmp_path: Path, threads: list[Thread]) -> None:
    """By its reason, once: readers keep what they have."""
    bench = Bench(tmp_path / "out", rollup=2, storage=Faulty("exchange rolled"))
    with pytest.warns(NotRolledUp, match="a fault") as told:
        publish(bench, range(1, 10), threads)
    assert [each.category for each in told].count(NotRolledUp) == 1
    assert Counter(rows_by_pyarrow(bench.path)) == rows(9)


@pytest.mark.parametrize("by", ["run", "command"])
def test_one_damaged_file_leaves_not_all_others_small(
    tmp_path: Path, threads: list[Thread], by: str
) -> None:
    """Its rows are damaged, and its footer is whole: what it would be joined with stays as it is,
    all else is joined, and it is told."""
    bench = Bench(tmp_path / "out", layout="files", partition_by=["word"])
    for number in range(1, 10):
        bench.publish(words((f"w{number % 3}", number)))
    damaged = bench.path / bench.published()[0]
    data = damaged.read_bytes()
    damaged.write_bytes(data[:4] + bytes(20) + data[24:])

    def joins() -> None:
        if by == "command":
            roll_up(bench)
            return
        bench.arguments["rollup"] = 2
        bench.die()
        publish(bench, range(10, 12), threads)
        bench.sink.committed(11)

    with pytest.warns(NotRolledUp, match="cannot be read"):
        joins()
    damaged.write_bytes(data)
    names = [path.split("/")[0] for path in bench.published() if "-to-" in path]
    assert names == ["word=w1", "word=w2"]
    assert Counter(rows_by_pyarrow(bench.path)) == rows(9 if by == "command" else 11)


def test_a_roll_up_of_too_many_files_says_that_there_are_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said again, it goes on."""
    monkeypatch.setattr(choosing, "REPLACED_MAX", 4)
    bench = filled(tmp_path / "out", 9, layout="files")
    said = roll_up(bench)
    assert said == ["4 files become 1 (4 rows)", "there are more: say it again then"]
    assert Counter(rows_by_pyarrow(bench.path)) == rows(9)
    while roll_up(bench) != ["there are no small files to be joined"]:
        assert Counter(rows_by_pyarrow(bench.path)) == rows(9)
    assert len(bench.published()) < 5
