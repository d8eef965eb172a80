"""The life of one window: which step comes when, what is told to whom, and what stays after a
failure."""

from __future__ import annotations

from typing import Any

import pytest

from tests.windowed.made import Ear, HeardInput, HeardSink, pipeline, rows, same, words
from windowed import loop as loop_module
from windowed.listener import Listener
from windowed.pipeline import Pipeline
from windowed.testing.list_sink import ListSink, ListStore
from windowed.testing.rows import RowsInput
from windowlog.errors import Fenced
from windowlog.window import Window

FENCED = Fenced(pipeline="made", evidence="the ledger moved")


def _kept(made: Pipeline) -> list[str]:
    return made.log.storage.within("windows").list()


def test_the_steps_of_a_window_come_in_their_order() -> None:
    """Read, then prepare and stage, verify, hold in the order of names, and only then committed."""
    heard: list[str] = []
    sinks = {name: HeardSink(name, heard) for name in ("b", "a")}
    source = HeardInput([[("x", 1)]], heard)
    pipeline(source, sinks).run(None, listeners=[Ear(heard, "listener")])
    assert heard == [
        "a open",
        "b open",
        "listener planned 1",
        "read",
        "a prepare word,count",
        "a stage 1",
        "b prepare word,count",
        "b stage 1",
        "verify",
        "a hold 1",
        "listener held 1 a",
        "b hold 1",
        "listener held 1 b",
        "input committed [1]",
        "a committed 1",
        "b committed 1",
        "listener committed 1",
        "input close",
        "a close",
        "b close",
        "listener ended",
    ]


def test_a_sink_is_prepared_again_when_the_schema_changes() -> None:
    """And only then."""
    heard: list[str] = []

    def widened(lines: Any, window: Any) -> Any:
        return lines if window.id < 3 else lines.append_column("more", lines["count"])

    made = pipeline(rows(["x"], ["y"], ["z"]), {"s": HeardSink("s", heard)}, transform=widened)
    made.run(None)
    assert [h for h in heard if "prepare" in h] == [
        "s prepare word,count",
        "s prepare word,count,more",
    ]


def test_the_very_first_window_is_logged_even_when_it_is_empty() -> None:
    """It pins where every input starts; later empty windows are not logged."""
    made = pipeline(rows())
    assert made.run(None).windows_run == 1
    assert (made.run(None).windows_run, _kept(made)) == (0, ["000000000001.json"])


def test_a_plan_is_in_the_log_before_it_is_read() -> None:
    """Each one: a replay may only ever find what was planned."""
    seen: list[int] = []

    class Looking(RowsInput):
        def read(self, plan: Any, skips: Any) -> Any:
            seen.append(len(_kept(made)))
            return super().read(plan, skips)

    made = pipeline(Looking([[(1,)], [(2,)]], schema="a long"))
    made.run(None)
    assert seen == [1, 2]


def test_nothing_is_created_before_the_first_plan_is_ready() -> None:
    """A source that fails while it plans leaves no header, no ledger row."""

    class Unplannable(RowsInput):
        def plan(self, after: Any, bounds: Any) -> Any:
            raise OSError("unreachable")

    store = ListStore()
    made = pipeline(Unplannable([], schema="a long"), {"out": ListSink(store)})
    with pytest.raises(OSError, match="unreachable"):
        made.run(None)
    assert made.log.storage.within("headers").list() == []
    assert (store.memory, store.windows) == ({}, {})


def test_each_window_is_planned_from_the_end_of_the_one_before() -> None:
    """In one run and over several; every row once."""
    source, sink = rows(["a"], ["b", "c"]), ListSink()
    made = pipeline(source, {"out": sink})
    made.run(None)
    source.windows.append([("d", 1)])
    made.run(None)
    made.run(None)
    assert words(sink) == ["a", "b", "c", "d"]
    assert sorted(sink.store.windows) == [1, 2, 3]


def test_a_replay_reaches_only_the_sinks_that_lack_the_window() -> None:
    """The others hold it already; all hear that it is committed."""
    heard: list[str] = []
    first, second = HeardSink("a", heard), HeardSink("b", heard, [FENCED])
    made = pipeline(rows(["x"]), {"a": first, "b": second})
    with pytest.raises(Fenced):
        made.run(None)
    assert (words(first), words(second)) == (["x"], [])
    heard.clear()
    summary = made.run(None)
    assert (summary.windows_run, summary.windows_replayed) == (1, 1)
    assert [h for h in heard if "open" not in h and "close" not in h] == [
        "b prepare word,count",
        "b stage 1",
        "b hold 1",
        "a committed 1",
        "b committed 1",
    ]


def test_committed_is_told_again_at_each_start() -> None:
    """The last telling may have been lost in a crash; telling is idempotent."""
    heard: list[str] = []
    source, sink = HeardInput([[("x", 1)]], heard), HeardSink("s", heard)
    made = pipeline(source, {"s": sink})
    made.run(None)
    heard.clear()
    made.run(None)
    assert heard == ["s open", "input committed [1]", "s committed 1", "input close", "s close"]


def test_an_input_that_joins_reads_nothing_in_older_windows() -> None:
    """A window replayed after `adopt` has no plan for it: an empty one stands in."""
    source, joined = rows(["x"]), rows(["never read"])
    made = pipeline(source)
    with made.open(None) as run:
        window = run.next()
        assert window is not None
        run._loop.parts.inputs["joined"] = joined  # type: ignore[index]
        frames = run._loop.read(window.window)
        run.hold(window, window.frames["lines"])
    assert frames["joined"].num_rows == 0
    assert frames["lines"].num_rows == 1


def test_plans_are_purged_at_a_clean_end_but_for_the_newest() -> None:
    """Nothing can need them: every sink holds them."""
    made = pipeline(rows(*[[str(n)] for n in range(5)]))
    made.run(None)
    assert _kept(made) == ["000000000005.json"]


def test_plans_are_purged_every_so_many_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not each window: the mark and the deletions cost a sync."""
    monkeypatch.setattr(loop_module, "PURGE_EVERY", 3)
    made, marks = pipeline(rows(*[[str(n)] for n in range(7)])), list[list[str]]()

    class Look(Listener):
        def planned(self, window: Window, *, replay: bool) -> None:
            marks.append(made.log.storage.within("marks").list())

    made.run(None, listeners=[Look()])
    three, six = ["000000000003.json"], ["000000000006.json"]
    assert marks == [[], [], [], three, three, three, six]
    assert _kept(made) == ["000000000007.json"]


@pytest.mark.parametrize(("keep", "kept"), [(0, 1), (2, 3), (99, 5)])
def test_more_plans_are_kept_when_asked_for(keep: int, kept: int) -> None:
    """For read_window."""
    made = pipeline(rows(*[[str(n)] for n in range(5)]), keep=keep)
    made.run(None)
    assert len(_kept(made)) == kept
    made.run(None)
    assert len(_kept(made)) == kept


def test_a_plan_that_an_input_has_not_folded_is_kept() -> None:
    """I5: none at all before it has folded once, and then from there on."""

    class Slow(RowsInput):
        reached: int | None = None

        def folded(self) -> int | None:
            return self.reached

    source = Slow([[(str(n), 1)] for n in range(4)], schema="word string, count long")
    made = pipeline(source)
    made.run(None)
    assert len(_kept(made)) == 4
    source.reached = 3
    made.run(None)
    assert _kept(made) == ["000000000003.json", "000000000004.json"]


def test_the_seconds_of_each_step_are_measured() -> None:
    """In the loop's own words."""
    summary = pipeline(rows(["a"]), transform=same).run(None)
    steps = ["decide", "plan", "log", "read", "transform", "stage", "verify", "hold"]
    assert list(summary.seconds) == [*steps, "committed", "purge"]
    assert all(seconds >= 0 for seconds in summary.seconds.values())
