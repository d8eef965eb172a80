"""Each argument of FileInput: what is refused, and what is allowed at the edge."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from connectors import FileInput
from connectors.files.input import FOLD_EVERY
from tests.connectors.files.world import World
from windowed.testing.input_run import InputRun
from windowlog.errors import BadArgument

WRONG = [
    ("path", ""),
    ("path", None),
    ("path", 7),
    ("path", "a\0b"),
    ("path", "file:relative"),
    ("path", "file://host/share"),
    ("path", "s3a://bucket/in"),
    ("format", "csv"),
    ("format", None),
    ("pattern", ""),
    ("pattern", None),
    ("pattern", "/absolute"),
    ("pattern", "[a"),
    ("pattern", "{a"),
    ("pattern", "a}"),
    ("max_bytes_per_window", 0),
    ("max_bytes_per_window", 64 * 2**30 + 1),
    ("max_bytes_per_window", 1.0),
    ("max_bytes_per_window", True),
    ("max_bytes_per_window", None),
    ("max_files_per_window", 0),
    ("max_files_per_window", 10_001),
    ("max_files_per_window", "10"),
    ("quiet_s", -0.1),
    ("quiet_s", 86_400.1),
    ("quiet_s", float("nan")),
    ("quiet_s", float("inf")),
    ("quiet_s", "2"),
    ("quiet_s", True),
    ("last_line", "drop"),
    ("last_line", True),
    ("reader", "spark"),
    ("reader", None),
]


@pytest.mark.parametrize(("argument", "value"), WRONG, ids=[f"{a}={v!r}" for a, v in WRONG])
def test_a_wrong_argument_is_refused_by_name(argument: str, value: Any) -> None:
    """On construction, with the value and with what is allowed; the folder is not looked at."""
    arguments = {"path": "in", argument: value}
    with pytest.raises(BadArgument) as caught:
        FileInput(**arguments)
    assert f"{argument}={value!r} is not possible: " in str(caught.value)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("max_bytes_per_window", 1),
        ("max_bytes_per_window", 64 * 2**30),
        ("max_files_per_window", 1),
        ("max_files_per_window", 10_000),
        ("quiet_s", 0),
        ("quiet_s", 86_400),
        ("last_line", "take"),
        ("last_line", "wait"),
        ("reader", "auto"),
        ("reader", "driver"),
        ("reader", "executors"),
    ],
)
def test_what_is_allowed_at_the_edge_is_taken(argument: str, value: Any) -> None:
    """The limits themselves are inside."""
    arguments = {"path": "in", argument: value}
    assert FileInput(**arguments).identity().kind == "files/lines"


@pytest.mark.parametrize(
    "path",
    ["/data/in", "file:/data/in", "file:///data/in", "file://localhost/data/in", b"/data/in"],
)
def test_a_folder_has_one_name_however_it_is_written(path: Any) -> None:
    """The log would take another spelling for another place."""
    assert FileInput(path).identity().place == "/data/in"
    assert FileInput(Path("/data/x/../in/")).identity().place == "/data/in"


def test_a_relative_folder_is_one_of_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the input is made: a later change of folder does not move it."""
    monkeypatch.chdir(tmp_path)
    source = FileInput("in")
    monkeypatch.chdir("/")
    assert source.identity().place == os.path.join(tmp_path, "in")


def test_executors_need_spark(tmp_path: Path) -> None:
    """A pipeline without Spark says so when it opens, and not at its first large window."""
    run = InputRun(lambda: FileInput(tmp_path, reader="executors"))
    with pytest.raises(BadArgument, match="without Spark"):
        run.start()


def test_the_index_is_folded_every_so_many_windows(tmp_path: Path) -> None:
    """Neither with each window, which costs two syncs, nor only at the end: plans would pile up."""
    run = InputRun(lambda: FileInput(tmp_path, max_bytes_per_window=1)).start()
    (tmp_path / "a.txt").write_text("\n" * (FOLD_EVERY + 1))
    for _ in range(FOLD_EVERY - 1):
        run.window()
    assert run.input.folded() is None
    run.window()
    assert run.input.folded() == FOLD_EVERY
    run.window()
    assert run.input.folded() == FOLD_EVERY


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("b.txt@beginning", "b.txt is none"),
        ("b.txt@0", "b.txt is none"),
        ("a.txt@half", "PATH@OFFSET"),
        ("@end", "PATH@OFFSET"),
        ("a.txt", "PATH@OFFSET"),
    ],
)
def test_a_reset_to_a_place_that_is_none_says_what_is_wrong(
    any_world: World, to: str, said: str
) -> None:
    """A file that is not there, or no place at all."""
    any_world.write("a.txt", "one\n")
    any_world.run.drain()
    with pytest.raises(BadArgument, match=said):
        any_world.run.reset(to)
