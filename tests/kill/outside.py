"""`python -m tests.kill.outside`: readers from outside look at a published folder all the time,
while the driver that fills it is killed at random moments."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from file_sink import FileSink
from tests.kill.plain_gear import Tell
from windowed import Listener, Pipeline
from windowed.testing import RowsInput
from windowlog.window import Window

READERS = ("duckdb", "pyarrow")
ROOT = Path(__file__).parents[2]
# After a run's first window; a window takes some 15 ms.
DELAY_MAX_S = 0.3
READER_TIMEOUT_S = 120
# Spark looks some three times a second: with it the driver waits so long after each window.
PAUSE_WITH_SPARK_S = 0.15


def run(root: Path, windows: int, readers: Sequence[str], rng: Random) -> tuple[int, list[Any]]:
    """How many kills there were until all windows were published, and what each reader saw."""
    over, kills = root / "over", 0
    pause_s = PAUSE_WITH_SPARK_S if "spark" in readers else 0.0
    with _looking(readers, root / "out", over) as looking:
        while _run_and_kill(root, windows, rng.uniform(0, DELAY_MAX_S) + pause_s, pause_s):
            kills += 1
        over.touch()
        return kills, [_told(reader) for reader in looking]


@contextmanager
def _looking(
    readers: Sequence[str], folder: Path, over: Path
) -> Iterator[list[subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "tests.kill.outside_reader"]
    looking = [
        subprocess.Popen(
            [*command, name, str(folder), str(over)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for name in readers
    ]
    try:
        for reader in looking:
            assert reader.stdout is not None, "piped"
            assert reader.stdout.readline() == "ready\n", "a reader did not start"
        yield looking
    finally:
        for reader in looking:
            reader.kill()
            reader.communicate()


def _told(reader: subprocess.Popen[str]) -> Any:
    told, _ = reader.communicate(timeout=READER_TIMEOUT_S)
    assert reader.returncode == 0, "a reader has seen what must never be seen"
    return json.loads(told)


class _Pause(Listener):
    def __init__(self, pause_s: float) -> None:
        self._pause_s = pause_s

    def committed(self, window: Window) -> None:
        time.sleep(self._pause_s)


def _run_and_kill(root: Path, windows: int, delay_s: float, pause_s: float) -> bool:
    """True if the driver was killed, False if it had nothing more to do."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            listeners = [Tell(writer), _Pause(pause_s)]
            _pipeline(root, windows).run(None, progress=False, listeners=listeners)
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
    time.sleep(delay_s)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0, "the driver ended by itself"
    return os.WIFSIGNALED(status)


def _pipeline(root: Path, windows: int) -> Pipeline:
    """Windows of some rows each, in several files."""
    rows = [
        [(mark, number, 5 + mark % 7) for number in range(5 + mark % 7)] for mark in range(windows)
    ]
    return Pipeline(
        "outside",
        inputs={"rows": RowsInput(rows, schema="mark bigint, number bigint, total bigint")},
        transform=lambda rows: rows,
        sinks={"out": FileSink(root / "out", max_records_per_file=3)},
        log=root / "state",
    )


def main() -> int:
    """Print what each reader saw; status 1 if it was not whole."""
    parser = argparse.ArgumentParser(prog="python -m tests.kill.outside", description=__doc__)
    parser.add_argument("--windows", type=int, default=200)
    parser.add_argument("--spark", action="store_true", help="Spark reads too")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    readers = (*READERS, "spark") if given.spark else READERS
    with tempfile.TemporaryDirectory(prefix="outside-") as folder:
        try:
            kills, told = run(Path(folder), given.windows, readers, Random(given.seed))
        except AssertionError as broken:
            print(f"seed {given.seed}: {broken}", flush=True)
            return 1
    print(f"{given.windows} windows, {kills} kills")
    for each in told:
        print(
            f"  {each['name']}: {each['looks']:,} looks, {each['different']:,} of them at another"
            f" state than before; always whole windows, once; {each['windows']:,} at the end"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
