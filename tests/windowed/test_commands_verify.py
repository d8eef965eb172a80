"""`verify`: finds every flipped byte and every record that is gone, and changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.windowed.all_cases import CASES
from tests.windowed.cases import LINES, Case, begin
from tests.windowed.worlds import FileWorld, command
from windowlog import codec
from windowlog.values import Json


@pytest.fixture
def world(tmp_path: Path) -> FileWorld:
    """Plans 5 to 7: a line, a reset, and a line that was skipped. Every kind of record is there."""
    world = FileWorld(tmp_path / "world")
    world.wiring["keep"] = 2
    begin(world)
    assert command("reset", world.locator, "lines", "--to", "end", "--apply") == 0
    world.run()
    older = world.back_up(world.database)
    world.write("line6 word")
    world.run()
    world.restore(older)
    part = f"a.txt@{sum(len(line) + 1 for line in LINES)}"
    skip = ("--part", part, "--reason", "test", "--apply")
    assert command("skip", world.locator, "7", "lines", *skip) == 0
    world.run()
    return world


def _verified(world: FileWorld, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Status and what is said on standard error; and nothing was changed."""
    before = world.bytes()
    capsys.readouterr()
    status = command("verify", world.locator)
    assert world.bytes() == before
    return status, capsys.readouterr().err


def test_a_sound_pipeline_has_no_findings(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what was looked at."""
    capsys.readouterr()
    assert command("verify", world.locator) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert (
        "windows 3, headers 1, marks 1, skips 1, adoptions 1, memories 2, sinks' memories 1" in out
    )
    assert "All is whole" in out


def test_before_the_first_start_there_is_nothing_to_find(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing is created."""
    fresh = FileWorld(tmp_path / "fresh")
    assert _verified(fresh, capsys) == (0, "")
    assert fresh.bytes() == {}


def test_every_flipped_byte_of_the_log_is_found(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """One byte of each record in turn: status 1, and the record is named or the log is."""
    records = list(world.state.rglob("*.json"))
    kinds = {"headers", "windows", "marks", "skips", "adoptions", "lines"}
    assert {path.parent.name for path in records} == kinds
    for path in records:
        world.flip(path)
        status, err = _verified(world, capsys)
        assert status == 1, path
        assert path.name.split(".")[0].lstrip("0") in err
        world.flip(path)
    assert _verified(world, capsys) == (0, "")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_start_refuses_is_a_finding(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the refusal's name."""
    world = FileWorld(tmp_path / "world")
    case.damage(world)
    status, err = _verified(world, capsys)
    assert status == 1
    assert f"a start is refused: {case.refusal.__name__}" in err


def _skip_lost(world: FileWorld) -> None:
    next(iter((world.state / "skips").iterdir())).unlink()


def _skip_renumbered(world: FileWorld) -> None:
    path = next(iter((world.state / "skips").iterdir()))
    path.rename(path.with_name("000000000007.2.json"))


def _skip_of_nothing(world: FileWorld) -> None:
    body: Json = {"input": "lines", "part": "b.txt@0", "amount": "1", "reason": "why"}
    path = world.state / "skips" / "000000000007.2.json"
    path.write_bytes(codec.encode("skip", 7, body))


def _memory_ahead(world: FileWorld) -> None:
    path = world.state / "inputs" / "lines" / "000000000099.json"
    path.write_bytes(codec.frame("memory", 99, b"whatever"))


def _positions_changed(world: FileWorld) -> None:
    world.sql("""UPDATE window_ledger SET positions = '{"lines": 0}'""")


def _plan_replaced(world: FileWorld) -> None:
    """A plan that is whole and was never logged."""
    path = world.plan(6)
    body = codec.decode(path.read_bytes(), kind="window", record_id=6, name=path.name)
    path.write_bytes(codec.encode("window", 6, {**body, "run": "another"}))


def _planned_early(world: FileWorld) -> None:
    """The newest plan, as if the clock had run backwards."""
    path = world.plan(7)
    body = codec.decode(path.read_bytes(), kind="window", record_id=7, name=path.name)
    body["planned_at"] = "2001-01-01T00:00:00.000000Z"
    path.write_bytes(codec.encode("window", 7, body))


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        (_skip_lost, "held window 7 with 1 skips, and the log has 0"),
        (_skip_renumbered, "skips beside window 7 are not all there"),
        (_skip_of_nothing, "names no part of its plan: b.txt@0"),
        (_memory_ahead, "remembers window 99, and the log ends at 7"),
        (_positions_changed, "names other positions for window 7"),
        (_plan_replaced, "window 7 does not follow the one before it"),
        (_planned_early, "window 7 was planned before window 6"),
    ],
)
def test_what_no_start_would_notice_is_found(
    damage: Callable[[FileWorld], None],
    finding: str,
    world: FileWorld,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Records that are whole and do not belong together."""
    damage(world)
    status, err = _verified(world, capsys)
    assert status == 1
    assert finding in err


def test_a_log_without_its_header_is_a_finding(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log cannot be opened: that is what is said."""
    shutil.rmtree(world.state / "headers")
    status, err = _verified(world, capsys)
    assert status == 1
    assert "its header is missing" in err


def test_a_header_that_the_first_window_does_not_follow_is_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A whole header of the same log id, which is not the one that the log began with."""
    world = FileWorld(tmp_path / "fresh")
    begin(world)
    path = world.state / "headers" / "000000000001.json"
    body = codec.decode(path.read_bytes(), kind="header", record_id=1, name=path.name)
    path.write_bytes(codec.encode("header", 1, {**body, "run": "another"}))
    status, err = _verified(world, capsys)
    assert status == 1
    assert "window 1 does not follow the one before it" in err
