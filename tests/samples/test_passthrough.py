"""Lines in, the same lines out, byte by byte, while the copying is killed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from samples.passthrough import build, written
from samples.passthrough.__main__ import Demo

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Line ends only: a lone \r or none at the end would not come back.
TEXT = "one\n\n  two three \nna\u00efve \u212a\n,\"'\\\n" * 500 + "the last\n"


@pytest.mark.kill
def test_after_each_kill_the_output_is_a_beginning_of_the_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Strictly, and in the end all of it."""
    # So many that no machine is through with them before the kill.
    monkeypatch.setattr("samples.passthrough.__main__.LINES_A_KILL", 20_000)
    demo = Demo(tmp_path, random.Random(2))
    assert demo.run(kills=2) == 0
    said = capsys.readouterr().out
    assert "kill 1: " in said
    assert (tmp_path / "in" / "lines.txt").read_bytes() == written(tmp_path / "out")


def test_other_bytes_are_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines in another order have the same length."""
    demo = Demo(tmp_path, random.Random(2))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "lines.txt").write_text("a\nb\n")
    window = tmp_path / "out" / "window_id=00000001"
    window.mkdir(parents=True)
    (window / "part-00000001-00000-000.txt").write_text("b\na\n")
    assert not demo._compare("by hand")
    assert "NOT THOSE" in capsys.readouterr().out


@pytest.mark.spark
@pytest.mark.parametrize("on_spark", [False, True], ids=["plain", "spark"])
def test_lines_come_out_as_they_went_in(
    tmp_path: Path, spark: SparkSession, on_spark: bool
) -> None:
    """In several windows, with and without Spark."""
    places = [str(tmp_path / name) for name in ("in", "out", "state")]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "lines.txt").write_bytes(TEXT.encode())
    pipeline = build(places[0], places[1], places[2], window_bytes=5_000)
    pipeline.run(spark if on_spark else None, progress=False)
    assert written(tmp_path / "out") == TEXT.encode()
    assert len(list((tmp_path / "out").iterdir())) > 2
