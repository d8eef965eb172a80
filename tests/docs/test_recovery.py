"""docs/recovery.md names every row, every refusal and every command that a refusal prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS
from tests.windowed.all_cases import CASES
from tests.windowed.cases import Case
from tests.windowed.worlds import FileWorld
from windowed import Refused
from windowed.recovery import TABLE

TEXT = (DOCS / "recovery.md").read_text()
ONE_EACH = {case.row: case for case in CASES}.values()
SINK, INPUT = "SINK", "INPUT"
SHOWN = {"counts": SINK, "words": SINK, "more": SINK, "lines": INPUT, "extra": INPUT}
REFUSING = [row for row in TABLE if row.refusal is not None]


def _sections() -> dict[str, str]:
    """Heading -> what stands under it."""
    pieces = re.split(r"^#{2,3} (.*)\n", TEXT, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _heading(letter: str) -> str:
    kind = next(row.refusal for row in TABLE if row.letter == letter)
    assert kind is not None
    return f"{letter} ({kind.code}) {kind.__name__}"


def test_the_table_has_the_rows_of_the_code_in_their_order() -> None:
    """A, B, C … with the same refusals."""
    rows = re.findall(r"^\| ([A-Z]) \| .* \| (?:refuse `(\w+)`)?", TEXT, re.MULTILINE)
    expected = [(row.letter, row.refusal.__name__ if row.refusal else "") for row in TABLE]
    assert rows == expected


@pytest.mark.parametrize("letter", [row.letter for row in REFUSING])
def test_each_refusal_has_a_section_and_is_found_by_its_code(letter: str) -> None:
    """The first table leads to it."""
    heading = _heading(letter)
    assert heading in _sections()
    anchor = re.sub(r"[()]", "", heading).lower().replace(" ", "-")
    code = heading.split("(")[1].split(")")[0]
    assert re.search(rf"^\| {code} \| .* \| \[{letter}\]\(#{anchor}\) \|$", TEXT, re.MULTILINE)


@pytest.mark.parametrize("case", ONE_EACH, ids=lambda case: case.name)
def test_a_message_is_found_by_its_words(case: Case, tmp_path: Path) -> None:
    """The first table has them, with … for what differs from time to time."""
    world = FileWorld(tmp_path / "world")
    case.damage(world)
    with pytest.raises(Refused) as caught:
        world.run()
    said = re.search(rf"^\| {caught.value.code} \| (.*?) \|", TEXT, re.MULTILINE)
    assert said is not None
    versions = ["".join(map(_any_text, re.split("(…)", words))) for words in said[1].split("; ")]
    assert re.search("|".join(versions), str(caught.value))


def _any_text(piece: str) -> str:
    return ".*" if piece == "…" else re.escape(piece)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_printed_command_stands_in_its_section(case: Case) -> None:
    """With PIPELINE, SINK and INPUT in the place of names."""
    section = _sections()[_heading(case.row)]
    for words in case.choices:
        assert f"    python -m windowed {_as_shown(words)}" in section


def _as_shown(words: str) -> str:
    verb, rest = words.replace("--renamed-from counts", "--renamed-from OLD").split(" ", 1)
    return f"{verb} PIPELINE {re.sub(r'[a-z]+', lambda name: SHOWN.get(name[0], name[0]), rest)}"
