"""The demonstration: killed until it has finished, then compared."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from samples.wordcount.demo import Demo
from tests.machine import need_java

ROOT = Path(__file__).parents[2]


@pytest.mark.spark
@pytest.mark.kill
def test_killed_at_random_moments_the_counts_are_equal(tmp_path: Path) -> None:
    """With at least one window interrupted, and nothing left running."""
    need_java()
    for number in range(4):
        (tmp_path / f"{number}.py").write_text(f"word_{number} = word\n" * 5_000)
    command = [sys.executable, "-m", "samples.wordcount.demo", str(tmp_path), "--seed", "336"]
    done = subprocess.run(
        # With this seed the first kill comes 0.02 s after the second window, of four: one for each
        # file. The next run is left two of them, and most often comes to its end.
        [*command, "--window-bytes", "70000"],
        cwd=ROOT, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kill 1: SIGKILL" in done.stdout
    assert "the independent count is equal" in done.stdout
    assert "--seed 336" in done.stdout
    # What a JVM says whose driver was killed is no concern of the reader's.
    assert done.stderr == ""


def test_a_word_count_that_fails_by_itself_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had said, with its status."""
    demo = Demo(folder=tmp_path, home=tmp_path, window_bytes=1000, rng=random.Random(1))
    command = [sys.executable, "-c", "import sys; sys.exit('no room left')"]
    monkeypatch.setattr(demo, "_command", lambda: command)
    with pytest.raises(SystemExit, match="with status 1; it said:\nno room left"):
        demo.run()


def test_a_difference_is_shown_and_is_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Word by word."""
    (tmp_path / "a.py").write_text("one two two\n")
    demo = Demo(folder=tmp_path, home=tmp_path, window_bytes=1000, rng=random.Random(1))
    monkeypatch.setattr(demo, "_run_and_kill", lambda: False)
    monkeypatch.setattr(demo, "_ask", lambda query: [("one", 1), ("two", 3), ("three", 1)])
    assert demo.run() == 1
    said = capsys.readouterr().out
    assert "DIFFERENT" in said
    assert "two: 3 instead of 2" in said
    assert "three: 1 instead of 0" in said
    assert "one:" not in said
