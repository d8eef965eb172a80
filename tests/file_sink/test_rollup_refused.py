"""Where files cannot be joined: said by name, as early as it is known."""

from __future__ import annotations

import errno
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from file_sink import FileSink, renaming
from file_sink.errors import RollUpRefused
from file_sink.local_tree import LocalTree
from tests.file_sink.bench import Bench, words
from tests.file_sink.readers import rows_by_pyarrow
from tests.file_sink.test_rollup import filled, roll_up, rows
from windowlog.errors import BadArgument, StorageFailed


def test_avro_and_other_line_ends_are_refused(tmp_path: Path) -> None:
    """By name, by the command and on construction."""
    for arguments in ({"format": "avro"}, {"format": "csv", "options": {"lineSep": ";"}}):
        bench = Bench(tmp_path / str(arguments["format"]), **arguments)
        with pytest.raises(RollUpRefused, match=r"avro|lineSep"):
            bench.sink.roll_up()
        with pytest.raises(BadArgument, match=r"avro|lineSep"):
            Bench(tmp_path / "x", rollup=10, **arguments)


@pytest.mark.parametrize("value", [0, 1, -1, 2.5, True, "10"])
def test_rollup_is_a_number_of_windows(tmp_path: Path, value: Any) -> None:
    """From 2."""
    with pytest.raises(BadArgument, match="rollup"):
        Bench(tmp_path / "out", rollup=value)


def test_hdfs_is_refused(tmp_path: Path) -> None:
    """It has neither links nor an exchange: on construction, before anybody is asked."""
    with pytest.raises(BadArgument, match="cannot exchange two folders"):
        FileSink("hdfs://namenode:8020/out", rollup=10)


class Plain:
    """A tree that knows no exchange."""

    def __init__(self) -> None:
        self._inner = LocalTree()

    def __getattr__(self, name: str) -> Any:
        if name in ("exchange", "link", "like", "cannot_exchange", "apart"):
            raise AttributeError(name)
        return getattr(self._inner, name)


def test_a_tree_without_exchange_is_refused_by_the_command(tmp_path: Path) -> None:
    """As HDFS is: all else goes on."""
    bench = filled(tmp_path / "out", 3, storage=Plain())
    with pytest.raises(RollUpRefused, match="cannot exchange two folders"):
        bench.sink.roll_up()
    bench.publish(words(("w1", 4)))
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)


def test_a_file_system_without_exchange_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is read or written; with `rollup=` before the first window."""
    bench = filled(tmp_path / "out", 3)
    before = bench.published()
    monkeypatch.setattr(renaming, "_RENAMEAT2", None)
    with pytest.raises(RollUpRefused, match="exchang"):
        roll_up(bench)
    assert bench.published() == before
    assert [path for path in bench.staging() if "rolled" in path or "staged" in path] == []
    with pytest.raises(RollUpRefused, match="exchang"):
        filled(tmp_path / "other", 1, rollup=2)


@pytest.mark.parametrize("call", ["link", "mkdir", "open"])
def test_a_full_disk_is_not_taken_for_a_file_system_that_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """Passing, so that a run that goes on for ever tries again; with room again all is well."""
    made, bench = getattr(os, call), filled(tmp_path / "out", 3)
    bench.arguments = {"rollup": 2}
    bench.die()

    def full(path: Any, *more: Any, **options: Any) -> Any:
        if str(path).endswith(("/one", "/one/file")):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return made(path, *more, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(StorageFailed, match="No space left"):
            bench.sink.prepare(words().schema)
        with pytest.raises(StorageFailed, match="No space left"):
            roll_up(bench)
    assert [path for path in bench.staging() if "rolled" in path or "staged" in path] == []
    roll_up(bench)
    bench.publish(words(("w1", 4)))
    assert Counter(rows_by_pyarrow(bench.path)) == rows(4)
