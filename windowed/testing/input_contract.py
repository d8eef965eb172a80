"""InputContract: the tests that every input passes. An author subclasses it.

class TestMyInput(InputContract):
    def make(self, place):
        return MyInput(place, …)            # reads `place`, in windows of a few rows

    def add(self, place, count):
        …                                   # `count` new rows, all different from those before

`place` is an empty folder of the test; an input that does not read files takes its name.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from windowed.testing.input_run import NAME, InputRun
from windowlog.contracts import Input
from windowlog.errors import BadArgument
from windowlog.values import Plan, Skip
from windowlog.window import Window, plan_from_json, plan_to_json

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# More than one window's worth for any input that is made for tests.
MANY = 40


class InputContract:
    """What windowlog.contracts.Input promises. Works with Spark and without (`spark` is None)."""

    secrets: tuple[str, ...] = ()
    """Words that must appear in no plan, identity or message: passwords the input was given."""

    def make(self, place: Path) -> Input:
        """A new input that reads `place`, and plans some of MANY rows in a window. Yours to
        give."""
        raise NotImplementedError("give a method `make`")

    def add(self, place: Path, count: int) -> None:
        """Add so many rows, all different. Yours to give."""
        raise NotImplementedError("give a method `add`")

    @pytest.fixture
    def session(self) -> SparkSession | None:
        """The Spark session for reading; override it to read with Spark."""
        return None

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        """Where rows are added and read."""
        place = tmp_path / "place"
        place.mkdir()
        return place

    @pytest.fixture
    def run(self, place: Path, session: SparkSession | None) -> InputRun:
        """A run of the input, started."""
        return InputRun(lambda: self.make(place), session).start()

    def test_it_is_an_input(self, place: Path) -> None:
        """All methods are there, and whether it remembers."""
        source = self.make(place)
        assert isinstance(source, Input)
        assert isinstance(source.remembers, bool)

    def test_its_identity_needs_no_source_and_stays(self, place: Path, run: InputRun) -> None:
        """Kind and place, the same before `open` and after, for every instance, without secrets."""
        identity = self.make(place).identity()
        assert identity.kind
        assert identity.place
        assert run.input.identity() == identity
        assert not [secret for secret in self.secrets if secret in repr(identity)]

    def test_planning_changes_nothing(self, place: Path, run: InputRun) -> None:
        """A plan that is never logged is planned again, the same."""
        self.add(place, MANY)
        bounds = run.input.bounds()
        first = run.plan(bounds)
        assert not first.empty
        assert run.plan(bounds) == first
        assert run.windows.memory(NAME).newest() is None

    def test_a_plan_survives_the_log_and_holds_no_secret(self, place: Path, run: InputRun) -> None:
        """It is JSON, and the same after a round trip."""
        self.add(place, MANY)
        plan = run.plan()
        text = json.dumps(plan_to_json(plan))
        assert plan_from_json(json.loads(text)) == plan
        assert not [secret for secret in self.secrets if secret in text]

    def test_part_ids_are_unique_and_printable(self, place: Path, run: InputRun) -> None:
        """A skip names a part on the command line."""
        self.add(place, MANY)
        ids = [part.id for part in run.plan().parts]
        assert len(set(ids)) == len(ids)
        assert all(part_id.isprintable() for part_id in ids)

    def test_every_row_is_in_exactly_one_window(self, place: Path, run: InputRun) -> None:
        """Several windows, and together they are all rows that were added, none twice."""
        self.add(place, MANY)
        held = run.drain()
        assert run.windows.newest > 1, "make() should plan less than MANY rows in a window"
        assert Counter(_counted(held).values()) == {1: MANY}

    def test_nothing_beyond_the_bounds_is_planned(self, place: Path, run: InputRun) -> None:
        """Rows that came after `bounds()` wait for the next ones."""
        self.add(place, MANY)
        bounds = run.input.bounds()
        self.add(place, MANY)
        assert len(run.drain(bounds)) == MANY
        assert run.plan(bounds).empty
        assert len(run.drain()) == MANY

    def test_an_empty_plan_repeats_the_position(self, place: Path, run: InputRun) -> None:
        """At the start and after some windows; and reading it gives no rows and the same
        columns."""
        first = run.log(run.plan())
        assert run.rows(first) == []
        run.hold(first)
        assert run.plan() == Plan((), first.plans[NAME].end, *_sizes(run.plan()))
        self.add(place, MANY)
        full = run.input.read(run.plan(), ())
        assert run.input.read(first.plans[NAME], ()).schema == full.schema
        run.drain()
        again = run.plan()
        assert again.empty
        assert again.end == run.after

    def test_a_logged_plan_gives_the_same_rows_after_a_crash(
        self, place: Path, run: InputRun
    ) -> None:
        """Read twice, then by another instance, while more rows have come."""
        self.add(place, MANY)
        run.window()
        window = run.log(run.plan())
        rows = run.rows(window)
        assert rows
        assert run.rows(window) == rows
        self.add(place, MANY)
        run.crash().start()
        assert run.replay() == rows

    def test_after_any_crash_each_row_is_held_once(self, place: Path, run: InputRun) -> None:
        """Crashes before logging, before holding, and clean stops between, in turn."""
        self.add(place, MANY)
        held: list[dict[str, Any]] = []
        for step in range(MANY * 4):
            if step % 4 == 0:
                run.plan()
                run.crash().start()
            plan = run.plan()
            if plan.empty:
                break
            run.log(plan)
            if step % 4 == 1:
                run.crash().start()
            held += run.replay()
            if step % 4 == 2:
                run.stop().start()
            if step % 4 == 3:
                run.crash().start()
        assert Counter(_counted(held).values()) == {1: MANY}

    def test_committed_may_be_told_again(self, place: Path, run: InputRun) -> None:
        """Each window at least once: the second time changes nothing."""
        self.add(place, MANY)
        run.window()
        bounds = run.input.bounds()
        expected = run.plan(bounds)
        newest = run.windows.newest
        run.input.committed([(newest, run.windows.read(newest).plans[NAME])])
        assert run.plan(bounds) == expected

    def test_what_is_folded_was_told(self, place: Path, run: InputRun) -> None:
        """A plan that a replay needs is never said to be folded."""
        self.add(place, MANY)
        assert run.input.folded() is None
        run.window()
        run.log(run.plan())
        assert (run.input.folded() or 0) <= 1
        run.crash().start()
        assert (run.input.folded() or 0) <= 1

    def test_a_skipped_part_is_left_out_and_nothing_else(self, place: Path, run: InputRun) -> None:
        """For each part of a plan; a skip of another input's part of that name changes nothing."""
        self.add(place, MANY)
        window = run.log(run.plan())
        plan, rows = window.plans[NAME], run.rows(window)
        total = 0
        for part in plan.parts:
            skip = Skip(window.id, NAME, part.id, "all", "test")
            other = Skip(window.id, f"not {NAME}", part.id, "all", "test")
            assert run.rows(_with(window, other)) == rows
            left = run.rows(_with(window, skip))
            assert not _counted(left) - _counted(rows)
            total += len(rows) - len(left)
            run.input.verify(plan, [skip])
        assert total == len(rows)

    def test_nothing_waits_once_all_is_read(self, place: Path, run: InputRun) -> None:
        """So that `drained()` ends."""
        self.add(place, MANY)
        bounds = run.input.bounds()
        run.drain(bounds)
        assert run.input.waiting(bounds) == []

    def test_a_reset_to_the_beginning_reads_all_again(self, place: Path, run: InputRun) -> None:
        """It says how many rows that are, if it can, and changes nothing by asking."""
        self.add(place, MANY)
        run.drain()
        asked = run.input.seek("beginning", run.after)
        assert asked.again in (MANY, None)
        assert run.plan().empty
        run.reset("beginning")
        run.stop().start()
        assert len(run.drain()) == MANY
        run.crash().start()
        assert run.plan().empty

    def test_a_reset_to_the_end_passes_over_what_is_there(self, place: Path, run: InputRun) -> None:
        """And over nothing that comes later, even before the next start."""
        self.add(place, MANY)
        first = run.window()
        assert first is not None
        assert run.reset("end").passed_over in (MANY - len(first), None)
        self.add(place, 3)
        run.crash().start()
        assert len(run.drain()) == 3
        run.stop().start()
        assert run.plan().empty

    def test_a_reset_to_nowhere_is_a_bad_argument(self, place: Path, run: InputRun) -> None:
        """With the value in the message."""
        with pytest.raises(BadArgument, match="nowhere at all"):
            run.input.seek("nowhere at all", run.after)

    def test_close_is_legal_at_any_time(self, place: Path, run: InputRun) -> None:
        """Before `open`, twice, and an instance may be opened again."""
        source = self.make(place)
        source.close()
        self.add(place, MANY)
        run.window()
        expected = run.plan().end
        run.input.close()
        run.input.close()
        run.crash().start()
        assert run.plan().end == expected


def _counted(rows: list[dict[str, Any]]) -> Counter[str]:
    return Counter(repr(sorted(row.items())) for row in rows)


def _sizes(plan: Plan) -> tuple[int | None, int | None]:
    return plan.bytes, plan.records


def _with(window: Window, *skips: Skip) -> Window:
    return replace(window, skips=skips)
