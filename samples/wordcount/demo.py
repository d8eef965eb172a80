"""`make demo`: kill the word count at random moments until it has finished, and compare with an
independent count.

The independent count uses neither Spark nor this kit: it reads the same files and counts with a
regular expression."""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from samples.wordcount.stdlib import copy_standard_library
from samples.wordcount.words import TABLE

WORD = re.compile(rb"[A-Za-z0-9_]+")
# From when this run has held a window: until then a kill would only test that Spark starts.
DELAY_MAX_S = 3.0
# How often only the driver's Python is killed, and how long its JVM is then left alone.
ALONE = 0.5
JVM_LIVES_ON_S = 1.0
PATTERN = "*.py"


@dataclass
class Demo:
    """One demonstration in `home`, over the files of `folder`."""

    folder: Path
    home: Path
    window_bytes: int
    rng: random.Random
    kills: int = 0
    interrupted: int = 0

    def run(self) -> int:
        """0 if the counts are equal."""
        while self._run_and_kill():
            held, newest = self._positions()
            self.interrupted += newest > held
            print(
                f"kill {self.kills}: SIGKILL with window {newest} planned and {held} held;"
                " starting again",
                flush=True,
            )
        expected, found = count_files(self.folder), self._found()
        equal = expected == found
        print(
            f"finished after {self.kills} kills, {self.interrupted} of them inside a window:"
            f" {sum(found.values()):,} words, {len(found):,} different ones;"
            f" the independent count is {'equal' if equal else 'DIFFERENT'}"
        )
        for word in sorted(word for word in expected | found if expected[word] != found[word])[:20]:
            print(f"  {word}: {found[word]:,} instead of {expected[word]:,}")
        return 0 if equal else 1

    def _run_and_kill(self) -> bool:
        """True if the run was killed, False if it finished first."""
        before = self._newest()
        with (
            self._said.open("wb") as said,
            subprocess.Popen(
                self._command(), start_new_session=True, stdout=DEVNULL, stderr=said
            ) as child,
        ):
            try:
                while child.poll() is None and self._newest() < before + 2:
                    time.sleep(0.05)
                give_up_s = time.monotonic() + self.rng.uniform(0, DELAY_MAX_S)
                while child.poll() is None and time.monotonic() < give_up_s:
                    time.sleep(0.01)
                killed = child.poll() is None
                # The whole group, or the driver's Python alone, whose JVM lives on for a moment.
                if killed and self.rng.random() < ALONE:
                    child.kill()
                    time.sleep(JVM_LIVES_ON_S)
            finally:
                # Also when this program is stopped: nothing is left running.
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
        if not killed and child.returncode != 0:
            words = self._said.read_text(errors="replace")
            status = f"the word count ended by itself with status {child.returncode}"
            raise SystemExit(f"{status}; it said:\n{words}")
        self.kills += killed
        return killed

    def _command(self) -> list[str]:
        words = [sys.executable, "-m", "samples.wordcount", str(self.folder), "--pattern", PATTERN]
        words += ["--database", f"duckdb:///{self.home}/counts.duckdb", "--state", str(self._state)]
        return [*words, "--window-bytes", str(self.window_bytes)]

    @property
    def _said(self) -> Path:
        # Of a driver that was killed: its JVM misses it, and says so in words that look like a
        # defect.
        return self.home / "said.txt"

    @property
    def _state(self) -> Path:
        return self.home / "state"

    def _newest(self) -> int:
        names = [path.name.split(".")[0] for path in (self._state / "windows").glob("[0-9]*.json")]
        return max(map(int, names), default=0)

    def _positions(self) -> tuple[int, int]:
        rows = self._ask("SELECT window_id FROM window_ledger")
        return (rows[0][0] if rows else 0), self._newest()

    def _found(self) -> Counter[str]:
        return Counter(dict(self._ask(f"SELECT word, count FROM {TABLE}")))

    def _ask(self, query: str) -> list[Any]:
        import duckdb

        with duckdb.connect(str(self.home / "counts.duckdb"), read_only=True) as connection:
            return connection.execute(query).fetchall()


def count_files(folder: Path) -> Counter[str]:
    """Words of all Python files in `folder` that are not hidden, without Spark and without the
    kit."""
    counts: Counter[bytes] = Counter()
    for path in folder.rglob(PATTERN):
        hidden = any(part[0] in "._" for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            counts.update(word.lower() for word in WORD.findall(path.read_bytes()))
    return Counter({word.decode(): count for word, count in counts.items()})


def main() -> int:
    """Over the standard library's own files, in a folder that is new each time."""
    parser = argparse.ArgumentParser(prog="python -m samples.wordcount.demo", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="default: the standard library")
    parser.add_argument("--window-bytes", type=int, default=2 * 2**20)
    parser.add_argument("--seed", type=int, default=None, help="default: another one each time")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(10**6)
    folder = given.folder or copy_standard_library()
    again = f"python -m samples.wordcount.demo --seed {seed}"
    print(f"Counting {PATTERN} of {folder}, killed at random moments.", flush=True)
    print(f"To draw the same moments again: {again}", flush=True)
    with tempfile.TemporaryDirectory(prefix="wordcount-demo-") as home:
        demo = Demo(folder, Path(home), given.window_bytes, random.Random(seed))
        return demo.run()


if __name__ == "__main__":
    sys.exit(main())
