"""`make kill ROUNDS=n SEED=s`: both gears, with a report. Exit status 1 when a promise is broken,
or when a named moment never came."""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.kill import plain_gear, spark_gear, trouble_gear
from tests.kill.clerk import Clerk
from tests.kill.files_variant import LAYOUTS, FilesVariant
from tests.kill.hdfs_variant import HDFS_LAYOUTS, HdfsVariant
from tests.kill.mirror_variant import MirrorVariant
from tests.kill.second_broker import second_broker
from tests.kill.spool_variant import SpoolVariant
from tests.kill.state_variant import StateVariant
from tests.kill.tally import Tally
from tests.kill.topic import STARTS, Cluster, Topic
from tests.kill.variants import MODES, Variant
from tests.kill.world import World
from windowed.testing.services import HdfsService, KafkaService

# A round with Spark takes as long as this many without it.
PLAIN_ROUNDS_EACH = 20
# In so many rounds a moment each is hit.
ENOUGH = 2


@dataclass(frozen=True)
class _Services:
    hdfs: HdfsService | None
    cluster: Cluster | None


def main() -> int:
    """Run the gears."""
    words = _parse()
    with ExitStack() as stack:
        needs_hdfs = words.hdfs or words.mirror or words.state == "hdfs"
        hdfs = stack.enter_context(HdfsService()) if needs_hdfs else None
        cluster = _cluster(stack) if words.input == "kafka" else None
        return _kill(words, _Services(hdfs, cluster))


def _cluster(stack: ExitStack) -> Cluster:
    first = stack.enter_context(KafkaService())
    clerk = stack.enter_context(Clerk(first.bootstrap))
    # What brokers keep for themselves has one copy, on the first.
    clerk.ask("warm")
    second = stack.enter_context(second_broker(first))
    return Cluster(clerk, first, second)


def _kill(words: argparse.Namespace, services: _Services) -> int:
    spark_rounds = words.spark_rounds
    if spark_rounds is None:
        spark_rounds = words.rounds // PLAIN_ROUNDS_EACH
    gears = (
        (plain_gear, words.rounds),
        (trouble_gear, words.trouble_rounds),
        (spark_gear, spark_rounds),
    )
    for gear, rounds in gears:
        if not rounds:
            continue
        name = gear.__name__.rpartition(".")[2]
        with tempfile.TemporaryDirectory(prefix="kill-") as folder:
            variant = _variant(words, services.hdfs)
            rng = plain_gear.new_rng(words.seed)
            world = World(Path(folder), rng, variant, _source(words, services.cluster))
            start_s = time.monotonic()
            try:
                tally = gear.run(world, rounds, _progress(name, start_s))
            except AssertionError as broken:
                print(f"\n{name}, seed {words.seed}: {type(broken).__name__}: {broken}", flush=True)
                return 1
            moments = gear.deck(world)
            _report(name, tally, time.monotonic() - start_s, moments)
            if rounds >= ENOUGH * len(moments) and tally.never(moments):
                return 1
    return 0


def _source(words: argparse.Namespace, cluster: Cluster | None) -> Topic | None:
    return Topic(cluster, words.start, words.reader) if cluster is not None else None


def _variant(words: argparse.Namespace, hdfs: HdfsService | None) -> Variant | FilesVariant:
    """A new one for each gear, as its folder is."""
    if hdfs is None:
        if words.state:
            return StateVariant(words.database, "upsert", words.load)
        if words.sink == "files":
            return FilesVariant(words.layout)
        return Variant(words.database, words.mode, words.load)
    web = f"{hdfs.webhdfs_url}/{secrets.token_hex(6)}"
    if words.state:
        return StateVariant(words.database, "upsert", words.load, web, hdfs.hdfs_url)
    if words.mirror:
        return MirrorVariant(words.database, words.mode, words.load, words.mirror, web)
    if words.sink == "files":
        return HdfsVariant(words.layout, web, hdfs.hdfs_url)
    return SpoolVariant(words.database, words.mode, "executors", web)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.kill", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="kills without Spark")
    parser.add_argument("--spark-rounds", type=int, default=None, help="kills with Spark")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--input", choices=["files", "kafka"], default="files")
    topic = parser.add_argument_group("--input kafka: a topic of a real Kafka with two brokers")
    topic.add_argument("--start", choices=STARTS, default="earliest")
    topic.add_argument("--reader", choices=["driver", "executors", "spark"], default="driver")
    topic.add_argument(
        "--trouble-rounds", type=int, default=0, help="kills of brokers and producers, no Spark"
    )
    parser.add_argument("--sink", choices=["jdbc", "files"], default="jdbc")
    parser.add_argument(
        "--hdfs",
        action="store_true",
        help="a real HDFS: of files the log, staging and output; of a database the spool",
    )
    database = parser.add_argument_group("--sink jdbc")
    database.add_argument("--database", choices=["duckdb", "sqlite"], default="duckdb")
    database.add_argument("--mode", choices=sorted(MODES), default="accumulate")
    database.add_argument("--load", choices=["driver", "executors"], default="driver")
    database.add_argument(
        "--mirror", choices=["required", "optional"], help="the log has a mirror on a real HDFS"
    )
    database.add_argument(
        "--state", choices=["here", "hdfs"], help="each word's total is a state of the pipeline"
    )
    files = parser.add_argument_group("--sink files")
    files.add_argument("--layout", choices=sorted(LAYOUTS), default="windows")
    words = parser.parse_args()
    _refuse_odd(parser, words)
    return words


def _refuse_odd(parser: argparse.ArgumentParser, words: argparse.Namespace) -> None:
    if words.hdfs and words.sink == "files" and words.layout not in HDFS_LAYOUTS:
        parser.error("HDFS cannot exchange folders: no --layout rolled there")
    if words.hdfs and words.sink == "jdbc" and words.rounds:
        parser.error("tasks fill a spool: --rounds 0, and --spark-rounds")
    if words.trouble_rounds and words.input != "kafka":
        parser.error("--trouble-rounds are of --input kafka")
    if words.reader != "driver" and words.rounds + words.trouble_rounds:
        parser.error("other readers than the driver need Spark: --rounds 0, and --spark-rounds")
    if words.state and (words.hdfs or words.mirror or words.sink != "jdbc"):
        parser.error("--state goes with --sink jdbc, and without --hdfs and --mirror")
    if words.mirror and (words.hdfs or words.sink != "jdbc"):
        parser.error("--mirror goes with --sink jdbc, and without --hdfs")


def _progress(name: str, start_s: float) -> object:
    last = [start_s]

    def say(tally: Tally) -> None:
        now = time.monotonic()
        if now - last[0] > 5:
            last[0] = now
            print(f"{name}: {sum(tally.kills.values())} kills, window {tally.windows}", flush=True)

    return say


def _report(name: str, tally: Tally, seconds: float, moments: Sequence[str]) -> None:
    kills = sum(tally.kills.values())
    print(f"{name}: {kills} kills in {seconds:.0f} s ({3600 * kills / seconds:,.0f} an hour)")
    print(f"  {tally.interrupted} of them interrupted a window; {tally.windows} windows in all;")
    print(f"  {tally.drained} more runs ended before their kill; each state was equal to its plans")
    for side, count in sorted(tally.lost.items()):
        print(f"  {count} times the {side} side of the log was lost after a kill")
    for moment, count in sorted(tally.kills.items()):
        print(f"  {count:6}  {moment}")
    for moment in tally.never(moments):
        print(f"  {0:6}  {moment}: never")


if __name__ == "__main__":
    sys.exit(main())
