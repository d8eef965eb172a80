"""What is installed: the wheel, in an environment of its own, used from another folder."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.architecture.source import PRODUCT, ROOT, files
from tests.machine import need_java

# A user of an Apache-2.0 package may take these in without further duties but naming them.
ALLOWED = re.compile(r"\b(apache|mit|bsd|isc|psf|python software foundation)\b", re.IGNORECASE)

SCRIPT = """
from pathlib import Path

from connectors import FileInput
from jdbc_sink import JdbcSink, append
from pyspark.sql import SparkSession
from windowed import Pipeline, drained

Path("in").mkdir(exist_ok=True)
Path("in/a.txt").write_text("one line\\nand another\\n")
pipeline = Pipeline(
    "elsewhere",
    inputs={"lines": FileInput("in/", format="lines")},
    transform=lambda lines: lines.select("value"),
    sinks={"rows": JdbcSink("duckdb:///rows.duckdb", table="rows", mode=append())},
    log="state",
)
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
print(pipeline.run(spark, until=drained()))
import windowlog
print(windowlog.__file__)
"""


# A project of a user's own: what docs/testing_your_pipeline.md promises, without a conftest.py.
TEST = """
import sys

EARLY = {"pyspark", "duckdb"} & set(sys.modules)


def test_that_fixtures_import_nothing_before_they_are_used():
    assert EARLY == set()


def test_words_add_up(windowed_spark, windowed_duckdb, windowed_log):
    from jdbc_sink import JdbcSink, accumulate
    from windowed import Pipeline
    from windowed.testing import RowsInput

    pipeline = Pipeline(
        "counts",
        inputs={"words": RowsInput([[("a", 1)], [("a", 2)]], schema="word string, n bigint")},
        transform=lambda words: words.groupBy("word").agg({"n": "sum"}).toDF("word", "n"),
        sinks={"n": JdbcSink(windowed_duckdb, table="n", mode=accumulate(["word"], add=["n"]))},
        log=windowed_log,
    )
    pipeline.run(windowed_spark, progress=False)
    assert windowed_duckdb.execute("FROM n").fetchall() == [("a", 3)]
    assert windowed_log.is_dir()


def test_what_runs_in_executors_is_sent_there(windowed_spark, windowed_duckdb, tmp_path):
    from connectors import FileInput
    from jdbc_sink import JdbcSink
    from windowed import Pipeline

    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("one\\ntwo\\n")
    pipeline = Pipeline(
        "executors",
        inputs={"lines": FileInput(tmp_path / "in", reader="executors", quiet_s=0)},
        transform=lambda lines: lines,
        sinks={"rows": JdbcSink(windowed_duckdb, table="n", load="executors")},
        log=tmp_path / "log",
    )
    pipeline.run(windowed_spark, progress=False)
    rows = windowed_duckdb.execute("SELECT value, path FROM n ORDER BY 1").fetchall()
    assert rows == [("one", "a.txt"), ("two", "a.txt")]


def test_that_the_next_test_has_its_own(windowed_duckdb, windowed_log):
    assert windowed_duckdb.execute("SHOW TABLES").fetchall() == []
    assert not windowed_log.exists()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what is in the project, so that nothing is left in it."""
    home = tmp_path_factory.mktemp("wheel")
    for path in files():
        (home / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, home / "source" / path)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(home)]
    done = subprocess.run(
        [*command, str(home / "source")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = home.glob("*.whl")
    return built


def test_the_wheel_has_the_packages_and_nothing_else(wheel: Path) -> None:
    """Every module and py.typed; no tests, samples or benchmarks."""
    assert wheel.name.startswith("windowed_connectors-")
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    ours = {
        str(path)
        for path in files()
        if path.parts[0] in PRODUCT and (path.suffix == ".py" or path.name == "py.typed")
    }
    assert inside == ours
    assert {name.rpartition("/")[2] for name in names if "/licenses/" in name} == {"LICENSE"}


def test_the_metadata_says_what_a_user_needs(wheel: Path) -> None:
    """Name, licence, Python, and README as the description."""
    archive = zipfile.ZipFile(wheel)
    [name] = [name for name in archive.namelist() if name.endswith("/METADATA")]
    text = archive.read(name).decode()
    assert "\nName: windowed-connectors\n" in text
    assert re.search(r"^License(-Expression)?: Apache-2.0$", text, re.MULTILINE)
    assert "\nRequires-Python: >=3.11\n" in text
    assert "\nProvides-Extra: testing\n" in text
    assert "make wordcount" in text


def _run(command: list[str], where: Path) -> str:
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.spark
def test_a_script_in_another_folder_runs_with_it(wheel: Path, tmp_path: Path) -> None:
    """In an empty environment. The dependencies come from this one: they are large."""
    need_java()
    _use(wheel, tmp_path, "--no-deps")


@pytest.mark.spark
@pytest.mark.soak
def test_it_installs_with_all_that_it_needs(wheel: Path, tmp_path: Path) -> None:
    """Its own list of dependencies is complete: nothing is borrowed."""
    need_java()
    _use(wheel, tmp_path)


def _use(wheel: Path, home: Path, *options: str) -> None:
    # It has no pip of its own, which would take as long as all the rest: this one's fills it.
    venv.create(home / "env", with_pip=False)
    python = home / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    _run([*pip, "install", "--quiet", *options, f"{wheel}[testing]"], home)
    if options:
        here = _run([sys.executable, "-c", "import duckdb; print(duckdb.__path__[0])"], home)
        [packages] = (home / "env" / "lib").glob("python*/site-packages")
        (packages / "here.pth").write_text(f"{Path(here.strip()).parent}\n")
    (home / "elsewhere").mkdir()
    (home / "elsewhere" / "script.py").write_text(SCRIPT)
    said = _run([str(python), "-I", "script.py"], home / "elsewhere")
    assert "elsewhere: window 1 in" in said
    assert said.splitlines()[-1].startswith(str(home / "env"))
    _test_a_project(python, home / "project")


def _test_a_project(python: Path, project: Path) -> None:
    project.mkdir()
    (project / "test_words.py").write_text(TEST)
    said = _run([str(python), "-I", "-m", "pytest", "-q", "-p", "no:cacheprovider"], project)
    assert "4 passed" in said


def test_licences_of_dependencies_allow_what_ours_allows() -> None:
    """All that comes with the package; tools for developing it apart."""
    needed = _needed("windowed-connectors")
    assert {"pyspark", "py4j", "pyarrow", "duckdb", "sqlalchemy"} <= needed
    licences = {name: _licence(name) for name in sorted(needed)}
    assert {name: text for name, text in licences.items() if not ALLOWED.search(text)} == {}


def _needed(name: str, known: frozenset[str] = frozenset()) -> set[str]:
    """Everything that is installed with it, without extras."""
    found: set[str] = set()
    for text in importlib.metadata.requires(name) or []:
        requirement = Requirement(text)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        key = requirement.name.lower().replace("_", "-")
        if wanted and key not in known | found:
            found |= {key} | _needed(requirement.name, known | found | {key})
    return found


def _licence(name: str) -> str:
    about = importlib.metadata.metadata(name)
    fields = ("License-Expression", "License", "Classifier")
    values = [value for field in fields for value in about.get_all(field) or []]
    # Some put the whole text into the field; its first line names it.
    lines = [value.splitlines()[0] for value in values if value]
    return " ".join(line for line in lines if "::" not in line or line.startswith("License"))
