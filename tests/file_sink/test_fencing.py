"""Two drivers at one folder, step against step: what the contract's tests and the moments cannot
tell apart."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_pyarrow
from tests.file_sink.world import WatchedTree
from windowlog.errors import (
    CommitUnknown,
    Fenced,
    NotHeld,
    PreviousFailure,
    RecordExists,
    StorageFailed,
)


class Paused(WatchedTree):
    """A tree that does something else once, before or after a step whose name begins so."""

    def __init__(self) -> None:
        super().__init__(self._step)
        self._name = ""
        self._after = False
        self._meanwhile: Callable[[], None] = lambda: None

    def at(self, name: str, meanwhile: Callable[[], None], *, after: bool = False) -> None:
        """Before the next step of this name, or after it, this happens."""
        self._name, self._meanwhile, self._after = name, meanwhile, after

    def _step(self, name: str, action: Callable[[], Any]) -> Any:
        due = bool(self._name) and all(word in name for word in self._name.split())
        if due:
            self._name = ""
            if not self._after:
                self._meanwhile()
        result = action()
        if due and self._after:
            self._meanwhile()
        return result


@pytest.fixture
def tree() -> Paused:
    """For the driver that pauses."""
    return Paused()


@pytest.fixture
def bench(tmp_path: Path, tree: Paused) -> Bench:
    """A driver over it, which holds nothing yet."""
    return Bench(tmp_path / "out", storage=tree)


def others(bench: Bench, *rows: tuple[str, int]) -> None:
    """Another run holds and publishes a window for each row, from the first one not held on."""
    other = Bench.__new__(Bench)
    other.path, other.arguments, other.story = bench.path, {}, bench.story
    other.die()
    other.sink.prepare(words().schema)
    for row in rows:
        held = other.sink.held()
        assert held is not None
        while bench.story.log.newest <= held.window_id:
            bench.story.window()
        window = bench.story.log.read(held.window_id + 1)
        other.sink.stage(window, words(row))
        other.sink.hold(window)
        other.sink.committed(window.id)
    other.sink.close()


def test_a_driver_that_was_paused_past_the_mark_is_fenced(bench: Bench, tree: Paused) -> None:
    """Its manifest's number is free again, because it was purged: the mark says so. ‡"""
    window = bench.stage(words(("paused", 1)))
    tree.at("create manifests", lambda: others(bench, ("x", 1), ("y", 2), ("z", 3)))
    with pytest.raises(Fenced, match="low-water mark is 3, past our manifest 1"):
        bench.sink.hold(window)
    bench.die()
    held = bench.sink.held()
    assert held is not None
    assert held.window_id == 3
    bench.sink.committed(3)
    assert sorted(rows_by_pyarrow(bench.path)) == [("x", 1), ("y", 2), ("z", 3)]


@pytest.mark.parametrize("fresh", [False, True])
def test_a_memory_that_is_purged_while_it_is_read_is_not_believed(
    bench: Bench, tree: Paused, fresh: bool
) -> None:
    """It was the newest when it was listed, and is debris when it has been read. ‡"""
    if fresh:  # what another process has made is made durable before it is believed
        bench.die()
    step = "sync manifests 000" if fresh else "read manifests"
    tree.at(step, lambda: others(bench, ("x", 1), ("y", 2)), after=True)
    with pytest.raises(Fenced, match="purged while it was read"):
        bench.sink.held()


def test_a_memory_that_is_gone_when_it_is_read_is_fenced(bench: Bench, tree: Paused) -> None:
    """The same, a moment earlier."""
    tree.at("read manifests", lambda: others(bench, ("x", 1), ("y", 2)))
    with pytest.raises(Fenced, match="purged while it was read"):
        bench.sink.held()


def test_a_window_that_is_held_while_it_is_staged_fences(bench: Bench, tree: Paused) -> None:
    """Who holds it sweeps what was staged, under the hands of the slower driver."""
    window = bench.story.window()
    bench.sink.prepare(words().schema)
    tree.at("sync staged", lambda: others(bench, ("x", 1)))
    with pytest.raises(Fenced, match="it holds window 1 already"):
        bench.sink.stage(window, words(("slower", 1)))


def test_rows_that_were_swept_are_never_held(bench: Bench, tmp_path: Path) -> None:
    """A person has moved the memory there and back: the number fits, and the rows are gone."""
    before = bench.sink.held()
    window = bench.stage(words(("swept", 1)))
    others(bench, ("x", 1))
    command = bench.make()
    bench.story.open(command, run_id="command")
    (tmp_path / "out" / "window_id=00000001").rename(tmp_path / "away")
    assert before is not None
    command.adopt(command.held(), before)
    with pytest.raises(NotHeld, match="swept"):
        bench.sink.hold(window)
    bench.sink.stage(window, words(("again", 1)))
    bench.sink.hold(window)
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("again", 1)]


def fault() -> None:
    """The disk does not answer."""
    raise StorageFailed(where="the disk", reason="a fault", remedy="A test put it there.")


def test_a_reply_that_was_lost_is_resolved_by_looking(bench: Bench, tree: Paused) -> None:
    """The manifest is there, and it is ours: held."""
    window = bench.stage(words(("a", 1)))
    tree.at("create manifests", fault, after=True)
    bench.sink.hold(window)
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("a", 1)]


def test_a_manifest_that_was_not_created_is_not_held(bench: Bench, tree: Paused) -> None:
    """Surely not: the same run may try again."""
    window = bench.stage(words(("a", 1)))
    tree.at("create manifests", fault)
    with pytest.raises(NotHeld):
        bench.sink.hold(window)
    bench.sink.abandon(window)
    bench.sink.stage(window, words(("b", 2)))
    bench.sink.hold(window)
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("b", 2)]


def test_an_outcome_that_cannot_be_read_ends_the_sink(bench: Bench, tree: Paused) -> None:
    """I7: it does nothing more, and a new start finds the window held."""
    window = bench.stage(words(("a", 1)))

    def silent() -> None:
        tree.at("sync manifests", fault)
        fault()

    tree.at("create manifests", silent, after=True)
    with pytest.raises(CommitUnknown):
        bench.sink.hold(window)
    for work in (lambda: bench.stage(words()), lambda: bench.sink.committed(1)):
        with pytest.raises(PreviousFailure):
            work()
    bench.sink.close()
    bench.die()
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("a", 1)]


def test_after_a_failed_fsync_nothing_more_is_done(
    bench: Bench, tree: Paused, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I7: to ask again would say yes to what was lost. A new start finds out."""
    window = bench.stage(words(("a", 1)))

    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    tree.at("create manifests", lambda: monkeypatch.setattr(os, "fsync", fail))
    with pytest.raises(CommitUnknown):
        bench.sink.hold(window)
    monkeypatch.undo()
    with pytest.raises(PreviousFailure):
        bench.sink.committed(1)
    bench.sink.close()
    bench.die()
    bench.sink.prepare(words().schema)
    bench.sink.stage(window, words(("again", 1)))
    bench.sink.hold(window)
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("again", 1)]


def test_a_hold_that_is_interrupted_removes_nothing(bench: Bench, tree: Paused) -> None:
    """Whether the manifest is there, only a new start finds out: its rows stay."""
    window = bench.stage(words(("a", 1)))

    def interrupt() -> None:
        raise KeyboardInterrupt

    tree.at("create manifests", interrupt, after=True)
    with pytest.raises(KeyboardInterrupt):
        bench.sink.hold(window)
    bench.sink.close()
    bench.die()
    bench.sink.committed(1)
    assert rows_by_pyarrow(bench.path) == [("a", 1)]


def test_a_number_that_is_taken_is_never_overwritten(bench: Bench, tree: Paused) -> None:
    """Two drivers at the same number: the slower one is fenced, and its rows are nowhere."""
    window = bench.stage(words(("slower", 1)))
    tree.at("create manifests", lambda: others(bench, ("faster", 1)))
    with pytest.raises(Fenced, match="it has created 000000000001"):
        bench.sink.hold(window)
    assert rows_by_pyarrow(bench.path) == [("faster", 1)]


def test_a_rename_never_overwrites(tmp_path: Path) -> None:
    """Neither a file nor a folder, not even an empty one."""
    tree = Paused()
    for kind in ("file", "folder"):
        source, target = tmp_path / f"{kind}1", tmp_path / f"{kind}2"
        for path in (source, target):
            path.write_text(path.name) if kind == "file" else path.mkdir()
        with pytest.raises(RecordExists):
            tree.rename(str(source), str(target))
        assert source.exists()
        assert target.exists()


@pytest.mark.parametrize("layout", ["windows", "files"])
def test_what_another_driver_published_may_be_taken_away_at_once(
    tmp_path: Path, tree: Paused, layout: str
) -> None:
    """A driver is paused before its rename; the other one, told the same, publishes, and a reader
    takes the files away: nothing is missed. ‡"""
    bench = Bench(tmp_path / "out", storage=tree, layout=layout)
    window = bench.hold(words(("a", 1)))

    def publish_and_take() -> None:
        other = Bench.__new__(Bench)
        other.path, other.arguments, other.story = bench.path, {"layout": layout}, bench.story
        other.die()
        other.sink.committed(window.id)
        for path in [path for path in bench.path.rglob("*") if path.is_file()]:
            path.unlink()
        for path in bench.path.iterdir():
            path.rmdir()

    tree.at("rename staged", publish_and_take)
    bench.sink.committed(window.id)
    assert bench.published() == []
