"""No input of a pipeline reads what the pipeline itself writes: it would feed itself for ever."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from connectors import FileInput
from jdbc_sink import JdbcSink
from tests.windowed.made import rows, same
from windowed import Pipeline
from windowed.testing import ListSink
from windowlog import WindowLog
from windowlog.errors import BadArgument


def _made(folder: Path, *, pattern: str = "*", **given: Any) -> Pipeline:
    arguments: dict[str, Any] = {"log": WindowLog.in_memory(), "sinks": {"out": ListSink()}}
    source = FileInput(folder, pattern=pattern)
    return Pipeline("made", inputs={"lines": source}, transform=same, **arguments | given)


@pytest.mark.parametrize("log", ["in", "in/state", "in/deep/state", "in/../in/state", "link/state"])
def test_a_log_that_the_input_would_read_is_refused(tmp_path: Path, log: str) -> None:
    """Also on another way to the same folder. Nothing was touched."""
    (tmp_path / "in").mkdir()
    (tmp_path / "link").symlink_to("in")
    with pytest.raises(BadArgument, match=r"log=.*input 'lines' does not read") as refused:
        _made(tmp_path / "in", log=tmp_path / log)
    assert "begins with _ or ." in str(refused.value)
    assert os.listdir(tmp_path / "in") == []


@pytest.mark.parametrize(
    ("log", "pattern"),
    [
        ("state", "*"),
        ("in.state", "*"),
        ("in/_state", "*"),
        ("in/.deep/state", "*"),
        ("in/state", "*.txt"),
        ("in/state", "logs/**/*.json"),
    ],
)
def test_a_log_that_the_input_leaves_alone_is_not(tmp_path: Path, log: str, pattern: str) -> None:
    """Beside it, hidden in it, or not of its pattern."""
    _made(tmp_path / "in", pattern=pattern, log=tmp_path / log)


@pytest.mark.parametrize("database", ["duckdb", "sqlite"])
@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        (("in/counts.db", None, "*"), True),
        (("in/counts.db", None, "*.txt"), False),
        (("counts.db", None, "*"), False),
        (("counts.db", "in/spool", "*"), True),
        (("counts.db", "in/_spool", "*"), False),
        ((":memory:", "in/spool", "*.parquet"), True),
        ((":memory:", None, "*"), False),
    ],
)
def test_nor_may_a_database_or_a_spool_lie_there(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    database: str,
    arguments: tuple[str, str | None, str],
    refused: bool,
) -> None:
    """A relative path is one from where the driver was started."""
    monkeypatch.chdir(tmp_path)
    file, spool, pattern = arguments
    sinks = {"out": JdbcSink(f"{database}:///{file}", table="t", spool=spool)}
    if not refused:
        _made(tmp_path / "in", pattern=pattern, sinks=sinks)
        return
    with pytest.raises(BadArgument, match=r"sinks\['out'\]=.*'lines' does not read"):
        _made(tmp_path / "in", pattern=pattern, sinks=sinks)


def test_what_says_nothing_of_its_files_is_let_through(tmp_path: Path) -> None:
    """The two methods are optional: inputs, sinks and logs of others work without."""
    source = rows(["a"])
    assert not hasattr(source, "reads")
    log = WindowLog(tmp_path / "state")
    Pipeline("made", inputs={"lines": source}, sinks={"out": ListSink()}, log=log)
