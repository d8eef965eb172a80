"""`show`: positions and windows, of a pipeline that runs and of one that is refused; nothing
changes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.windowed.all_cases import CASES
from tests.windowed.cases import LINES, Case, begin
from tests.windowed.worlds import FileWorld, command


@pytest.fixture
def world(tmp_path: Path) -> FileWorld:
    """An empty world."""
    return FileWorld(tmp_path / "world")


def _json(world: FileWorld, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    capsys.readouterr()
    status = command("show", world.locator, "--json", *options)
    seen: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert status == (3 if seen["start"]["choices"] else 0)
    return seen


def test_before_the_first_start_nothing_is_there_and_nothing_comes_to_be(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither log nor database is created by looking for them."""
    world.write(*LINES)
    before = world.bytes()
    seen = _json(world, capsys)
    assert seen["start"]["text"] == "begins with window 1"
    assert (seen["log"]["id"], seen["log"]["newest"], seen["windows"]) == (None, 0, [])
    assert (seen["sinks"][0]["window"], seen["sinks"][0]["exists"]) == (None, False)
    capsys.readouterr()
    assert command("show", world.locator) == 0
    assert f"There is no log in {world.state} yet. Commands look from" in capsys.readouterr().out
    assert world.bytes() == before


def test_json_says_where_log_inputs_and_sinks_stand(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five lines, five windows: each number is known beforehand."""
    begin(world)
    before = world.bytes()
    seen = _json(world, capsys, "--windows", "2")
    assert seen["pipeline"] == "words"
    start = {"row": "F", "answer": "plan", "text": "goes on with window 6", "choices": []}
    assert seen["start"] == start
    log = dict(seen["log"])
    assert len(log.pop("id")) == 36
    assert log == {
        "where": str(world.state),
        "first": 1,
        "mark": 1,
        "oldest": 1,
        "newest": 5,
        "torn": None,
        "damaged": [],
    }
    size = sum(len(line) + 1 for line in LINES)
    assert seen["inputs"] == [
        {
            "name": "lines",
            "kind": "files/lines",
            "place": str(world.folder("in")),
            "position": {"files": 1, "bytes": size},
            "standing": None,
            "memory": 5,
        }
    ]
    sink = seen["sinks"][0]
    assert (sink["name"], sink["window"], sink["target"]) == ("counts", 5, "table word_counts")
    assert sink["where"] == f"table word_counts in {world.database}"
    assert (sink["log"], sink["exists"]) == (seen["log"]["id"], True)
    assert [window["id"] for window in seen["windows"]] == [5, 4]
    plan = {"lines": {"parts": 1, "bytes": len(LINES[4]) + 1, "records": None}}
    assert seen["windows"][0]["plans"] == plan
    assert world.bytes() == before


def test_the_tables_hold_the_same_as_text(
    world: FileWorld, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a person reads: one table each for log, inputs, sinks and windows, 80 columns wide where
    nobody says how many there are."""
    monkeypatch.delenv("COLUMNS", raising=False)
    begin(world)
    capsys.readouterr()
    assert command("show", world.locator) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for text in ("goes on with window 6", "log", "inputs", "sinks", "newest windows"):
        assert text in out
    for text in ("table word_counts", f"{len(LINES[0]) + 1} bytes", "files/lines"):
        assert text in out
    for text in ("of log", "skips", "torn", "damaged"):
        assert text not in out
    assert re.search(r" \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC ", out)


def test_brackets_in_a_path_are_no_markup(
    world: FileWorld, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder called [bold] is shown as it is called."""
    # However long the path of the test's folder is, it is not folded.
    monkeypatch.setenv("COLUMNS", "1000")
    world.folder("[bold]").mkdir()
    world.wiring["inputs"]["lines"] = "[bold]"
    assert command("show", world.locator) == 0
    assert "[bold]" in capsys.readouterr().out.replace("\n", "").replace(" ", "")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_refused_start_is_shown_with_its_choices(
    case: Case, world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """`show` works where a start would not, says which refusal, and changes nothing."""
    case.damage(world)
    before = world.bytes()
    start = _json(world, capsys)["start"]
    assert (start["row"], start["answer"]) == (case.row, case.refusal.__name__)
    commands = [choice["command"] for choice in start["choices"] if choice["command"]]
    assert len(commands) == len(case.choices)
    assert command("show", world.locator) == 3
    out = capsys.readouterr().out
    assert f"is refused ({case.refusal.__name__})" in out
    for text in commands:
        assert f"      {text}\n" in out
    assert world.bytes() == before


def test_a_damaged_window_is_shown_as_damaged(
    world: FileWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are still shown."""
    begin(world)
    world.flip(world.plan(3))
    windows = {window["id"]: window for window in _json(world, capsys)["windows"]}
    assert "damaged" in windows.pop(3)
    assert [windows[window_id]["plans"]["lines"]["parts"] for window_id in (5, 4, 2, 1)] == [1] * 4
    assert command("show", world.locator) == 0
    assert "damaged" in capsys.readouterr().out
