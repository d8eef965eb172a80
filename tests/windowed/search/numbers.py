"""An input of the numbers 0, 1, 2 …: each driver takes its own share of them, so a swapped plan
shows."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow

from windowlog.contracts import Frame, InputContext
from windowlog.errors import BadArgument
from windowlog.values import Bounds, Json, Part, Plan, Seek, Skip
from windowlog.wiring import InputIdentity


class Numbers:
    """The numbers below `count`, `take` in each window. With `folds_every` it plans from the
    position in its memory, which it saves each so many windows, and asserts that this is not behind
    the log."""

    def __init__(self, count: int, take: int, *, folds_every: int | None = None) -> None:
        self.remembers = folds_every is not None
        self._folds_every = folds_every
        self._count = count
        self._take = take
        self._context: InputContext | None = None
        self._told: int | None = None
        self._saved: int | None = None
        self._at = 0

    def identity(self) -> InputIdentity:
        """Always the same numbers."""
        return InputIdentity("numbers", "from 0")

    def open(self, context: InputContext) -> None:
        """Find the position that was kept, and fold the plans after it."""
        self._context, self._told, self._at = context, None, 0
        if not self.remembers:
            return
        newest = context.memory.newest()
        if newest is not None:
            self._saved, self._at = newest[0], int(newest[1])
        for window_id, plan in context.plans_after(newest[0] if newest else 0):
            self._follow(window_id, plan)

    def bounds(self) -> Bounds:
        """All the numbers there are."""
        return Bounds(self._count)

    def waiting(self, bounds: Bounds) -> list[str]:
        """Nothing waits."""
        return []

    def plan(self, after: Json, bounds: Bounds) -> Plan:
        """The next numbers."""
        at = after if isinstance(after, int) else 0
        if self.remembers:
            # Ahead of the log is another driver's memory: planned from all the same, and fenced.
            assert self._at >= at, f"the memory is at {self._at}, the log at {at}"
            at = self._at
        taken = range(at, min(at + self._take, self._count))
        return Plan(tuple(Part(str(number), {}) for number in taken), at + len(taken))

    def read(self, plan: Plan, skips: Sequence[Skip]) -> Frame:
        """The plan's numbers."""
        return pyarrow.table({"number": [int(part.id) for part in plan.parts]})

    def verify(self, plan: Plan, skips: Sequence[Skip]) -> None:
        """Numbers do not change."""

    def committed(self, windows: Sequence[tuple[int, Plan]]) -> None:
        """Remember, in each window."""
        for window_id, plan in windows:
            self._told = window_id
            self._follow(window_id, plan)
            if self._folds_every is not None and window_id % self._folds_every == 0:
                self._save(window_id)

    def folded(self) -> int | None:
        """What it was told, or what it has saved."""
        return self._saved if self.remembers else self._told

    def seek(self, to: str, after: Json) -> Seek:
        """Not here."""
        raise BadArgument(argument="to", value=to, allowed="nothing")

    def close(self) -> None:
        """Nothing to release."""

    def _follow(self, window_id: int, plan: Plan) -> None:
        assert isinstance(plan.end, int), "plans come from plan()"
        self._at = plan.end

    def _save(self, window_id: int) -> None:
        assert self._context is not None, "open() comes first"
        self._context.memory.save(window_id, b"%d" % self._at)
        self._saved = max(window_id, self._saved or 0)
