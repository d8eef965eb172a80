"""After a kill a whole side of the log is lost: its machine, or its cluster. A start is refused, or
goes on by itself; then a person types the command that the documents name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.kill.check import Checker, in_child
from tests.kill.mirror_variant import AWAY, MirrorVariant
from tests.kill.pipeline import build
from tests.kill.tally import Tally

if TYPE_CHECKING:
    from tests.kill.world import World

ROOT = Path(__file__).parents[2]
COMMAND_S_MAX = 120
# After so many of the kills a side is lost, or away; one that is away comes back after so many.
LOSS_SHARE = 0.1
BACK_SHARE = 0.3


def lose_sometimes(world: World, checker: Checker, tally: Tally) -> None:
    """After a share of the kills, where the log has two sides."""
    variant = world.variant
    if isinstance(variant, MirrorVariant):
        away = variant.is_away(world.root)
        if world.rng.random() < (BACK_SHARE if away else LOSS_SHARE):
            lose(world, checker, tally, AWAY if away else world.rng.choice(variant.sides))


def lose(world: World, checker: Checker, tally: Tally, side: str) -> None:
    """That side is gone, and what must be done is done; or it is away until this is said again.
    AssertionError where a start is not refused that must be, or has touched anything, or where the
    command fails."""
    variant = world.variant
    assert isinstance(variant, MirrorVariant), "others have one side"
    if side == AWAY and variant.is_away(world.root):
        variant.come_back(world.root, checker.held)
        return
    if not checker.held or variant.filling(world.root, checker.held):
        return  # with nothing left of the log, nothing can go on
    tally.lost[side] += 1
    if side == AWAY:
        variant.leave(world.root)
        return
    variant.lose(world.root, side, checker.held)
    checker.forget(variant.left(world.root, side))
    refusal = variant.refusal(side)
    if refusal is not None:
        name, option = refusal
        found = in_child(lambda: _refused(world.root))
        assert found == name, f"the {side} side is gone, and a start ends in {found}"
        assert not variant.is_there(world.root, side), "a refused start has touched something"
        _adopt(world.root, option)


def _refused(root: Path) -> str:
    try:
        build(root).run(None, progress=False)
    except Exception as error:  # noqa: BLE001 (told to the parent)
        return type(error).__name__
    return "a run"


def _adopt(root: Path, option: str) -> None:
    locator = f"tests.kill.pipeline:located({str(root)!r})"
    command = [sys.executable, "-m", "windowed", "adopt", locator, option, "--apply"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=COMMAND_S_MAX
    )
    assert done.returncode == 0, f"adopt {option}: {done.stdout}{done.stderr}"
