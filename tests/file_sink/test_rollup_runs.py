"""`rollup=` in a run, and the command `rollup`."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from file_sink import rolling
from file_sink.errors import NotRolledUp, RollUpRefused
from file_sink.rollup import RollUp
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import paths, rows_by_pyarrow
from tests.file_sink.test_commands import Place
from tests.file_sink.test_rollup import roll_up, rows
from tests.file_sink.test_rollup_places import old_trees
from windowed.commands.app import main
from windowlog.errors import StorageFailed


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """Those that roll up, so that a test can wait for their end."""
    begun: list[threading.Thread] = []
    start = threading.Thread.start

    def started(thread: threading.Thread) -> None:
        if thread.name == "roll-up":
            begun.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", started)
    return begun


def publish(bench: Bench, numbers: range, threads: list[threading.Thread]) -> None:
    """Each window, when what was begun before has ended."""
    for number in numbers:
        bench.publish(words((f"w{number % 3}", number)))
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_a_run_joins_files_whenever_there_are_many(
    tmp_path: Path, threads: list[threading.Thread], layout: str
) -> None:
    """Beside its windows; there are never many more than so many."""
    bench, most = Bench(tmp_path / "out", layout=layout, rollup=4), 0
    for number in range(1, 31):
        publish(bench, range(number, number + 1), threads)
        most = max(most, len(bench.published()))
        assert Counter(rows_by_pyarrow(bench.path)) == rows(number)
    assert len(threads) >= 6
    assert most <= 9
    bench.sink.close()
    bench.die()
    publish(bench, range(31, 32), threads)
    assert Counter(rows_by_pyarrow(bench.path)) == rows(31)


def test_what_runs_before_have_left_is_joined_at_once(
    tmp_path: Path, threads: list[threading.Thread]
) -> None:
    """Twenty windows are there when a run with `rollup=` begins."""
    bench = Bench(tmp_path / "out")
    publish(bench, range(1, 21), threads)
    bench.arguments = {"rollup": 10}
    bench.die()
    bench.sink.prepare(words().schema)
    publish(bench, range(21, 23), threads)
    bench.sink.committed(22)
    assert len(bench.published()) <= 3
    assert Counter(rows_by_pyarrow(bench.path)) == rows(22)


def test_an_unfinished_roll_up_is_abandoned_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run does not wait for it, and nothing is left of it."""
    bench, reached, stopped = Bench(tmp_path / "out", rollup=2), threading.Event(), []
    build = RollUp.build

    def slow(self: RollUp, look: Any, folder: str, check: Any) -> Any:
        def waiting() -> None:
            reached.set()
            while True:  # as long a join as one likes
                check()

        try:
            return build(self, look, folder, waiting)
        except rolling.Stopped:
            stopped.append(folder)
            raise

    monkeypatch.setattr(RollUp, "build", slow)
    for number in range(1, 5):
        bench.publish(words((f"w{number % 3}", number)))
    while not reached.is_set():
        bench.sink.committed(4)
    bench.sink.close()
    assert len(stopped) == 1
    assert old_trees(bench) == []
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)


def test_a_roll_up_that_cannot_be_hinders_no_window(
    tmp_path: Path, threads: list[threading.Thread], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A foreign file, a full disk: the run goes on, and it is tried again later."""
    bench = Bench(tmp_path / "out", rollup=2, layout="files")
    publish(bench, range(1, 3), threads)
    foreign = bench.path / "README"
    foreign.write_text("ours")
    with pytest.warns(NotRolledUp, match="README in it is not this sink's"):
        publish(bench, range(3, 7), threads)
    assert foreign.read_text() == "ours"
    foreign.unlink()

    def full(*_: Any) -> Any:
        raise StorageFailed(where="the disk", reason="it is full", remedy="A test filled it.")

    with monkeypatch.context() as patch:
        patch.setattr(RollUp, "build", full)
        publish(bench, range(7, 11), threads)
    assert len(threads) > 2
    publish(bench, range(11, 15), threads)
    bench.sink.committed(14)
    assert len(bench.published()) < 8
    assert Counter(rows_by_pyarrow(bench.path)) == rows(14)


def test_a_file_that_is_damaged_inside_hinders_no_window(
    tmp_path: Path, threads: list[threading.Thread]
) -> None:
    """Its footer is whole: only the join finds out. The command says so, and nothing is joined."""
    bench = Bench(tmp_path / "out", rollup=3, layout="files")
    publish(bench, range(1, 3), threads)
    path = bench.path / bench.published()[0]
    data = path.read_bytes()
    path.write_bytes(data[:4] + bytes(60) + data[64:])
    with pytest.warns(NotRolledUp, match="cannot be read"):
        publish(bench, range(3, 9), threads)
    assert len(threads) > 1
    assert len(bench.published()) == 8
    with pytest.raises(RollUpRefused, match="cannot be read"):
        roll_up(bench)
    path.write_bytes(data)
    roll_up(bench)
    assert Counter(rows_by_pyarrow(bench.path)) == rows(8)


@pytest.mark.parametrize("defect", [ZeroDivisionError(), MemoryError(), ValueError("a codec")])
def test_a_defect_in_a_roll_up_is_told_and_hinders_no_window(
    tmp_path: Path,
    threads: list[threading.Thread],
    monkeypatch: pytest.MonkeyPatch,
    defect: Exception,
) -> None:
    """What nobody expects is never swallowed: a warning, once in a run."""
    bench = Bench(tmp_path / "out", rollup=2)

    def broken(*_: Any) -> Any:
        raise defect

    monkeypatch.setattr(RollUp, "look", broken)
    with pytest.warns(NotRolledUp, match=type(defect).__name__) as told:
        publish(bench, range(1, 8), threads)
    # Others of this process may be warned meanwhile, of what was left open.
    assert [each.category for each in told].count(NotRolledUp) == 1
    assert len(threads) > 2
    assert Counter(rows_by_pyarrow(bench.path)) == rows(7)


def test_each_run_tells_why_files_are_not_joined(
    tmp_path: Path, threads: list[threading.Thread]
) -> None:
    """Also in the words of the run before, in one process: Python shows equal words of a line
    once."""
    bench = Bench(tmp_path / "out", rollup=2)
    publish(bench, range(1, 3), threads)
    (bench.path / "README").write_text("foreign")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for run in (1, 2):
            bench.sink.close()
            bench.die()
            bench.sink.prepare(words().schema)
            publish(bench, range(4 * run, 4 * run + 4), threads)
    assert [each.category for each in caught].count(NotRolledUp) == 2


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_the_command_rolls_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: str
) -> None:
    """It says what it would do, does it with --apply, and has nothing more to do then."""
    place = Place(tmp_path)
    place.arguments = {"layout": layout, "folder": "joined"}
    where = f"tests.file_sink.job:pipeline({str(tmp_path)!r}, folder='joined', layout={layout!r})"
    assert place.command("adopt WHERE out --from oldest") == 0
    place.run()
    before = paths(tmp_path / "joined")
    capsys.readouterr()
    assert main(["rollup", where]) == 0
    said = capsys.readouterr().out
    assert "nothing is changed yet" in said
    assert "sink out: 2 files become 1 (2 rows)" in said
    assert paths(tmp_path / "joined") == before
    assert main(["rollup", where, "--sink", "out", "--apply"]) == 0
    assert len(paths(tmp_path / "joined")) == 1
    place.add()
    place.run()
    assert place.seen("joined") == place.expected()
    assert main(["rollup", where, "--apply"]) == 0
    assert "there are no small files to be joined" in capsys.readouterr().out


def test_the_command_refuses_what_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another name, a folder with foreign files."""
    Place(tmp_path)
    where = f"tests.file_sink.job:pipeline({str(tmp_path)!r})"
    assert main(["rollup", where, "--sink", "nobody"]) == 1
    assert "there is no sink nobody" in capsys.readouterr().err
    (tmp_path / "out" / "README").write_text("ours")
    assert main(["rollup", where, "--apply"]) == 1
    assert "README in it is not this sink's" in capsys.readouterr().err
