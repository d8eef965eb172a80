"""Readers list a folder by names, one after the other, and pass over what has gone meanwhile: the
folder before stays, and no other switch comes, for as long as that may take."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from file_sink import rolling, sweeping
from tests.file_sink.bench import Bench, words
from tests.file_sink.test_commands import Place
from tests.file_sink.test_rollup import filled, roll_up
from tests.file_sink.test_rollup_places import old_trees
from tests.file_sink.test_rollup_runs import publish, threads
from tests.sleeps import instead_of_sleep

__all__ = ["threads"]  # a fixture

LISTING_S = 60.0
BEFORE = Counter((f"w{number % 3}", number) for number in range(1, 6))
# More than a walk over five folders has.
PAUSES = 12


@pytest.fixture(autouse=True)
def readers(no_reader: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are some, which take their time."""
    monkeypatch.setattr(sweeping, "LISTING_S", LISTING_S)


class Waits(Exception):
    """The command would, and the reader goes on."""


def grow_old(bench: Bench, by_s: float = LISTING_S + 1) -> None:
    """The last switch was so long ago."""
    for place in (bench.path.with_name("out.staging") / "rolled").iterdir():
        os.utime(place, (time.time() - by_s,) * 2)


def walked(folder: Path, pause: Callable[[], None], *, backwards: bool) -> list[Path]:
    """The files in it and below, as readers list that pass over folders that have gone. `pause` is
    called wherever another process may come in between."""
    pause()
    try:
        entries = os.scandir(folder)
    except FileNotFoundError:
        return []
    with entries:
        pause()  # it is open, and nothing has been read of it
        listed = sorted(entries, key=lambda entry: entry.name, reverse=backwards)
    found: list[Path] = []
    for entry in listed:
        path = Path(entry.path)
        found += walked(path, pause, backwards=backwards) if entry.is_dir() else [path]
    return found


def windows_of_two_kinds(path: Path) -> Bench:
    """1 and 2, and 4 and 5 can be joined: the one in between has a column more."""
    bench = Bench(path)
    for number in range(1, 6):
        frame = words((f"w{number % 3}", number))
        if number == 3:
            frame = frame.append_column("more", pyarrow.array([number]))
        bench.publish(frame)
    return bench


def join(bench: Bench) -> None:
    """As the command does."""
    roll_up(bench)


def join_twice(bench: Bench) -> None:
    """With windows in between."""
    roll_up(bench)
    for number in (6, 7):
        bench.publish(words((f"w{number % 3}", number)))
    roll_up(bench)


def join_and_start(bench: Bench) -> None:
    """A start sweeps."""
    roll_up(bench)
    bench.die()
    bench.sink.committed(99)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("at", range(PAUSES))
@pytest.mark.parametrize("meanwhile", [join, join_twice, join_and_start])
def test_a_reader_that_lists_slowly_sees_every_row_once_or_an_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    meanwhile: Callable[[Bench], None],
    at: int,
    backwards: bool,
) -> None:
    """Wherever it pauses, also between opening a folder and reading it. ‡"""
    bench, pauses = windows_of_two_kinds(tmp_path / "out"), 0

    def rest(self: rolling.Rolling) -> None:
        if self.rest_s():
            raise Waits

    def pause() -> None:
        nonlocal pauses
        pauses += 1
        if pauses == at + 1:
            with suppress(Waits):
                meanwhile(bench)

    monkeypatch.setattr(rolling.Rolling, "rest", rest)
    listed = walked(bench.path, pause, backwards=backwards)
    assert pauses > at
    with suppress(FileNotFoundError):  # which its reader is told
        found = [row for file in listed for row in pyarrow.parquet.read_table(file).to_pylist()]
        seen = Counter((row["word"], row["n"]) for row in found)
        assert seen >= BEFORE
        assert max(seen.values()) == 1


@pytest.mark.parametrize(
    ("age_s", "is_kept"),
    [(0, True), (59, True), (61, False), (-5, True), (-3600, False)],
    ids=["new", "young", "old", "the file system's clock is ahead", "a clock was moved"],
)
def test_the_folder_before_is_kept_for_who_still_lists_it(
    tmp_path: Path, age_s: float, is_kept: bool
) -> None:
    """A start sweeps it when nobody can be listing it any more."""
    bench = filled(tmp_path / "out", 4)
    roll_up(bench)
    grow_old(bench, age_s)
    bench.die()
    bench.sink.committed(99)
    assert len(old_trees(bench)) == is_kept
    if is_kept:
        # Under another name, and still whole.
        [before] = (tmp_path / "out.staging" / "rolled").rglob("window_id=00000004/part*")
        assert pyarrow.parquet.read_table(before).num_rows == 1


def test_what_was_never_shown_is_swept_at_once(tmp_path: Path, monkeypatch: Any) -> None:
    """A twin that was not finished."""
    bench = filled(tmp_path / "out", 4)

    def die(*_: Any) -> None:
        raise Waits

    with monkeypatch.context() as patch:
        patch.setattr(rolling.Rolling, "complete", die)
        with pytest.raises(Waits):
            roll_up(bench)
    assert len(old_trees(bench)) == 1
    bench.die()
    bench.sink.committed(99)
    assert old_trees(bench) == []


def test_the_command_says_that_it_waits_for_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And does; then nothing is kept of the one before."""
    bench, slept = filled(tmp_path / "out", 4), list[float]()
    assert roll_up(bench) == ["4 files become 1 (4 rows)"]
    for number in (5, 6, 7, 8):
        bench.publish(words((f"w{number % 3}", number)))

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        grow_old(bench)

    instead_of_sleep(monkeypatch, sleep)
    _, said = roll_up(bench)
    assert said.endswith("readers may still be listing the folder before: this one begins in 60 s")
    assert slept == [pytest.approx(LISTING_S, abs=20)]
    assert len(old_trees(bench)) == 1
    assert len(bench.published()) == 1


def test_the_command_says_so_before_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever looks at a silent minute thinks of a command that hangs."""
    place, said = Place(tmp_path), list[str]()
    assert place.command("rollup WHERE") == 0
    place.add()
    place.add()
    place.run()
    capsys.readouterr()

    def sleep(seconds: float) -> None:
        said.append(capsys.readouterr().out)
        for tree in (tmp_path / "out.staging" / "rolled").iterdir():
            os.utime(tree, (time.time() - LISTING_S - 1,) * 2)

    instead_of_sleep(monkeypatch, sleep)
    assert place.command("rollup WHERE") == 0
    assert len(said) == 1
    assert re.search(r"this one begins in [56]\d s\n$", said[0])
    assert capsys.readouterr().out == "Done.\n"
    assert place.seen() == place.expected()


def test_a_run_joins_again_only_when_nobody_lists_the_folder_before(
    tmp_path: Path, threads: list[Any]
) -> None:
    """It asks again after as many windows, and no window waits."""
    bench = Bench(tmp_path / "out", rollup=2)
    publish(bench, range(1, 12), threads)
    joined = [name for name in bench.published() if "-to-" in name]
    assert len(joined) == 1
    assert len(bench.published()) >= 8
    grow_old(bench)
    publish(bench, range(12, 16), threads)
    assert len(bench.published()) <= 5
