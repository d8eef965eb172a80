"""Locators: what names a pipeline, what does not, and how a person is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.windowed.worlds import command
from windowed.commands.locate import locate
from windowed.errors import NotLocated
from windowed.run_checks import check_may_run
from windowlog.errors import BadArgument

JOB = """
from windowed import Pipeline
from windowed.testing.list_sink import ListSink
from windowed.testing.rows import RowsInput
from helper import NAME

def build(name=NAME, *, keep=0):
    return Pipeline(name, inputs={"rows": RowsInput([], schema="n long")}, sinks={"s": ListSink()},
                    log="state", keep=keep)

pipeline = build("variable")
number = 7

def broken():
    raise RuntimeError("no such luck")
"""


RUNNABLE = JOB.replace('log="state"', 'log="state", transform=lambda rows: rows')


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job's file with a module beside it, in a folder below the current one."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "jobs"
    folder.mkdir()
    (folder / "helper.py").write_text("NAME = 'from_helper'\n")
    (folder / "json.py").write_text(JOB)
    return folder / "json.py"


@pytest.mark.parametrize(
    ("words", "name", "keep"),
    [
        ("pipeline", "variable", 0),
        ("build()", "from_helper", 0),
        ("build('given')", "given", 0),
        ("build(name='x:y', keep=3)", "x:y", 3),
    ],
)
def test_a_variable_or_a_function_with_literals(
    job: Path, words: str, name: str, keep: int
) -> None:
    """A name after the colon, or a call of it."""
    found = locate(f"jobs/json.py:{words}")
    assert (found.name, found.keep) == (name, keep)


def test_what_the_pipeline_itself_refuses_passes_through(job: Path) -> None:
    """A wrong argument is told as the pipeline tells it."""
    with pytest.raises(BadArgument, match="keep=-1 is not possible"):
        locate(f"{job}:build('n', keep=-1)")


def test_a_file_does_not_hide_a_module_of_its_name(job: Path) -> None:
    """A job called json.py leaves the standard module alone."""
    before = sys.modules.get("json")
    locate(f"{job}:pipeline")
    assert sys.modules.get("json") is before


def test_a_module_is_found_from_the_current_folder(job: Path) -> None:
    """As `python -m` would find it."""
    job.parent.joinpath("named.py").write_text(JOB.replace("from helper", "from jobs.helper"))
    assert locate("jobs.named:pipeline").name == "variable"


@pytest.mark.parametrize(
    ("locator", "reason"),
    [
        ("jobs/json.py", "a colon between them"),
        (":pipeline", "a colon between them"),
        ("jobs/json.py:", "a colon between them"),
        ("jobs/none.py:pipeline", "there is no file"),
        ("nowhere.at_all:pipeline", "cannot be imported (ModuleNotFoundError"),
        ("jobs/json.py:nothing", "has no nothing"),
        ("jobs/json.py:number", "number is of type int"),
        ("jobs/json.py:number()", "cannot be called"),
        ("jobs/json.py:build", "is not called: write 'jobs/json.py:build()', with literal"),
        ("jobs/json.py:broken()", "broken raised RuntimeError: no such luck"),
        ("jobs/json.py:build(1, 2, 3)", "build raised TypeError"),
        ("jobs/json.py:build(open('x'))", "neither a name nor a call with literal arguments"),
        ("jobs/json.py:build(*[1])", "neither a name nor a call with literal arguments"),
        ("jobs/json.py:build(**{})", "neither a name nor a call with literal arguments"),
        ("jobs/json.py:__import__('os').system('x')", "neither a name nor a call"),
        ("jobs/json.py:pipeline.parts", "neither a name nor a call with literal arguments"),
        ("jobs/json.py:build(", "neither a name nor a call with literal arguments"),
    ],
)
def test_what_names_no_pipeline_says_why(
    job: Path, locator: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, with status 1, and without a traceback."""
    assert command("show", locator) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert reason in err
    assert "Traceback" not in err


def test_a_module_that_ends_the_process_names_no_pipeline(job: Path) -> None:
    """A script without a guard may call sys.exit while it is imported."""
    job.write_text("import sys\nsys.exit(0)\n")
    with pytest.raises(NotLocated, match=r"SystemExit: 0\); what only a run .* belongs under"):
        locate(f"{job}:pipeline")


def test_a_password_in_a_locator_is_not_repeated(job: Path) -> None:
    """Neither from the words nor from what the function says."""
    with pytest.raises(NotLocated) as caught:
        locate(f"{job}:nothing('db://me:geheim@host/x')")
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        ("pipeline.run(None)", "pipeline"),
        ("pipeline.start(None).wait()", "pipeline"),
        ("with pipeline.open(None) as run: run.next()", "pipeline"),
        ("def build(): return pipeline.run(None)", "build()"),
    ],
)
def test_a_module_that_runs_its_pipeline_when_imported_is_only_looked_at(
    run: str, name: str, job: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says so, and nothing was run; the pipeline itself may run afterwards."""
    job.with_name("runs.py").write_text(RUNNABLE + f"\n{run}\n")
    before = sorted(Path().rglob("*.json"))
    assert command("show", f"jobs/runs.py:{name}") == 1
    err = capsys.readouterr().err
    assert "is run by its module while a command imports it" in err
    assert "Traceback" not in err
    assert sorted(Path().rglob("*.json")) == before
    check_may_run("any")


def test_errors_of_the_outside_are_one_line(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log that is a file, not a folder: said by the storage, shown without a traceback. `show`
    shows that a start is refused; what is to be done fails."""
    Path("state").write_text("not a folder")
    assert command("show", f"{job}:pipeline") == 3
    shown = capsys.readouterr()
    assert "state" in shown.out
    assert command("verify", f"{job}:pipeline") == 1
    told = capsys.readouterr()
    assert "state" in told.err
    assert "Traceback" not in shown.out + shown.err + told.err


def test_a_command_in_another_folder_says_what_it_looked_at(
    job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pipeline's log is relative: here there is another one, and the command is refused."""
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    assert command("adopt", f"{job}:pipeline", "s", "--from", "now") == 1
    err = capsys.readouterr().err
    assert "a start does not refuse sink s" in err
    assert f"Looked at were the log {other / 'state'}" in err


def test_python_m_windowed_is_this(job: Path) -> None:
    """The command as a person types it, in another folder; statuses 0, 1 and 2."""
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root}

    def run(*words: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "windowed", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    status, out, err = run("show", "jobs/json.py:build('typed')")
    assert (status, err) == (0, "")
    assert "Pipeline typed: a start begins with window 1" in out
    assert run("show", "jobs/json.py:nothing")[:2] == (1, "")
    assert run("shwo", "jobs/json.py:pipeline")[0] == 2
