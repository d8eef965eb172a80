"""A word count that is killed at random moments until it has finished, and the verdict on what is
left."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from samples.wordcount.words import TABLE

WORD = re.compile(rb"[A-Za-z0-9_]+")
# From when this run has held a window: until then a kill would only test that Spark starts.
DELAY_MAX_S = 3.0
# How often only the driver's Python is killed, and how long its JVM is then left alone.
ALONE = 0.5
JVM_LIVES_ON_S = 1.0
_WORDS_SHOWN = 20


@dataclass(kw_only=True)
class Killing:
    """Its log and its database are in `home`. What it counts is the subclass's `_command`."""

    home: Path
    rng: random.Random
    kills: int = 0
    interrupted: int = 0

    def _command(self) -> list[str]:
        raise NotImplementedError

    def _places(self) -> list[str]:
        """Where everything goes, as the program's arguments."""
        return ["--database", f"duckdb:///{self._database}", "--state", str(self._state)]

    def _run_and_kill(self, *, kill: bool = True) -> bool:
        """True if the run was killed, False if it finished first, or was to."""
        before = self._newest()
        with (
            self._said.open("wb") as said,
            subprocess.Popen(
                self._command(), start_new_session=True, stdout=DEVNULL, stderr=said
            ) as child,
        ):
            try:
                while child.poll() is None and (not kill or self._newest() < before + 2):
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

    def _tell_kill(self) -> None:
        held, newest = self._positions()
        self.interrupted += newest > held
        print(
            f"kill {self.kills}: SIGKILL with window {newest} planned and {held} held;"
            " starting again",
            flush=True,
        )

    def _verdict(self, expected: Counter[str]) -> bool:
        """Are the counts those? Says it, and where they are not."""
        found = self._found()
        equal = expected == found
        print(
            f"finished after {self.kills} kills, {self.interrupted} of them inside a window:"
            f" {sum(found.values()):,} words, {len(found):,} different ones;"
            f" the independent count is {'equal' if equal else 'DIFFERENT'}"
        )
        wrong = sorted(word for word in expected | found if expected[word] != found[word])
        for word in wrong[:_WORDS_SHOWN]:
            print(f"  {word}: {found[word]:,} instead of {expected[word]:,}")
        return equal

    @property
    def _said(self) -> Path:
        # Of a driver that was killed: its JVM misses it, and says so in words that look like a
        # defect.
        return self.home / "said.txt"

    @property
    def _state(self) -> Path:
        return self.home / "state"

    @property
    def _database(self) -> Path:
        return self.home / "counts.duckdb"

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

        with duckdb.connect(str(self._database), read_only=True) as connection:
            return connection.execute(query).fetchall()
