"""Who may import whom, and when."""

from __future__ import annotations

import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import PRODUCT, ROOT, Source, none_of, product

# Clients of the outside, and what only commands or tests need: they come when they are used.
LATE = {"pyspark", "duckdb", "duckdb_sqlalchemy", "sqlalchemy", "rich", "typer", "pytest"}
LATE |= {"hdfs", "kafka", "requests"}
# A JdbcSink is made of SQLAlchemy; who imports that room uses it.
LOADED_BY = {"jdbc_sink": {"sqlalchemy"}}
# What only a session with a JVM of its own has: Spark Connect has none of it.
CLASSIC_ONLY = ("_jvm", "_jsc", "_jdf", "_sc", "sparkContext", "rdd", "SparkContext")

# Arrows that no contract allows.
WRONG = [
    ("connectors", "jdbc_sink"),
    ("jdbc_sink", "windowed"),
    ("file_sink", "jdbc_sink"),
    ("windowed", "connectors"),
    ("windowlog", "windowed"),
    ("windowlog", "pyspark"),
]

LINTER = [str(Path(sys.executable).with_name("lint-imports"))]


def test_the_arrows_between_rooms_hold() -> None:
    """The contracts in setup.cfg, checked by import-linter."""
    done = subprocess.run(LINTER, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_arrow_the_wrong_way_is_found(tmp_path: Path) -> None:
    """The contracts see what they are for."""
    for name in (*PRODUCT, "samples"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "setup.cfg", tmp_path / "setup.cfg")
    for room, target in WRONG:
        (tmp_path / room / f"to_{target}.py").write_text(f"import {target}\n")
    done = subprocess.run(
        [*LINTER, "--no-cache"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    found = re.findall(r"^- +(\w+)\.to_\w+ -> (\w+) \(l\.1\)$", done.stdout, re.MULTILINE)
    assert sorted(set(found)) == sorted(WRONG)


@pytest.mark.parametrize("room", PRODUCT)
def test_importing_a_room_loads_no_client(room: str) -> None:
    """Neither Spark nor a database."""
    code = f"import sys, {room}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert room in loaded
    assert loaded & LATE == LOADED_BY.get(room, set())


@pytest.mark.soak
def test_every_module_can_be_imported_first(tmp_path: Path) -> None:
    """No module relies on another one having been loaded before it: no circles."""
    modules = [".".join(source.path.with_suffix("").parts) for source in product()]
    names = [m.removesuffix(".__init__") for m in modules if not m.endswith("__main__")]
    code = """
import importlib, os, sys
import hypothesis, pyarrow, pytest, rich.progress, sqlalchemy, typer  # once for all children
for name in sys.argv[1:]:
    child = os.fork()
    if not child:
        importlib.import_module(name)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(name)
"""
    compiled_once = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, "-c", code, *names],
        cwd=ROOT,
        env=os.environ | compiled_once,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_only_what_spark_connect_has_is_used() -> None:
    """The DataFrame API: no RDD, no SparkContext, nothing of the JVM behind it."""
    none_of([line for source in product() for line in _classic_only(source)])


def _classic_only(source: Source) -> list[str]:
    return [
        f"{source.path}:{node.lineno} {node.attr}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr in CLASSIC_ONLY
    ]


def test_the_check_for_connect_sees_what_it_is_for() -> None:
    """An attribute at any depth."""
    text = "def f(frame):\n    return frame.sparkSession._jvm.x, frame.rdd.map(1)\n"
    found = _classic_only(Source(Path("x.py"), text, ast.parse(text)))
    assert found == ["x.py:2 _jvm", "x.py:2 rdd"]


def test_rooms_have_no_folder_that_the_contracts_do_not_know() -> None:
    """A new top-level package is named in setup.cfg: packages, coverage, contracts."""
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    assert packages - {"samples", "benchmarks"} == set(PRODUCT)
    included = settings["options.packages.find"]["include"].split()
    assert included == [f"{name}*" for name in PRODUCT]
    assert settings["coverage:run"]["source"].split() == list(PRODUCT)
    assert settings["importlinter"]["root_packages"].split() == [*PRODUCT, "samples"]
