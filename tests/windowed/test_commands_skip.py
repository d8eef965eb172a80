"""`skip`: a poison window is got past, exactly the named part is given up, and every sink that has
it is named."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.windowed.worlds import FileWorld, command, counted
from windowed import Listener
from windowed.commands.skip import amount_of
from windowlog.errors import SourceChanged
from windowlog.values import Part, Plan
from windowlog.window import Window

LINES = ["line1 word", "line2 word", "line3 word"]
PART = "b.txt@0"
REASON = ("--reason", "its file was deleted")


@pytest.fixture
def world(tmp_path: Path) -> FileWorld:
    """Window 2 is logged and not held, and the file that it planned is gone."""
    world = FileWorld(tmp_path / "world")
    _plan_and_lose(world)
    return world


def _plan_and_lose(world: FileWorld) -> None:
    """The database is put back to window 1, and the file of line 2 is deleted."""
    world.write(LINES[0])
    world.run()
    older = world.back_up(world.database)
    world.write(LINES[1], file="b.txt")
    world.run()
    world.restore(older)
    (world.folder("in") / "b.txt").unlink()


def test_a_lost_part_is_skipped_and_the_run_goes_on(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dry first; then all but the lost line is counted, also a line that comes later."""
    with pytest.raises(SourceChanged) as caught:
        world.run()
    printed = [line for line in str(caught.value).splitlines() if "python -m windowed" in line]
    expected = f"python -m windowed skip {shlex.quote(world.locator)} 2 lines --part {PART}"
    assert [line.strip() for line in printed] == [f"{expected} --reason WHY"]
    before = world.bytes()
    words = ("skip", world.locator, "2", "lines", "--part", PART, *REASON)
    assert command(*words) == 0
    out = capsys.readouterr().out
    assert f"window 2 is read without part {PART} of input lines: {len(LINES[1]) + 1} bytes" in out
    assert world.bytes() == before
    assert command(*words, "--apply") == 0
    world.write(LINES[2])
    world.run()
    assert world.counts() == counted(LINES[0], LINES[2])
    capsys.readouterr()
    assert command(*words, "--apply") == 1
    assert "every sink holds window 2" in capsys.readouterr().err


def test_a_skip_is_recorded_once(world: FileWorld, capsys: pytest.CaptureFixture[str]) -> None:
    """The same command again says that there is nothing to do, and writes nothing."""
    words = ("skip", world.locator, "2", "lines", "--part", PART, *REASON, "--apply")
    assert command(*words) == 0
    before = world.bytes()
    capsys.readouterr()
    assert command(*words) == 0
    assert "There is nothing to do" in capsys.readouterr().out
    assert world.bytes() == before


def test_a_sink_adopted_behind_a_skip_knows_of_it(world: FileWorld) -> None:
    """Its ledger is lost and made again: the new row says that window 2 was read with one skip."""
    words = ("skip", world.locator, "2", "lines", "--part", PART, *REASON, "--apply")
    assert command(*words) == 0
    world.run()
    row = "SELECT window_id, skips FROM window_ledger"
    assert world.sql(row) == [(2, 1)]
    world.sql("DROP TABLE window_ledger")
    assert command("adopt", world.locator, "counts", "--from", "now", "--apply") == 0
    assert world.sql(row) == [(2, 1)]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["2", "lines", "--part", "c.txt@0", *REASON], f"Its parts are {PART}."),
        (
            ["3", "lines", "--part", PART, *REASON],
            "does not have window 3",
        ),
        (["0", "lines", "--part", PART, *REASON], "does not have window 0"),
        (["1", "lines", "--part", "a.txt@0", *REASON], "every sink holds window 1"),
        (["2", "other", "--part", PART, *REASON], "window 2 has no input other"),
        (["2", "lines", "--part", PART, "--reason", " "], "a reason is wanted"),
    ],
)
def test_what_cannot_be_skipped_says_why(
    words: list[str], why: str, world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 1, nothing changed, also with --apply."""
    before = world.bytes()
    assert command("skip", world.locator, *words, "--apply") == 1
    assert why in capsys.readouterr().err
    assert world.bytes() == before


def test_nothing_is_skipped_while_the_log_cannot_be_believed(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a log that is older than the sink, window 2 is not the window it was."""
    world.plan(2).unlink()
    world.plan(1).unlink()
    assert command("skip", world.locator, "2", "lines", "--part", PART, *REASON) == 1
    assert "the log is not whole" in capsys.readouterr().err


class _Ears(Listener):
    def __init__(self) -> None:
        self.heard: list[tuple[int, tuple[str, ...]]] = []

    def uneven(self, window: Window, sinks: Sequence[str]) -> None:
        self.heard.append((window.id, tuple(sinks)))


def test_sinks_that_have_the_part_are_named_by_the_command_and_by_the_next_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two sinks, one of them held window 2 before its line was lost: it keeps the line, and whoever
    skips and whoever starts is told so."""
    world = FileWorld(tmp_path / "world")
    world.wiring["sinks"]["other"] = ("other.duckdb", "words", "add")
    _plan_and_lose(world)
    capsys.readouterr()
    words = ("skip", world.locator, "2", "lines", "--part", PART, *REASON, "--apply")
    assert command(*words) == 0
    assert "sink other holds this window already, with that part" in capsys.readouterr().out
    ears = _Ears()
    world.write(LINES[2])
    world.pipeline().run(None, progress=True, listeners=[ears])
    assert ears.heard == [(2, ("other",))]
    said = capsys.readouterr().err
    assert f"without part {PART} of lines; sink other holds it already, and may have that" in said
    assert world.counts() == counted(LINES[0], LINES[2])
    held = world.sql(f"ATTACH '{world.root}/other.duckdb' AS o (READ_ONLY); FROM o.words")
    assert dict(held) == counted(*LINES)


RANGES = (Part("a", {"start": 2, "end": 7}), Part("b", {"start": 0, "end": 9}))


@pytest.mark.parametrize(
    ("plan", "amount"),
    [
        (Plan((Part("a", {"start": 0, "end": 7}),), 0, bytes=7), "7 bytes"),
        (Plan((Part("a", {}),), 0, records=1234), "1,234 records"),
        (Plan((Part("a", {}),), 0), "1 of 1 parts"),
        (Plan(RANGES, 0, bytes=14), "5 bytes"),
        (Plan(RANGES, 0, records=14), "5 records"),
        # A range of something else than what the plan counts.
        (Plan(RANGES, 0, bytes=100), "1 of 2 parts"),
        (Plan((RANGES[0], Part("b", {})), 0, bytes=5), "1 of 2 parts"),
    ],
)
def test_the_amount_is_what_the_plan_says_of_the_part(plan: Plan, amount: str) -> None:
    """Bytes or records where the parts' ranges add up to the plan's; else how many parts."""
    assert amount_of(plan.parts[0], plan) == amount
