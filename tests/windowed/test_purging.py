"""The loop purges in small steps: no window pays for the deletions of many."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import windowed.loop as loop_module
from windowed import Listener, Pipeline
from windowed.testing import ListSink, RowsInput
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.window import Window


@dataclass
class Plans(Listener):
    """How many plans there are, seen as each window is committed."""

    storage: MemoryStorage
    counts: list[int] = field(default_factory=list)

    def committed(self, window: Window) -> None:
        """Count them."""
        self.counts.append(len(self.storage.within("windows").list()))


def _run(windows: int) -> tuple[MemoryStorage, list[int]]:
    storage = MemoryStorage()
    plans = Plans(storage)
    Pipeline(
        "counts",
        inputs={"rows": RowsInput([[(n,)] for n in range(windows)], schema="number bigint")},
        transform=lambda rows: rows,
        sinks={"list": ListSink()},
        log=WindowLog(storage),
    ).run(None, listeners=[plans], progress=False)
    return storage, plans.counts


def test_a_window_deletes_a_few_plans_at_the_most() -> None:
    """Between two windows one plan comes and at most DELETIONS_AT_ONCE go."""
    _, counts = _run(4 * loop_module.PURGE_EVERY)
    steps = [before + 1 - after for before, after in pairwise(counts)]
    assert set(steps) <= set(range(loop_module.DELETIONS_AT_ONCE + 1))
    assert max(counts) <= 2 * loop_module.PURGE_EVERY


def test_a_run_that_ends_leaves_the_newest_plan_alone() -> None:
    """What was still to be deleted goes at the end."""
    storage, _ = _run(loop_module.PURGE_EVERY + 3)
    newest = f"{loop_module.PURGE_EVERY + 3:012d}.json"
    assert storage.within("windows").list() == [newest]
