"""InputRun: what the loop does with one input, step by step, over a log in memory and without a
sink.

For tests of inputs: plan, log, read, hold, crash, stop and start again, in any order a run can
have.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow

from windowlog.contracts import Input, InputContext
from windowlog.log import WindowLog
from windowlog.storage.memory import MemoryStorage
from windowlog.values import Bounds, Json, Plan, Seek
from windowlog.window import Draft, Window

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from windowlog.contracts import Frame

NAME = "source"

# Rows of a test come in far fewer windows. With Spark this many take two minutes.
WINDOWS_MAX = 1000
_MOMENT = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)


class InputRun:
    """One input with its log. `make` gives a new instance for each start; `input` is the present
    one.

    Nothing is started on construction. What `log` has logged and `hold` has not held is replayed
    by `replay` after the next `start`, as a run would.
    """

    def __init__(self, make: Callable[[], Input], spark: SparkSession | None = None) -> None:
        self._make = make
        self._spark = spark
        self._storage = MemoryStorage()
        self._held = 0
        self.windows = WindowLog(self._storage)
        self.input: Input = make()

    def start(self) -> InputRun:
        """A new instance, opened as a run opens it: with its memory and all plans it has not
        folded."""
        self.windows = WindowLog(self._storage)
        self.windows.open("pipeline", "run")
        self.windows.create()
        self.windows.scan()
        self.input = self._make()
        log = self.windows
        plans_after = partial(log.plans_after, NAME)
        self.input.open(InputContext(self._spark, NAME, log.memory(NAME), plans_after))
        if self._held:
            self.input.committed([(self._held, log.read(self._held).plans[NAME])])
        return self

    @property
    def after(self) -> Json:
        """Where the next plan starts."""
        newest = self.windows.newest
        return self.windows.read(newest).plans[NAME].end if newest else None

    def plan(self, bounds: Bounds | None = None) -> Plan:
        """The next plan, not logged."""
        return self.input.plan(self.after, bounds if bounds is not None else self.input.bounds())

    def log(self, plan: Plan) -> Window:
        """Log a plan: it is fixed now, and comes back as a record's JSON gives it."""
        identities = {NAME: self.input.identity()}
        window_id = self.windows.newest + 1
        draft = Draft(window_id, _MOMENT, {NAME: plan}, identities, {}, "run")
        return self.windows.append(draft)

    def rows(self, window: Window) -> list[dict[str, Any]]:
        """A window's rows, as dicts, in the order they come."""
        frame: Frame = self.input.read(window.plans[NAME], window.skips)
        table = frame if isinstance(frame, pyarrow.Table) else frame.toArrow()
        rows: list[dict[str, Any]] = table.to_pylist()
        return rows

    def hold(self, window: Window) -> None:
        """Verify, and tell that every sink holds the window."""
        self.input.verify(window.plans[NAME], window.skips)
        self._held = window.id
        self.input.committed([(window.id, window.plans[NAME])])

    def window(self, bounds: Bounds | None = None) -> list[dict[str, Any]] | None:
        """One whole window: its rows; None if there was nothing new (then nothing is logged)."""
        plan = self.plan(bounds)
        if plan.empty:
            return None
        window = self.log(plan)
        rows = self.rows(window)
        self.hold(window)
        return rows

    def drain(self, bounds: Bounds | None = None) -> list[dict[str, Any]]:
        """All windows until there is nothing new inside `bounds` (now, if not given).
        AssertionError after WINDOWS_MAX: an input that never comes to an end would never fail."""
        found: list[dict[str, Any]] = []
        bounds = bounds if bounds is not None else self.input.bounds()
        for _ in range(WINDOWS_MAX):
            rows = self.window(bounds)
            if rows is None:
                return found
            found += rows
        raise AssertionError(
            f"plan(after, bounds) has parts still after {WINDOWS_MAX} windows inside the same"
            f" bounds, the last one with {len(rows or ())} rows: it must be empty once all that the"
            f" bounds hold is planned. The position is now {self.after!r}."
        )

    def replay(self) -> list[dict[str, Any]]:
        """The windows that were logged and not held, as a start runs them first."""
        found: list[dict[str, Any]] = []
        for window_id in range(self._held + 1, self.windows.newest + 1):
            window = self.windows.read(window_id)
            found += self.rows(window)
            self.hold(window)
        return found

    def stop(self) -> InputRun:
        """A clean stop: the input folds, all plans that it can do without are purged, it is closed
        and folds once more."""
        folded = self.input.folded()
        if folded is not None and self.windows.newest:
            self.windows.purge(min(folded, self._held))
        self.input.close()
        return self

    def crash(self) -> InputRun:
        """The driver dies: the instance is gone, and what was not durable with it."""
        self.input = self._make()
        return self

    def reset(self, to: str) -> Seek:
        """What the command `reset` does between two runs: an empty window that says where to go on.
        `start` again afterwards."""
        seek = self.input.seek(to, self.after)
        self._held = self.log(Plan((), seek.end)).id
        return seek
