"""What facts say of themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.windowed.conditions import ALog, AnInput, ASink, facts_of
from windowlog.values import Skip


@pytest.mark.parametrize(
    ("window", "skips", "recorded", "named"),
    [
        (5, 0, 1, True),
        (5, 1, 1, False),
        (5, 1, 2, True),
        (4, 0, 1, False),
        # How the older window was read is not known any more.
        (6, 1, 1, True),
        (6, 0, 0, False),
    ],
)
def test_sinks_that_may_have_held_a_window_with_fewer_skips_are_named(
    window: int, skips: int, recorded: int, named: bool
) -> None:
    """Those at this very window, read with fewer skips than stand beside it now, and all that are
    past it."""
    facts = facts_of(ALog(3, 5), [ASink(window), ASink()], [AnInput()])
    sink = facts.sinks[0]
    assert sink.held is not None
    held = replace(sink.held, skips=skips)
    facts = replace(facts, sinks=(replace(sink, held=held), *facts.sinks[1:]))
    assert facts.log.window is not None
    beside = [Skip(5, "input0", f"part {n}", "all", "why", n + 1) for n in range(recorded)]
    replayed = replace(facts.log.window, skips=tuple(beside))
    assert facts.uneven(replayed) == (["sink0"] if named else [])
