"""`make kill ROUNDS=n SEED=s`: both gears, with a report. Exit status 1 when a promise is
broken."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.kill import plain_gear, spark_gear
from tests.kill.files_variant import LAYOUTS, FilesVariant
from tests.kill.variants import MODES, Variant
from tests.kill.world import World

# A round with Spark takes as long as this many without it.
PLAIN_ROUNDS_EACH = 20


def main() -> int:
    """Run the gears."""
    words = _parse()
    spark_rounds = words.spark_rounds
    if spark_rounds is None:
        spark_rounds = words.rounds // PLAIN_ROUNDS_EACH
    if words.sink == "files":
        variant: Variant | FilesVariant = FilesVariant(words.layout)
    else:
        variant = Variant(words.database, words.mode, words.load)
    for gear, rounds in ((plain_gear, words.rounds), (spark_gear, spark_rounds)):
        if not rounds:
            continue
        name = gear.__name__.rpartition(".")[2]
        with tempfile.TemporaryDirectory(prefix="kill-") as folder:
            world = World(Path(folder), plain_gear.new_rng(words.seed), variant)
            start_s = time.monotonic()
            try:
                tally = gear.run(world, rounds, _progress(name, start_s))
            except AssertionError as broken:
                print(f"\n{name}, seed {words.seed}: {type(broken).__name__}: {broken}", flush=True)
                return 1
            _report(name, tally, time.monotonic() - start_s)
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.kill", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="kills without Spark")
    parser.add_argument("--spark-rounds", type=int, default=None, help="kills with Spark")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sink", choices=["jdbc", "files"], default="jdbc")
    database = parser.add_argument_group("--sink jdbc")
    database.add_argument("--database", choices=["duckdb", "sqlite"], default="duckdb")
    database.add_argument("--mode", choices=sorted(MODES), default="accumulate")
    database.add_argument("--load", choices=["driver", "executors"], default="driver")
    files = parser.add_argument_group("--sink files")
    files.add_argument("--layout", choices=sorted(LAYOUTS), default="windows")
    return parser.parse_args()


def _progress(name: str, start_s: float) -> object:
    last = [start_s]

    def say(tally: plain_gear.Tally) -> None:
        now = time.monotonic()
        if now - last[0] > 5:
            last[0] = now
            print(f"{name}: {sum(tally.kills.values())} kills, window {tally.windows}", flush=True)

    return say


def _report(name: str, tally: plain_gear.Tally, seconds: float) -> None:
    kills = sum(tally.kills.values())
    print(f"{name}: {kills} kills in {seconds:.0f} s ({3600 * kills / seconds:,.0f} an hour)")
    print(f"  {tally.interrupted} of them interrupted a window; {tally.windows} windows in all;")
    print(f"  {tally.drained} more runs ended before their kill; each state was equal to its plans")
    for moment, count in sorted(tally.kills.items()):
        print(f"  {count:6}  {moment}")


if __name__ == "__main__":
    sys.exit(main())
