"""README.md: its first example runs as it stands, and does what the text after it says."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.docs.blocks import DOCS

FIRST_SCREEN_LINES = 40
README = (DOCS.parent / "README.md").read_text()
PROGRAM = Path("counts.py")


def _block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def _type(line: str) -> None:
    """What the newcomer types; the program itself runs here, on the tests' own session."""
    command = line.partition("#")[0].strip()
    if command == f"python {PROGRAM}":
        runpy.run_path(str(PROGRAM), run_name="__main__")
    else:
        # An activated environment has its own Python first.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        subprocess.run(command, shell=True, check=True, env={**os.environ, "PATH": path})


def _counts() -> dict[str, int]:
    with duckdb.connect("counts.duckdb", read_only=True) as connection:
        return dict(connection.execute("SELECT word, count FROM word_counts").fetchall())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one, with the program in it."""
    monkeypatch.chdir(tmp_path)
    PROGRAM.write_text(_block("python"))
    return tmp_path


@pytest.mark.spark
@pytest.mark.usefixtures("spark", "folder")
def test_the_example_counts_and_then_only_what_is_new(capfd: pytest.CaptureFixture[str]) -> None:
    """Line by line, as it is typed: what was appended between two runs is neither lost nor all that
    is there."""
    lines = iter(_block("sh").splitlines())
    for line in lines:
        _type(line)
        if line.startswith("python"):
            break
    assert _counts() == {"to": 2, "be": 2, "or": 1, "not": 1}
    for line in lines:
        _type(line)
    assert _counts() == {"to": 3, "be": 3, "or": 1, "not": 2, "found": 1}
    assert "│ found" in capfd.readouterr().out


def test_a_command_that_imports_the_example_runs_nothing(folder: Path) -> None:
    """Nothing is made by looking."""
    command = [sys.executable, "-m", "windowed", "show", f"{PROGRAM}:pipeline"]
    environment = {**os.environ, "PYTHONPATH": str(DOCS.parent)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert "wordcount" in done.stdout, done.stdout + done.stderr
    assert [path.name for path in folder.iterdir() if path.suffix != ""] == [PROGRAM.name]


def test_the_first_screen_has_the_two_commands() -> None:
    """What it is in a few sentences, then what to type."""
    screen = README.splitlines()[:FIRST_SCREEN_LINES]
    assert "make wordcount" in "\n".join(screen)
    assert "make test" in "\n".join(screen)
