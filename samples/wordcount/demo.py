"""`make demo`: kill the word count at random moments until it has finished, and compare with an
independent count.

The independent count uses neither Spark nor this kit: it reads the same files and counts with a
regular expression."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from samples.wordcount.killing import WORD, Killing
from samples.wordcount.stdlib import copy_standard_library

PATTERN = "*.py"


@dataclass(kw_only=True)
class Demo(Killing):
    """One demonstration in `home`, over the files of `folder`."""

    folder: Path
    window_bytes: int

    def run(self) -> int:
        """0 if the counts are equal."""
        while self._run_and_kill():
            self._tell_kill()
        return 0 if self._verdict(count_files(self.folder)) else 1

    def _command(self) -> list[str]:
        words = [sys.executable, "-m", "samples.wordcount", str(self.folder), "--pattern", PATTERN]
        return [*words, *self._places(), "--window-bytes", str(self.window_bytes)]


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
        return Demo(
            folder=folder,
            home=Path(home),
            window_bytes=given.window_bytes,
            rng=random.Random(seed),
        ).run()


if __name__ == "__main__":
    sys.exit(main())
