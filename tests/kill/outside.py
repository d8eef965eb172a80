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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from file_sink import FileSink, sweeping
from tests.kill import outside_reader
from tests.kill.plain_gear import Tell
from windowed import Listener, Pipeline
from windowed.testing import RowsInput
from windowlog.window import Window

READERS = ("duckdb", "pyarrow")
ROOT = Path(__file__).parents[2]
# After a run's first window; a window takes some 15 ms.
DELAY_MAX_S = 0.3
READER_TIMEOUT_S = 120
# Spark looks three times a second at most: with it the driver waits after each window until it has
# looked once more, or so long.
LOOK_S_MAX = 5
# No reader takes as long to list these few folders, and roll-ups come often enough.
LISTING_S = 2.0
DELAY_WITH_SPARK_MAX_S = 1.5


def run(
    root: Path, windows: int, readers: Sequence[str], rng: Random, rollup: int | None = None
) -> tuple[int, list[Any]]:
    """How many kills there were until all windows were published, and what each reader saw."""
    over, kills = root / "over", 0
    looked = outside_reader.looked(over, "spark") if "spark" in readers else None
    delay_max_s = DELAY_MAX_S if looked is None else DELAY_WITH_SPARK_MAX_S
    with _looking(readers, root / "out", over) as looking:
        sink = partial(
            FileSink, root / "out", max_records_per_file=None if rollup else 3, rollup=rollup
        )
        while _run_and_kill(
            lambda: _pipeline(root, windows, sink()), rng.uniform(0, delay_max_s), looked
        ):
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
    """Until the slow reader has looked once more."""

    def __init__(self, looked: Path) -> None:
        self._looked = looked

    def committed(self, window: Window) -> None:
        before, limit_s = self._mark(), time.monotonic() + LOOK_S_MAX
        while self._mark() == before and time.monotonic() < limit_s:
            time.sleep(0.01)

    def _mark(self) -> int:
        return self._looked.stat().st_mtime_ns if self._looked.exists() else 0


def _run_and_kill(pipeline: Callable[[], Pipeline], delay_s: float, looked: Path | None) -> bool:
    """True if the driver was killed, False if it had nothing more to do."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            sweeping.LISTING_S = LISTING_S
            pauses = [] if looked is None else [_Pause(looked)]
            listeners = [Tell(writer), *pauses]
            pipeline().run(None, progress=False, listeners=listeners)
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


def _pipeline(root: Path, windows: int, sink: FileSink) -> Pipeline:
    """Windows of some rows each, in several files."""
    rows = [
        [(mark, number, 5 + mark % 7) for number in range(5 + mark % 7)] for mark in range(windows)
    ]
    return Pipeline(
        "outside",
        inputs={"rows": RowsInput(rows, schema="mark bigint, number bigint, total bigint")},
        transform=lambda rows: rows,
        sinks={"out": sink},
        log=root / "state",
    )


def main() -> int:
    """Print what each reader saw; status 1 if it was not whole."""
    parser = argparse.ArgumentParser(prog="python -m tests.kill.outside", description=__doc__)
    parser.add_argument("--windows", type=int, default=200)
    parser.add_argument("--spark", action="store_true", help="Spark reads too")
    parser.add_argument("--rollup", type=int, help="join files of so many windows")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    readers = (*READERS, "spark") if given.spark else READERS
    with tempfile.TemporaryDirectory(prefix="outside-") as folder:
        try:
            kills, told = run(
                Path(folder), given.windows, readers, Random(given.seed), given.rollup
            )
        except AssertionError as broken:
            print(f"seed {given.seed}: {broken}", flush=True)
            return 1
    print(f"{given.windows} windows, {kills} kills")
    for each in told:
        print(
            f"  {each['name']}: {each['looks']:,} looks, {each['different']:,} of them at another"
            f" state than before; always whole windows, once; {each['windows']:,} at the end;"
            f" {each['again']:,} looks found a path gone, and were made again"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
