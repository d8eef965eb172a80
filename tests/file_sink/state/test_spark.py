"""A state of Spark's frames from window to window, and over drivers that die."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from file_sink import FileState
from tests.file_sink.state.totals import (
    SCHEMA,
    WINDOWS,
    checkpoints,
    expected,
    held,
    made,
    states,
    totals,
)
from windowed import State, windows
from windowed.testing import ListSink
from windowed.testing.crash import Crash, Fuse, fused

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


def test_totals_go_on_over_several_runs(tmp_path: Path, spark: SparkSession) -> None:
    """Each window's totals as counted by hand; a clean end is saved; two checkpoints stay."""
    sink = ListSink()
    for count in (3, 1, 3):
        made(tmp_path, WINDOWS, sink).run(spark, until=windows(count))
    assert held(sink) == expected(WINDOWS)
    assert checkpoints(tmp_path / "state") == ["000000000006.json", "000000000007.json"]
    assert len(states(tmp_path / "state")) == 2
    assert list((tmp_path / "state").glob("*/spark/*")) == []


def test_an_undisturbed_next_run_replays_nothing(tmp_path: Path, spark: SparkSession) -> None:
    """The state was saved at the clean end."""
    sink = ListSink()
    made(tmp_path, WINDOWS[:5], sink).run(spark)
    summary = made(tmp_path, WINDOWS, sink).run(spark)
    assert (summary.windows_replayed, list(summary.window_ids)) == (0, [6, 7])
    assert held(sink) == expected(WINDOWS)


# All moments, some two hundred, in `make soak`.
@pytest.mark.parametrize("moment", [28, 74, pytest.param(0, marks=pytest.mark.soak)])
def test_a_driver_dies_and_the_next_goes_on(
    tmp_path: Path, spark: SparkSession, moment: int
) -> None:
    """Before and after what it does: the totals are those of every word once."""
    for at in [moment] if moment else range(1, 250):
        for after in (False, True):
            folder, sink = tmp_path / f"{at}{after}", ListSink()
            fuse = Fuse(at, after=after)
            try:
                fused(made(folder, WINDOWS[:5], sink), fuse).run(spark, progress=False)
            except Crash:
                made(folder, WINDOWS[:5], sink).run(spark)
            assert held(sink) == expected(WINDOWS[:5]), fuse.where
            if not fuse.dead:
                return


def test_a_replay_begins_at_the_newest_checkpoint(tmp_path: Path, spark: SparkSession) -> None:
    """A driver that dies in window 6 leaves checkpoint 4: windows 5 and 6 are run again, and the
    sink, which holds 5, gets nothing of that twice."""
    sink = ListSink()

    def dying(lines: DataFrame, state: State, window: Any) -> Any:
        if window.id == 6:
            raise Crash("the driver dies")
        return totals(lines, state)

    with pytest.raises(Crash):
        made(tmp_path, WINDOWS, sink, transform=dying).run(spark)
    assert checkpoints(tmp_path / "state") == ["000000000002.json", "000000000004.json"]
    summary = made(tmp_path, WINDOWS, sink).run(spark)
    assert (summary.window_ids[0], summary.windows_replayed) == (5, 2)
    assert held(sink) == expected(WINDOWS)


def test_an_unchanged_state_is_written_for_its_checkpoints(
    tmp_path: Path, spark: SparkSession
) -> None:
    """Each has files of its own: no file is lost to two of them."""

    def once(lines: DataFrame, state: State, window: Any) -> Any:
        if window.id == 1:
            return totals(lines, state)
        return state.frame, state.unchanged()

    sink = ListSink()
    made(tmp_path, WINDOWS, sink, transform=once, every=1).run(spark)
    assert checkpoints(tmp_path / "state") == ["000000000006.json", "000000000007.json"]
    kept = [folder.name.split(".")[0] for folder in states(tmp_path / "state")]
    assert kept == ["000000000006", "000000000007"]
    made(tmp_path, [*WINDOWS, "x"], sink, transform=once, every=1).run(spark)
    assert held(sink)[8] == {"a": 1, "b": 1}


def test_a_task_without_rows_and_a_path_that_looks_like_a_column(
    tmp_path: Path, spark: SparkSession
) -> None:
    """Spark leaves a file without rows where the first task has none; the state reads on."""

    def second_task(lines: DataFrame, state: State) -> Any:
        # Of two tasks the first has no rows.
        spread = lines.sparkSession.range(0, 2, 1, 2).where("id = 1")
        rows = spread.selectExpr("'w' AS word", "id AS n").unionByName(state.frame)
        return rows, state.replace(rows)

    place = tmp_path / "day=1"
    state = FileState(place / "state", schema=SCHEMA)
    sink = ListSink()
    made(tmp_path, WINDOWS[:4], sink, state=state, transform=second_task, every=1).run(spark)
    assert [len(rows) for rows in sink.store.windows.values()] == [1, 2, 3, 4]
    assert Counter(sink.store.windows[4][0]) == Counter({"word": "w", "n": 1})


def test_outputs_and_state_are_computed_once(tmp_path: Path, spark: SparkSession) -> None:
    """A frame that is both a sink's and the state: of a transform that is not deterministic both
    get the same rows."""

    def random(lines: DataFrame, state: State) -> Any:
        rows = lines.selectExpr("word", "cast(rand() * 1e15 AS long) AS n")
        return rows, state.replace(rows)

    sink = ListSink()
    state = FileState(tmp_path / "state", schema=SCHEMA)
    pipeline = made(tmp_path, WINDOWS, sink, state=state, transform=random, every=1)
    with pipeline.open(spark) as run:
        while window := run.next():
            rows = random(window.frames["lines"], run.state)
            run.hold(window, *rows)
            kept = {(row["word"], row["n"]) for row in run.state.frame.collect()}
            assert kept == {(r["word"], r["n"]) for r in sink.store.windows[window.id]}


@pytest.mark.parametrize("name", ["a{b,c}[d]*?", r"back\slash", "per%20cent#x"])
def test_a_folder_of_any_name(tmp_path: Path, spark: SparkSession, name: str) -> None:
    """Spark's reader would take some signs for a pattern."""
    sink = ListSink()
    for count in (2, 3):
        made(tmp_path / name, WINDOWS[:count], sink).run(spark)
    assert held(sink) == expected(WINDOWS[:3])
