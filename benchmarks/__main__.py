"""`python -m benchmarks [NAME …] [--quick]`: all benchmarks, or those named, and all promises in
one table at the end.

Each runs in a process of its own, so that none finds another's JVM or memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

from rich.console import Console

from benchmarks.result import RESULTS, Figure
from benchmarks.table import figures

NAMES = (
    "overhead",
    "small_windows",
    "log",
    "log_hdfs",
    "throughput",
    "jdbc_load",
    "file_sink",
    "file_windows",
    "state_windows",
    "kafka_small_windows",
    "kafka_readers",
    "kafka_memory",
    "kafka_throughput",
)
# `kafka` alone means all of its room.
GROUPS = {"kafka": tuple(name for name in NAMES if name.startswith("kafka_"))}


def main(words: list[str] | None = None) -> int:
    """0 when each has run, whether or not its promises are met; 1 when one could not."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help=f"of {', '.join((*NAMES, *GROUPS))}"
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes; figures scatter more")
    given = parser.parse_args(words)
    names = [name for word in given.names or NAMES for name in GROUPS.get(word, (word,))]
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    failed = [name for name in names if not _run(name, quick=given.quick)]
    done = [name for name in names if name not in failed]
    if len(done) > 1:  # one has just shown its own
        Console(highlight=False).print(figures("all promises", _promises(done)))
    if failed:
        print(f"Could not run: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _run(name: str, *, quick: bool) -> bool:
    command = [sys.executable, "-m", f"benchmarks.{name}", *(["--quick"] if quick else [])]
    return subprocess.run(command, check=False).returncode == 0


def _promises(names: list[str]) -> list[Figure]:
    found = []
    for name in names:
        for told in json.loads((RESULTS / f"{name}.json").read_text())["figures"]:
            told.pop("met")
            figure = Figure(**told)
            if figure.limit is not None:
                found.append(figure)
    return found


if __name__ == "__main__":
    sys.exit(main())
