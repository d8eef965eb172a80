"""A driver that was paused before its checkpoint, and finds that others have gone far."""

from __future__ import annotations

import pytest

from tests.windowed.state_world import StateWorld, counting
from windowlog.errors import Fenced


def test_a_checkpoint_below_the_low_water_mark_is_its_drivers_last() -> None:
    """I8: it was made, and the mark that is read after it says that nobody believes it."""
    world = StateWorld("paused", 1, every=2)
    with world.pipeline().open(None) as run:
        window = run.next()
        assert window is not None
        outputs, _ = counting(run.state, rows=window.frames["rows"])
        # Without a row nothing is staged that the others could have removed.
        run.hold(window, outputs, run.state.unchanged())
        world.add(5)
        world.run()
        with pytest.raises(Fenced, match=r"past our checkpoint of window 1"):
            run._loop.checkpoint()
    world.add(1)
    world.run()
    assert world.seen() == [(number, number - 1) for number in range(1, 8)]
