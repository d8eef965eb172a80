"""`reset` where log and database come from an older backup and inputs/ does not: killed at each
change that it makes, and beside another driver."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.windowed.cases import LINES, begin_purged
from tests.windowed.worlds import RUNNING, FileWorld, command, counted
from windowed.testing.crash import Crash, Fuse, fused
from windowlog.errors import KitError
from windowlog.memory import LogMemory

LATER = ["later1", "later2"]
MORE = "line6 word"


class Changes(Fuse):
    """Counts only what changes the log."""

    def call(self, name: str, action: Callable[[], Any]) -> Any:
        """Dead, it does nothing more."""
        if self.dead or name.rpartition(".")[2] in ("create", "delete", "rename"):
            return super().call(name, action)
        return action()


class Restored:
    """Five windows are logged and held, and the input remembers more: those of `later`, which are
    to come anew, as a sixth line is. `begin` makes it so again."""

    def __init__(self, root: Path, later: list[str], to: str) -> None:
        self.world = FileWorld(root)
        begin_purged(self.world)
        older = [self.world.back_up(path) for path in (self.world.state, self.world.database)]
        self.to = to
        self.as_restored = counted(*LINES, *later, MORE)
        self.read_again = counted(*LINES, *LINES, *later, MORE)
        self.world.write(*later, file="b.txt")
        self.world.run()
        shutil.copytree(self.world.state / "inputs", older[0] / "inputs", dirs_exist_ok=True)
        self._older = [path.rename(path.with_suffix(".older")) for path in older]
        self.world.write(MORE)

    def begin(self) -> None:
        """The older copies, with inputs/ as it is."""
        for copy, path in zip(self._older, (self.world.state, self.world.database), strict=True):
            if path.is_dir():
                shutil.rmtree(path)
                shutil.copytree(copy, path)
            else:
                shutil.copy2(copy, path)

    def reset(self, fuse: Fuse) -> int:
        """The command, with a fuse in all that it does."""
        pipeline = self.world.pipeline()
        RUNNING["restored"] = fused(pipeline, fuse)
        try:
            words = ("lines", "--to", self.to, "--apply")
            return command("reset", "tests.windowed.worlds:running('restored')", *words)
        finally:
            # The system closes a dead driver's database file.
            RUNNING.pop("restored")
            pipeline.sinks["counts"].close()

    def counts(self) -> dict[str, int]:
        """After a run."""
        self.world.run()
        return self.world.counts()


TWO = pytest.param(LATER, id="two", marks=pytest.mark.soak)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("to", ["beginning", "a.txt@beginning"])
@pytest.mark.parametrize("later", [pytest.param(LATER[:1], id="one"), TWO])
def test_a_reset_that_is_killed_leaves_nothing_that_is_believed_and_wrong(
    quick_folder: Path, later: list[str], to: str, after: bool
) -> None:
    """The next run is refused, or reads as if inputs/ had been restored too, or as was asked; and
    the same command, said again, does what was asked. ‡"""
    restored = Restored(quick_folder / "world", later, to)
    for at in range(1, 99):
        restored.begin()
        fuse = Changes(at, after=after)
        try:
            assert restored.reset(fuse) == 0
        except Crash:
            pass
        else:
            break
        found = _counts_or_refusal(restored)
        assert found in (None, restored.as_restored, restored.read_again), fuse.where
        restored.begin()
        with pytest.raises(Crash):
            restored.reset(Changes(at, after=after))
        assert restored.reset(Fuse()) == 0
        assert restored.counts() == restored.read_again, fuse.where
    assert at > 2
    assert restored.counts() == restored.read_again


def _counts_or_refusal(restored: Restored) -> dict[str, int] | None:
    try:
        return restored.counts()
    except KitError:
        return None


def test_a_reset_of_one_input_lets_go_of_what_others_remember_beyond_the_log(
    quick_folder: Path,
) -> None:
    """The number of the other one's last window is given anew: its memory would count as this
    one's, and its line would be lost. ‡"""
    world = FileWorld(quick_folder / "world")
    world.wiring["inputs"]["extra"] = "more"
    world.folder("more").mkdir()
    begin_purged(world)
    older = [world.back_up(path) for path in (world.state, world.database)]
    world.write(LATER[0], folder="more")
    world.run()
    shutil.copytree(world.state / "inputs", older[0] / "inputs", dirs_exist_ok=True)
    for copy in older:
        world.restore(copy)
    assert command("reset", world.locator, "lines", "--to", "end", "--apply") == 0
    world.write(MORE)
    world.run()
    assert world.counts() == counted(*LINES, LATER[0], MORE)


def test_what_a_living_driver_remembers_is_not_let_go_of(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It logs, holds and folds a window after `reset` has looked at the log."""
    world = FileWorld(quick_folder / "world")
    begin_purged(world)
    beyond = LogMemory.beyond

    def late(self: LogMemory, window_id: int) -> list[int]:
        monkeypatch.setattr(LogMemory, "beyond", beyond)
        world.write(MORE)
        world.run()
        found = self.beyond(window_id)
        assert found == [6]
        return found

    monkeypatch.setattr(LogMemory, "beyond", late)
    assert command("reset", world.locator, "lines", "--to", "end", "--apply") == 1
    assert "it has logged a window after 5" in capsys.readouterr().err
    assert (world.state / "inputs" / "lines" / "000000000006.json").exists()
    world.run()
    assert world.counts() == counted(*LINES, MORE)
