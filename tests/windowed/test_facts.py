"""What facts say of themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.windowed.conditions import ALog, AnInput, ASink, facts_of
from windowlog.values import Skip


@pytest.mark.parametrize(("window", "skips", "named"), [(5, 0, True), (5, 1, False), (4, 0, False)])
def test_sinks_that_held_a_window_with_fewer_skips_are_known(
    window: int, skips: int, named: bool
) -> None:
    """Only one that holds this very window, read with fewer skips than stand beside it now."""
    facts = facts_of(ALog(3, 5), [ASink(window), ASink()], [AnInput()])
    sink = facts.sinks[0]
    assert sink.held is not None
    held = replace(sink.held, skips=skips)
    facts = replace(facts, sinks=(replace(sink, held=held), *facts.sinks[1:]))
    assert facts.log.window is not None
    skip = Skip(5, "input0", "part", "all", "why", 1)
    replayed = replace(facts.log.window, skips=(skip,))
    assert facts.uneven(replayed) == (["sink0"] if named else [])
