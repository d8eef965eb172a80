"""`adopt INPUT` before the first run: the pipeline starts behind what is there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.windowed.cases import LINES
from tests.windowed.test_commands_reset_killed import Changes
from tests.windowed.worlds import RUNNING, FileWorld, command, counted
from windowed.testing.crash import Crash, Fuse, fused

MORE = "line6 word"


class Fresh:
    """A pipeline that has never run, and has all its lines to read; another input beside it."""

    def __init__(self, root: Path) -> None:
        self.world = FileWorld(root)
        self.world.wiring["inputs"]["extra"] = "more"
        self.world.folder("more").mkdir()
        self.world.write(*LINES)
        self.world.write("extra1", folder="more")

    def adopt(self, fuse: Fuse | None = None) -> int:
        """From the end on, with a fuse in all that is done."""
        words = ("lines", "--from", "end", "--apply")
        if fuse is None:
            return command("adopt", self.world.locator, *words)
        pipeline = self.world.pipeline()
        RUNNING["fresh"] = fused(pipeline, fuse)
        try:
            return command("adopt", "tests.windowed.worlds:running('fresh')", *words)
        finally:
            # The system closes a dead driver's database file.
            RUNNING.pop("fresh")
            pipeline.sinks["counts"].close()

    def counts(self) -> dict[str, int]:
        """After one more line, and a run."""
        self.world.write(MORE)
        self.world.run()
        return self.world.counts()


@pytest.fixture
def fresh(quick_folder: Path) -> Fresh:
    """A new one."""
    return Fresh(quick_folder / "world")


def test_a_new_pipeline_may_start_behind_what_is_there(
    fresh: Fresh, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dry, nothing is made. Applied, the other input starts as ever; all commands go on."""
    assert command("adopt", fresh.world.locator, "lines", "--from", "end") == 0
    assert f"{len(LINES)} records are passed over" in capsys.readouterr().out
    assert not fresh.world.state.exists()
    assert fresh.adopt() == 0
    assert command("verify", fresh.world.locator) == 0
    assert fresh.counts() == counted("extra1", MORE)
    assert fresh.adopt() == 0
    assert "`reset` moves it" in capsys.readouterr().out
    assert command("reset", fresh.world.locator, "lines", "--to", "beginning", "--apply") == 0
    fresh.world.run()
    assert fresh.world.counts() == counted("extra1", MORE, *LINES, MORE)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_change_it_was_not_done_or_done(quick_folder: Path, after: bool) -> None:
    """A run reads all or what comes from then on, and the same command, said again, finishes. ‡"""
    whole, behind = counted("extra1", MORE, *LINES), counted("extra1", MORE)
    for at in range(1, 999):
        fresh = Fresh(quick_folder / f"{at}")
        try:
            assert fresh.adopt(Changes(at, after=after)) == 0
        except Crash:
            pass
        else:
            break
        again = Fresh(quick_folder / f"{at}-again")
        with pytest.raises(Crash):
            again.adopt(Changes(at, after=after))
        assert fresh.counts() in (whole, behind), at
        assert again.adopt() == 0
        assert again.counts() == behind, at
        for world in (fresh.world, again.world):
            shutil.rmtree(world.root)
    assert at > 3
    assert fresh.counts() == behind


def test_a_log_that_has_yet_to_be_made_is_not_lost(
    fresh: Fresh, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said that there is none."""
    assert command("adopt", fresh.world.locator, "--log", "--apply") == 1
    assert "there is no log yet, and no sink holds a window" in capsys.readouterr().err
    assert not fresh.world.state.exists()
