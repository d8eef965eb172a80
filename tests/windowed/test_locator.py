"""What the commands call a pipeline: every command that a program prints can be copied as it is."""

from __future__ import annotations

import os
import pickle
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from windowed import Refused
from windowlog.errors import KitError

JOB = """
from connectors import FileInput
from windowed import Pipeline
from windowed.testing.list_sink import ListSink

def build():
    return Pipeline("words", inputs={"lines": FileInput("in", quiet_s=0)},
                    sinks={"out": ListSink()}, transform=lambda lines: lines, log="state")
"""
RUN_TWICE = """
    from pathlib import Path
    Path("in").mkdir()
    Path("in/a b.txt").write_text("one\\ntwo\\n")
    pipeline.run(None, progress=False)
    Path("in/a b.txt").write_text("one\\n")
    pipeline.run(None, progress=False)
"""
AS_VARIABLE = f"{JOB}\npipeline = build()\nif __name__ == '__main__':{RUN_TWICE}"
IN_FUNCTION = f"{JOB}\ndef main():\n    pipeline = build(){RUN_TWICE}\nmain()\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the program runs; not where it lies."""
    (tmp_path / "my job.py").write_text(AS_VARIABLE)
    (tmp_path / "in_function.py").write_text(IN_FUNCTION)
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def _said(folder: Path, *words: str, stdin: str = "") -> list[str]:
    """What a program that fails says after its traceback."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr[done.stderr.index("was truncated") :].splitlines()


def test_a_command_that_an_input_prints_can_be_copied(folder: Path) -> None:
    """The input does not know what the pipeline is called, and the message does: the commands work
    as they are, each on a line of its own, and it says where to run them."""
    lines = _said(folder, "../my job.py")
    printed = [line.strip() for line in lines if "python -m" in line]
    locator = shlex.quote(f"{folder.parent / 'my job.py'}:pipeline")
    start = f"python -m windowed reset {locator} lines --to "
    assert printed == [f"{start}'a b.txt@0'", f"{start}'a b.txt@end'"]
    assert lines[-1] == f"Run them in {folder}, as this was: relative places are meant from there."
    done = subprocess.run(
        [sys.executable, *shlex.split(printed[1])[1:], "--apply"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    # A sink that is a list is empty in a new process: the kit rightly asks about that first.
    assert "a start is refused for another reason" in done.stderr


def test_a_pipeline_made_in_a_function_says_how_to_name_it(folder: Path) -> None:
    """No command can find it by itself: the message says what to write."""
    lines = _said(folder, "../in_function.py")
    assert "MODULE:PIPELINE" in "".join(line for line in lines if "python -m" in line)
    assert lines[-1].startswith("MODULE:PIPELINE: this pipeline is no variable of a module.")
    assert "Pipeline(..., locator=" in lines[-1]


@pytest.mark.parametrize("words", [("-",), ("-c", AS_VARIABLE)])
def test_a_program_in_no_file_says_so(folder: Path, words: tuple[str, ...]) -> None:
    """Typed, piped or in a notebook: there is nothing that a command could import."""
    lines = _said(folder, *words, stdin=AS_VARIABLE)
    assert not any("<stdin>" in line or "<string>" in line for line in lines)
    assert lines[-1].startswith("MODULE:PIPELINE: this program is in no file")


@pytest.mark.parametrize("kind", [KitError, Refused])
def test_an_error_keeps_its_commands_and_their_name_when_pickled(kind: type[KitError]) -> None:
    """Into another process and back; who knows first what the pipeline is called is right."""
    values = {"pipeline": "p", "reason": "r"}
    error = kind(choices=[("why", "python -m windowed show MODULE:PIPELINE")], **values)
    error.call_pipeline("my job.py:p", "Run them here.")
    error.call_pipeline("other:p", "Run them there.")
    assert "python -m windowed show 'my job.py:p'\n" in str(error)
    assert str(error).endswith("Run them here.")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
