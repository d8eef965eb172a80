"""`python -m samples.passthrough`: copy lines that keep coming, kill the copying at random moments,
and compare after each kill: what is written are the input's first bytes, nothing else."""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from samples.passthrough.copying import written

# From when this run has published a window; without Spark a window takes some 20 ms.
DELAY_MAX_S = 0.5
LINES_A_KILL = 5_000


@dataclass
class Demo:
    """One demonstration in `home`."""

    home: Path
    rng: random.Random
    plain: bool = True
    lines: int = 0

    def run(self, kills: int) -> int:
        """0 if the output was a beginning of the input after each kill, and in the end all of it;
        1 if not."""
        (self.home / "in").mkdir(parents=True)
        for number in range(1, kills + 1):
            self._add()
            killed = self._run(kill=True)
            if not self._compare(f"kill {number}" if killed else "finished before the kill"):
                return 1
        self._run(kill=False)
        return 0 if self._compare("finished", whole=True) else 1

    def _add(self) -> None:
        """More lines: numbered, so that each is another one; some of them empty or long."""
        with self._source.open("a", encoding="utf-8", newline="\n") as stream:
            for number in range(self.lines, self.lines + LINES_A_KILL):
                stream.write(f"{number} {'naïve ' * self.rng.choice([0, 1, 5, 30])}\n")
                stream.write("\n" * (self.rng.random() < 0.05))
        self.lines += LINES_A_KILL

    def _compare(self, moment: str, *, whole: bool = False) -> bool:
        expected, found = self._source.read_bytes(), written(self._target)
        good = found == expected if whole else expected.startswith(found)
        verdict = "equal to the input's" if good else "NOT THOSE of the input"
        print(f"{moment}: {len(found):,} bytes of {len(expected):,}, {verdict}", flush=True)
        return good

    @property
    def _source(self) -> Path:
        return self.home / "in" / "lines.txt"

    @property
    def _target(self) -> Path:
        return self.home / "out"

    def _run(self, *, kill: bool) -> bool:
        """True if it was killed, False if it had finished first."""
        before = self._published()
        with subprocess.Popen(self._command(), start_new_session=True) as child:
            try:
                while kill and child.poll() is None and self._published() == before:
                    time.sleep(0.005)
                with suppress(subprocess.TimeoutExpired):
                    child.wait(self.rng.uniform(0, DELAY_MAX_S) if kill else None)
                killed = child.poll() is None
            finally:
                # Also when this program is stopped, and Spark's JVM with it.
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
        if not killed and child.returncode != 0:
            raise SystemExit(f"the copying ended by itself with status {child.returncode}")
        return killed

    def _published(self) -> int:
        return len(list(self._target.glob("window_id=*")))

    def _command(self) -> list[str]:
        places = [str(self.home / name) for name in ("in", "out", "state")]
        words = [sys.executable, "-m", "samples.passthrough.driver", *places]
        return [*words, "--plain"] if self.plain else words


def main(words: list[str] | None = None) -> int:
    """In a folder that is new each time."""
    parser = argparse.ArgumentParser(prog="python -m samples.passthrough", description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--spark", action="store_true", help="on Spark, which needs Java")
    parser.add_argument("--seed", type=int, default=None, help="default: another one each time")
    given = parser.parse_args(words)
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"To draw the same moments again: python -m samples.passthrough --seed {seed}")
    with tempfile.TemporaryDirectory(prefix="passthrough-") as home:
        return Demo(Path(home), random.Random(seed), plain=not given.spark).run(given.kills)


if __name__ == "__main__":
    sys.exit(main())
